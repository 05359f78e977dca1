// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>

namespace rankfold::test {

/// Sets an environment variable for the life of the object, or unsets it, where `active`; puts the old value
/// back.
class scoped_environment {
public:
    scoped_environment(std::string name, const std::optional<std::string>& value, bool active = true);
    scoped_environment(const scoped_environment&) = delete;
    scoped_environment& operator=(const scoped_environment&) = delete;
    ~scoped_environment();

private:
    std::string name_;
    std::optional<std::string> old_;
    bool active_;
};

} // namespace rankfold::test
