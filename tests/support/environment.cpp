// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "support/environment.hpp"

#include <cstdlib>
#include <utility>

namespace rankfold::test {
namespace {

void put(const std::string& name, const std::optional<std::string>& value)
{
    if (value) {
        setenv(name.c_str(), value->c_str(), 1);
    } else {
        unsetenv(name.c_str());
    }
}

} // namespace

scoped_environment::scoped_environment(std::string name, const std::optional<std::string>& value, bool active)
    : name_(std::move(name)), active_(active)
{
    if (active_) {
        const char* old = std::getenv(name_.c_str());
        old_ = old == nullptr ? std::nullopt : std::optional<std::string>(old);
        put(name_, value);
    }
}

scoped_environment::~scoped_environment()
{
    if (active_) {
        put(name_, old_);
    }
}

} // namespace rankfold::test
