#pragma once

#include "core/sweep/sweep.h"

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace dailies::sweep {

/// What is wrong with a parameter, as "optimizer.lr: found …, expected …."; nullopt when nothing is. Files
/// and forms are judged by the same rules.
std::optional<std::string> validationError(const Parameter& parameter);

/// The same of a parameter of the user's own program, which may have any name and take any value.
std::optional<std::string> validationErrorOfArgument(const Parameter& parameter);

/// "no such key; did you mean optimizer.lr?" with the key in front.
std::string unknownKey(const std::string& key);

/// The name of a distribution in a sweep file, as W&B calls it: "log_uniform_values".
std::string_view distributionName(Parameter::Kind kind);
/// The two numbers that a distribution has beside q, by their names in a sweep file: min and max, mu and
/// sigma, or a and b.
struct DistributionNumber {
    std::string_view name;
    double Parameter::*member;
};
std::array<DistributionNumber, 2> numbersOf(Parameter::Kind kind);

/// How the sweep file spells that value, where a program's words keep it; "" where nothing is kept.
std::string_view spellingOf(const Parameter& parameter, std::size_t index);

/// The key without the groups around it: "lr" of a parameter in the group optimizer.
std::string leafOf(const Parameter& parameter);

std::optional<Parameter::Kind> distributionFromName(std::string_view name);
std::vector<std::string> distributionNames();

}  // namespace dailies::sweep
