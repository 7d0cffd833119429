#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>

namespace dailies {

/// JSON with its keys in the order in which they were written: configs and events read as their authors
/// arranged them.
using Json = nlohmann::ordered_json;

/// Parses a document; an `InputError` names `source` (a file, a key) and the place of the mistake.
Json parseJson(std::string_view text, const std::string& source);

/// Numbers in our files: JSON has no NaN or infinity, so these travel as the strings "NaN", "Infinity",
/// "-Infinity".
Json numberToJson(double value);
double numberFromJson(
    const Json& value);  ///< throws `InputError` when it is neither a number nor one of the strings

/// The shortest decimal that reads back as the same double ("0.01", "1e-05"): params, labels and file names
/// use it.
std::string shortNumber(double value);

}  // namespace dailies
