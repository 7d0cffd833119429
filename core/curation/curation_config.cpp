#include "core/curation/curation_config.h"

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/json.h"
#include "core/config/job_keys.h"

#include <map>
#include <utility>
#include <variant>

namespace dailies::curation {

namespace {

using Value = std::variant<double*, int*, bool*, std::map<std::string, ScoreLimits>*>;

struct Key {
    const char* name;
    Value value;
    double minimum = 0, maximum = 1e9;
};

struct Group {
    const char* name;
    std::vector<Key> keys;
};

std::vector<Group> groupsOf(CurationConfig& config) {
    auto& [cuts, duplicates, verdict] = config;
    return {{"cuts",
             {{"adaptive_ratio", &cuts.adaptive_ratio, 1, 255},
              {"min_content", &cuts.min_content, 0, 255},
              {"window", &cuts.window, 1, 100},
              {"min_shot_frames", &cuts.min_shot_frames, 1},
              {"flash", &cuts.flash, 0, 1},
              {"dissolve", &cuts.dissolve, 0, 255},
              {"dissolve_edge", &cuts.dissolve_edge, 0, 255},
              {"black_share", &cuts.black_share, 0, 1},
              {"trim_seconds", &cuts.trim_seconds},
              {"max_seconds", &cuts.max_seconds}}},
            {"duplicates",
             {{"max_distance", &duplicates.max_distance, 0, 16}, {"min_share", &duplicates.min_share, 0, 1}}},
            {"verdict",
             {{"min_seconds", &verdict.min_seconds},
              {"min_frames", &verdict.min_frames},
              {"min_side", &verdict.min_side},
              {"min_motion", &verdict.min_motion, 0, 255},
              {"max_motion", &verdict.max_motion, 0, 255},
              {"max_frozen", &verdict.max_frozen, 0, 1},
              {"max_black", &verdict.max_black, 0, 1},
              {"max_white", &verdict.max_white, 0, 1},
              {"min_luma", &verdict.min_luma, 0, 255},
              {"max_luma", &verdict.max_luma, 0, 255},
              {"min_contrast", &verdict.min_contrast, 0, 255},
              {"min_sharpness", &verdict.min_sharpness},
              {"drop_duplicates", &verdict.drop_duplicates},
              {"scores", &verdict.scores}}}};
}

template <class Entries>
std::vector<std::string> namesOf(const Entries& entries) {
    std::vector<std::string> names;
    for (const auto& entry : entries) names.emplace_back(entry.name);
    return names;
}

std::string textOf(const Json& found) {
    return found.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// `{"aesthetic": {"min": 4.5}, …}`
std::map<std::string, ScoreLimits> readScores(const std::string& name, const Json& found) {
    std::map<std::string, ScoreLimits> scores;
    if (!found.is_object())
        config::job::refuse(name, textOf(found), "an object with the names of scores, each with min and max");
    for (const auto& [key, limits] : found.items()) {
        const auto ofKey = name + "." + key;
        config::job::requireKnownKeys(limits, {"min", "max"}, ofKey);
        auto& score = scores[key];
        for (auto [side, limit] : {std::pair{"min", &score.min}, std::pair{"max", &score.max}}) {
            const auto at = limits.find(side);
            if (at == limits.end()) continue;
            if (!at->is_number()) config::job::refuse(ofKey + "." + side, textOf(*at), "a number");
            *limit = at->get<double>();
        }
    }
    return scores;
}

Json jsonOf(const std::map<std::string, ScoreLimits>& scores) {
    Json json = Json::object();
    for (const auto& [key, limits] : scores) {
        auto& ofKey = json[key] = Json::object();
        if (limits.min) ofKey["min"] = *limits.min;
        if (limits.max) ofKey["max"] = *limits.max;
    }
    return json;
}

template <class Plain>
Json jsonOf(const Plain& value) {
    return value;
}

void read(const std::string& name, const Json& found, const Key& key) {
    const auto expected = [&](const char* what) {
        return std::string(what) + " from " + shortNumber(key.minimum) + " to " + shortNumber(key.maximum);
    };
    const auto refuse = [&](const std::string& wanted) { config::job::refuse(name, textOf(found), wanted); };
    if (auto* const* scores = std::get_if<std::map<std::string, ScoreLimits>*>(&key.value)) {
        **scores = readScores(name, found);
        return;
    }
    if (auto* const* flag = std::get_if<bool*>(&key.value)) {
        if (!found.is_boolean()) refuse("true or false");
        **flag = found;
        return;
    }
    auto* const* whole = std::get_if<int*>(&key.value);
    if (whole ? !found.is_number_integer() : !found.is_number())
        refuse(expected(whole ? "a whole number" : "a number"));
    const double number = found;
    if (!(number >= key.minimum && number <= key.maximum))
        refuse(expected(whole ? "a whole number" : "a number"));
    if (whole)
        **whole = found;
    else
        **std::get_if<double*>(&key.value) = number;
}

}  // namespace

CurationConfig parseCurationConfig(const Json& json) {
    CurationConfig config;
    const auto groups = groupsOf(config);
    config::job::requireKnownKeys(json, namesOf(groups), "the curation's config");
    for (const auto& group : groups) {
        const auto found = json.find(group.name);
        if (found == json.end()) continue;
        config::job::requireKnownKeys(*found, namesOf(group.keys), group.name);
        for (const auto& key : group.keys)
            if (const auto value = found->find(key.name); value != found->end())
                read(std::string(group.name) + "." + key.name, *value, key);
    }
    return config;
}

Json toJson(const CurationConfig& config) {
    auto copy = config;
    Json json;
    for (const auto& group : groupsOf(copy))
        for (const auto& key : group.keys)
            std::visit([&](const auto* value) { json[group.name][key.name] = jsonOf(*value); }, key.value);
    return json;
}

CurationConfig loadCurationConfig(const std::filesystem::path& folder) {
    const auto file = folder / kCurationConfigFile;
    if (!std::filesystem::exists(file)) return {};
    try {
        return parseCurationConfig(parseJson(readFile(file), kCurationConfigFile));
    } catch (const InputError& error) {
        throw InputError(file.string() + ": " + error.what(), error.remedy());
    }
}

void saveCurationConfig(const std::filesystem::path& folder, const CurationConfig& config) {
    writeFileAtomically(folder / kCurationConfigFile, toJson(config).dump(2) + "\n");
}

}  // namespace dailies::curation
