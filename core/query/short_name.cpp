#include "core/query/short_name.h"

#include "core/base/text.h"

#include <algorithm>

namespace dailies::query::detail {

const std::vector<std::string>& keysOf(Entity entity, const Vocabulary& known) {
    static const std::vector<std::string> kNone;
    switch (entity) {
        case Entity::Metric:
            return known.metrics;
        case Entity::Param:
            return known.params;
        case Entity::Tag:
            return known.tags;
        case Entity::Attribute:
            break;
    }
    return kNone;
}

bool isKnown(const Field& field, const Vocabulary& known) {
    const auto& keys = keysOf(field.entity, known);
    return std::binary_search(keys.begin(), keys.end(), field.key);
}

std::vector<std::string> keysEndingIn(std::string_view name, const std::vector<std::string>& keys) {
    std::vector<std::string> found;
    for (const auto& key : keys)
        if (key.size() > name.size() && key.ends_with(name) && key[key.size() - name.size() - 1] == '.')
            found.push_back(key);
    return found;
}

std::variant<Field, FieldProblem> withWholeKey(Field field, const Vocabulary& known) {
    constexpr std::size_t kMostNamed = 3;
    if ((field.entity != Entity::Param && field.entity != Entity::Metric) || isKnown(field, known))
        return field;
    const auto keys = keysEndingIn(field.key, keysOf(field.entity, known));
    if (keys.size() > 1) {
        std::vector<std::string> names, whole;
        for (std::size_t i = 0; i < std::min(keys.size(), kMostNamed); ++i) {
            whole.push_back(formatField({field.entity, keys[i], {}}));
            names.push_back(sanitizedText(whole.back()));
        }
        const std::string last = names.back();
        names.pop_back();
        const auto others = keys.size() - std::min(keys.size(), kMostNamed);
        return FieldProblem{inQuotes(field.key) + " is short for " + std::to_string(keys.size()) + " " +
                                std::string(nameOf(field.entity)) + ".",
                            "Did you mean " + join(names, ", ") + " or " + last + "? " +
                                (others > 0 ? "There are " + std::to_string(others) + " more. " : "") +
                                "Write the whole key.",
                            0, 0, Proposal{std::move(whole)}};
    }
    if (keys.size() == 1) field.key = keys.front();
    return field;
}

std::string nearestKey(std::string_view name, const std::vector<std::string>& keys) {
    if (const auto longer = keysEndingIn(name, keys); !longer.empty()) return longer.front();
    if (const auto near = nearest(name, keys); !near.empty()) return near;
    std::vector<std::string> ends;
    for (const auto& key : keys)
        if (const auto dot = key.rfind('.'); dot != std::string::npos) ends.push_back(key.substr(dot + 1));
    const auto end = nearest(name, ends);
    return end.empty() ? "" : keysEndingIn(end, keys).front();
}

}  // namespace dailies::query::detail
