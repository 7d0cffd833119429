#pragma once

#include "core/config/schema.h"

#include <string>
#include <string_view>
#include <vector>

namespace dailies::config {

// Values as text and back. What one function writes its counterpart reads to the same value.

/// The value of a param as the tracking store keeps it, and as every name, cell and tile that comes from one
/// shows it: "0.0003" and "1e-05" as Python and MLflow write numbers, "3.0" of a field that takes any number,
/// texts as they are.
std::string paramText(std::string_view key, const Json& value);

/// The value of a param that `paramText` wrote; throws `InputError` as `parseValue` does.
Json parseParam(const Field& field, const std::string& text);

/// A value as a person types it, for `parseValue`: of a list one text a line. A text that would not come back
/// (empty, with line breaks or spaces around it) is quoted as in JSON.
std::string valueText(const Json& value);

/// Several values in one line, separated by commas; texts with commas are quoted as in JSON, lists are JSON.
std::string valuesText(const std::vector<Json>& values);

/// Reads what `valuesText` wrote; throws `InputError` naming the key, what was found and what is accepted.
std::vector<Json> parseValues(const Field& field, const std::string& text);

/// One text of a list as a person typed it: without the quotes of JSON where it has them.
std::string unquoted(const std::string& text);

}  // namespace dailies::config
