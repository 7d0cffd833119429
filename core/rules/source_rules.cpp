#include "core/rules/source_rules.h"

#include "core/base/error.h"
#include "core/rules/clip_pattern.h"
#include "core/rules/output_rule.h"

namespace dailies::rules {

namespace {

constexpr std::size_t kMostPatterns = 10;  // all of it is a tag, which servers take up to 5,000 bytes of

template <class Rule>
void checkOne(const std::string& key, const std::string& text) {
    try {
        Rule{text};
    } catch (const InputError& error) {
        throw InputError(key + ": " + error.what(), error.remedy());
    }
}

template <class Rule>
bool isValid(const std::string& text) {
    try {
        Rule{text};
        return true;
    } catch (const InputError&) {
        return false;
    }
}

}  // namespace

void check(const SourceRules& rules) {
    if (!rules.output.empty()) checkOne<OutputRule>("output", rules.output);
    if (rules.clips.size() > kMostPatterns)
        throw InputError("clips: there are more than " + std::to_string(kMostPatterns) + " patterns.");
    for (const auto& pattern : rules.clips) checkOne<ClipPattern>("clips", pattern);
}

std::string toText(const SourceRules& rules) {
    Json json = Json::object();
    if (!rules.output.empty()) json["output"] = rules.output;
    if (!rules.clips.empty()) json["clips"] = rules.clips;
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

SourceRules fromText(const std::string& text) {
    SourceRules rules;
    const Json json = Json::parse(text, nullptr, false);
    if (!json.is_object()) return rules;
    if (const auto output = json.find("output"); output != json.end() && output->is_string())
        if (const auto& said = output->get_ref<const std::string&>(); isValid<OutputRule>(said))
            rules.output = said;
    if (const auto clips = json.find("clips"); clips != json.end() && clips->is_array())
        for (const auto& pattern : *clips)
            if (pattern.is_string() && rules.clips.size() < kMostPatterns &&
                isValid<ClipPattern>(pattern.get<std::string>()))
                rules.clips.push_back(pattern.get<std::string>());
    return rules;
}

}  // namespace dailies::rules
