#include "remote/cluster/profile_changes.h"

#include "core/base/text.h"

#include <set>

namespace dailies::remote {

namespace {

std::string shown(const std::string& key, const Json& value) {
    if (value.is_null() || (key == "port" && value == 0)) return "none";
    if (value.is_array()) {
        std::vector<std::string> parts;
        for (const Json& part : value) parts.push_back(shown(key, part));
        return parts.empty() ? "none" : join(parts, "; ");
    }
    if (!value.is_string()) return value.dump();
    const auto text = value.get<std::string>();
    return text.empty() ? "none" : text;
}

void collect(const std::string& prefix, const Json& before, const Json& after,
             std::vector<ProfileChange>& found) {
    std::set<std::string> keys;
    for (const Json* side : {&before, &after})
        for (const auto& [key, value] : side->items()) keys.insert(key);
    for (const auto& key : keys) {
        const Json was = before.value(key, Json()), is = after.value(key, Json());
        if (was == is) continue;
        if (was.is_object() || is.is_object())
            collect(prefix + key + ".", was.is_null() ? Json::object() : was,
                    is.is_null() ? Json::object() : is, found);
        else
            found.push_back({prefix + key, shown(prefix + key, was), shown(prefix + key, is)});
    }
}

}  // namespace

std::vector<ProfileChange> changes(const ClusterProfile& before, const ClusterProfile& after) {
    std::vector<ProfileChange> found;
    collect("", toJson(before), toJson(after), found);
    return found;
}

std::string toText(const std::vector<ProfileChange>& changes) {
    std::vector<std::string> parts;
    for (const auto& change : changes)
        parts.push_back(sanitizedText(change.key + " " + change.before + " → " + change.after));
    return join(parts, ", ");
}

}  // namespace dailies::remote
