#pragma once

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/base/text.h"

#include <algorithm>
#include <cctype>
#include <functional>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

/// How the files of jobs are read (sampling_job.cpp, curation_job.cpp, …), with the same words for what is
/// wrong.
namespace dailies::config::job {

[[noreturn]] inline void refuse(const std::string& name, const std::string& found,
                                const std::string& expected) {
    throw InputError(name + ": found " + sanitizedText(found) + ", expected " + expected + ".");
}

inline std::string inQuotes(std::string_view text) {
    return '"' + std::string(text) + '"';
}

/// `what`: "the sampling job".
inline void requireKnownKeys(const Json& json, const std::vector<std::string>& keys,
                             const std::string& what) {
    if (!json.is_object()) refuse(what, json.type_name(), "an object");
    for (const auto& [key, value] : json.items()) {
        if (std::ranges::find(keys, key) != keys.end()) continue;
        const auto suggestion = nearestWord(key, keys);
        throw InputError(sanitizedText(key) + ": no such key of " + what +
                         (suggestion.empty() ? ". It has " + join(keys, ", ") + "."
                                             : "; did you mean " + suggestion + "?"));
    }
}

/// Leaves the value as it is where the key is absent.
template <class T>
void read(const Json& json, const char* key, T& value, const char* expected) {
    const auto at = json.find(key);
    if (at == json.end()) return;
    const std::function<bool(const Json&)> isRight = [](const Json& item) {
        if constexpr (std::is_same_v<T, std::vector<double>>)
            return item.is_number();
        else if constexpr (std::is_same_v<T, std::vector<std::string>> || std::is_same_v<T, std::string>)
            return item.is_string();
        else if constexpr (std::is_same_v<T, double>)
            return item.is_number();
        else if constexpr (std::is_same_v<T, bool>)
            return item.is_boolean();
        else
            return item.is_number_integer();
    };
    bool right = false;
    if constexpr (requires { value.push_back({}); } && !std::is_same_v<T, std::string>)
        right = at->is_array() && std::ranges::all_of(*at, isRight);
    else
        right = isRight(*at);
    if (!right) refuse(key, at->dump(-1, ' ', false, Json::error_handler_t::replace), expected);
    value = at->get<T>();
}

inline void requireWithin(const char* key, int found, int least, int most) {
    if (found < least || found > most)
        refuse(key, std::to_string(found), std::to_string(least) + " to " + std::to_string(most));
}

inline void requireClusterPath(const char* key, const std::string& path) {
    if (!path.starts_with('/'))
        refuse(key, path.empty() ? "none" : inQuotes(path), "an absolute path of the cluster");
}

/// Letters and digits, or nothing.
inline void requireWord(const char* key, const std::string& word) {
    const auto isPart = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
    if (!std::ranges::all_of(word, isPart)) refuse(key, inQuotes(word), "letters and digits");
}

template <class T>
void requireDistinct(const char* key, const std::vector<T>& values) {
    std::set<T> seen;
    for (const auto& value : values)
        if (!seen.insert(value).second) refuse(key, Json(value).dump() + " twice", "each once");
}

}  // namespace dailies::config::job
