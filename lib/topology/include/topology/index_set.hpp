// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace rankfold::topology {

/// A set of small non-negative indices: hardware threads or NUMA nodes by operating-system number.
class index_set {
public:
    static constexpr int limit = 1 << 16; ///< indices are below this

    index_set() = default;
    index_set(std::initializer_list<int> indices);

    /// Parses the kernel's list form, "0-3,8,10-11"; the empty string is the empty set.
    /// @throws topology_error if the text is anything else or an index is not below `limit`
    static index_set parse(std::string_view list);

    void insert(int index);
    void insert(const index_set& other);

    bool contains(int index) const;
    bool contains(const index_set& other) const;
    bool intersects(const index_set& other) const;
    bool empty() const;
    int count() const;
    int first() const; ///< -1 if empty
    std::vector<int> to_vector() const;
    std::string to_string() const; ///< the form that `parse` reads

    friend index_set operator&(const index_set& a, const index_set& b);
    friend bool operator==(const index_set& a, const index_set& b) { return a.words_ == b.words_; }
    /// Some total order, for maps.
    friend std::strong_ordering operator<=>(const index_set& a, const index_set& b)
    {
        return a.words_ <=> b.words_;
    }

private:
    void trim(); // no trailing zero words, so that equality is that of the words

    std::vector<std::uint64_t> words_;
};

} // namespace rankfold::topology
