// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The shapes that a picture of a machine is made of. Texts are made to fit: smaller, then cut.
#pragma once

#include <string>
#include <vector>

namespace rankfold::launcher {

struct rectangle {
    int x = 0;
    int y = 0;
    int width = 0;
    int height = 0;
};

/// Width of a character in parts of the font size: that of a digit in the widest of the usual sans-serif
/// fonts.
constexpr double em_per_character = 0.64;

class svg_canvas {
public:
    static constexpr double font = 11; ///< the usual size
    static constexpr double least_font = 6;

    /// @param tip  shown when the pointer rests on it; may be empty
    void box(const rectangle& at, const std::string& fill, const std::string& stroke = "#666666",
             const std::string& tip = "");

    /// One line from x on, in at most `width`; y is that of its base line. Printable ASCII.
    void text(int x, int y, int width, const std::string& words, double largest = font);

    /// A place in the drawing order: what is inserted there later lies below what was drawn since.
    std::size_t mark() const { return body_.size(); }
    void box_below(std::size_t mark, const rectangle& at, const std::string& fill, const std::string& stroke);

    /// The whole document, as large as its boxes and a margin.
    std::string document(int margin) const;

private:
    void insert(std::size_t mark, const rectangle& at, const std::string& element);

    std::string body_;
    int right_ = 0;
    int bottom_ = 0;
};

/// The words in as few lines of at most `characters` as they need; where they need more than `most` lines,
/// the last one ends in "...". Breaks at blanks only.
std::vector<std::string> wrapped(const std::string& words, std::size_t characters, std::size_t most);

/// Characters of a size that fit into a width.
std::size_t characters_in(int width, double size = svg_canvas::font);

} // namespace rankfold::launcher
