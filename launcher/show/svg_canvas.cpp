// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Elements are written in drawing order; the document is put around them at the end.
#include "show/svg_canvas.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <sstream>

namespace rankfold::launcher {
namespace {

std::string escaped(const std::string& text)
{
    std::string result;
    for (const char c : text) {
        const bool special =
            c == '<' || c == '>' || c == '&' || c == '"' || static_cast<unsigned char>(c) < 32;
        result += special ? fmt::format("&#{};", std::max(32, static_cast<int>(c))) : std::string(1, c);
    }
    return result;
}

std::string element(const rectangle& at, const std::string& fill, const std::string& stroke,
                    const std::string& content)
{
    return fmt::format(
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"3\" fill=\"{}\" stroke=\"{}\">{}</rect>\n",
        at.x, at.y, at.width, at.height, fill, stroke, content);
}

} // namespace

void svg_canvas::box(const rectangle& at, const std::string& fill, const std::string& stroke,
                     const std::string& tip)
{
    insert(mark(), at, element(at, fill, stroke, tip.empty() ? "" : "<title>" + escaped(tip) + "</title>"));
}

void svg_canvas::box_below(std::size_t mark, const rectangle& at, const std::string& fill,
                           const std::string& stroke)
{
    insert(mark, at, element(at, fill, stroke, ""));
}

void svg_canvas::insert(std::size_t mark, const rectangle& at, const std::string& element)
{
    body_.insert(mark, element);
    right_ = std::max(right_, at.x + at.width);
    bottom_ = std::max(bottom_, at.y + at.height);
}

void svg_canvas::text(int x, int y, int width, const std::string& words, double largest)
{
    const auto fitting = [&](std::size_t length) {
        return width / (em_per_character * static_cast<double>(std::max<std::size_t>(1, length)));
    };
    std::string shown = words;
    if (fitting(shown.size()) < least_font) {
        const std::size_t room = characters_in(width, least_font);
        shown = room > 3 ? shown.substr(0, room - 3) + "..." : shown.substr(0, room);
    }
    const double size = std::min(largest, fitting(shown.size()));
    body_ += fmt::format("<text x=\"{}\" y=\"{}\" font-size=\"{:.1f}\">{}</text>\n", x, y,
                         std::max(least_font, size - 0.05), escaped(shown));
    right_ = std::max(right_, x + std::min(width, static_cast<int>(size * em_per_character *
                                                                   static_cast<double>(shown.size()))));
    bottom_ = std::max(bottom_, y);
}

std::string svg_canvas::document(int margin) const
{
    return fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 "
                       "{0} {1}\" "
                       "font-family=\"sans-serif\">\n<rect x=\"0\" y=\"0\" width=\"{0}\" height=\"{1}\" "
                       "fill=\"white\"/>\n",
                       right_ + margin, bottom_ + margin) +
           body_ + "</svg>\n";
}

std::vector<std::string> wrapped(const std::string& words, std::size_t characters, std::size_t most)
{
    std::vector<std::string> lines(1);
    std::istringstream stream(words);
    for (std::string word; stream >> word;) {
        if (!lines.back().empty() && lines.back().size() + 1 + word.size() > characters) {
            lines.emplace_back();
        }
        lines.back() += (lines.back().empty() ? "" : " ") + word;
    }
    if (lines.size() > most) {
        lines.resize(most);
        const std::size_t room = characters > 4 ? characters - 4 : 0;
        lines.back() = lines.back().substr(0, room) + " ...";
    }
    return lines;
}

std::size_t characters_in(int width, double size)
{
    return static_cast<std::size_t>(std::max(0.0, width / (em_per_character * size)));
}

} // namespace rankfold::launcher
