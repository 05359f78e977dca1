// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "topology/index_set.hpp"

#include "topology/error.hpp"

#include <algorithm>
#include <bit>
#include <charconv>

namespace rankfold::topology {
namespace {

constexpr int word_bits = 64;

[[noreturn]] void malformed(std::string_view list)
{
    throw topology_error("'" + std::string(list) + "' is not a list of indices such as 0-3,8 (each below " +
                         std::to_string(index_set::limit) + ")");
}

int parse_index(std::string_view text, std::string_view list)
{
    int value = -1;
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (status != std::errc() || end != text.data() + text.size() || value < 0 || value >= index_set::limit)
        malformed(list);
    return value;
}

} // namespace

index_set::index_set(std::initializer_list<int> indices)
{
    for (const int index : indices)
        insert(index);
}

index_set index_set::parse(std::string_view list)
{
    index_set result;
    for (std::string_view rest = list; !rest.empty();) {
        const std::size_t comma = rest.find(',');
        const std::string_view item = rest.substr(0, comma);
        const std::size_t dash = item.find('-');
        const int low = parse_index(item.substr(0, dash), list);
        const int high = dash == item.npos ? low : parse_index(item.substr(dash + 1), list);
        if (high < low || comma + 1 == rest.size())
            malformed(list);
        for (int index = low; index <= high; ++index)
            result.insert(index);
        rest = comma == rest.npos ? std::string_view() : rest.substr(comma + 1);
    }
    return result;
}

void index_set::insert(int index)
{
    if (index < 0 || index >= limit)
        throw topology_error("index " + std::to_string(index) + " is not in 0.." + std::to_string(limit - 1));
    const auto word = static_cast<std::size_t>(index / word_bits);
    if (word >= words_.size())
        words_.resize(word + 1);
    words_[word] |= std::uint64_t{1} << (index % word_bits);
}

void index_set::insert(const index_set& other)
{
    words_.resize(std::max(words_.size(), other.words_.size()));
    for (std::size_t i = 0; i < other.words_.size(); ++i)
        words_[i] |= other.words_[i];
}

bool index_set::contains(int index) const
{
    const auto word = static_cast<std::size_t>(index / word_bits);
    return index >= 0 && word < words_.size() && ((words_[word] >> (index % word_bits)) & 1U) != 0;
}

bool index_set::contains(const index_set& other) const
{
    for (std::size_t i = 0; i < other.words_.size(); ++i) {
        const std::uint64_t mine = i < words_.size() ? words_[i] : 0;
        if ((other.words_[i] & ~mine) != 0) {
            return false;
        }
    }
    return true;
}

bool index_set::intersects(const index_set& other) const
{
    const std::size_t common = std::min(words_.size(), other.words_.size());
    for (std::size_t i = 0; i < common; ++i) {
        if ((words_[i] & other.words_[i]) != 0) {
            return true;
        }
    }
    return false;
}

bool index_set::empty() const
{
    return words_.empty();
}

int index_set::count() const
{
    int total = 0;
    for (const std::uint64_t word : words_)
        total += std::popcount(word);
    return total;
}

int index_set::first() const
{
    const auto word = std::find_if(words_.begin(), words_.end(), [](std::uint64_t w) { return w != 0; });
    return word == words_.end()
               ? -1
               : static_cast<int>(word - words_.begin()) * word_bits + std::countr_zero(*word);
}

std::vector<int> index_set::to_vector() const
{
    std::vector<int> result;
    for (std::size_t word = 0; word < words_.size(); ++word) {
        for (std::uint64_t rest = words_[word]; rest != 0; rest &= rest - 1) {
            result.push_back(static_cast<int>(word) * word_bits + std::countr_zero(rest));
        }
    }
    return result;
}

std::string index_set::to_string() const
{
    std::string text;
    const std::vector<int> indices = to_vector();
    for (std::size_t low = 0; low < indices.size();) {
        std::size_t high = low;
        while (high + 1 < indices.size() && indices[high + 1] == indices[high] + 1)
            ++high;
        text.append(text.empty() ? "" : ",").append(std::to_string(indices[low]));
        if (high > low)
            text.append("-").append(std::to_string(indices[high]));
        low = high + 1;
    }
    return text;
}

index_set operator&(const index_set& a, const index_set& b)
{
    index_set result;
    result.words_.resize(std::min(a.words_.size(), b.words_.size()));
    for (std::size_t i = 0; i < result.words_.size(); ++i)
        result.words_[i] = a.words_[i] & b.words_[i];
    result.trim();
    return result;
}

void index_set::trim()
{
    while (!words_.empty() && words_.back() == 0)
        words_.pop_back();
}

} // namespace rankfold::topology
