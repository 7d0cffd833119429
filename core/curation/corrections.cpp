#include "core/curation/corrections.h"

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/json.h"

#include <array>
#include <utility>

namespace dailies::curation {

namespace {

constexpr std::array<std::pair<const char*, Correction>, 2> kGroups{
    {{"keep", Correction::Keep}, {"drop", Correction::Drop}}};

}  // namespace

Correction correctionOf(const Corrections& corrections, const std::string& clipId) {
    const auto found = corrections.find(clipId);
    return found == corrections.end() ? Correction::None : found->second;
}

Corrections loadCorrections(const std::filesystem::path& folder) {
    const auto file = folder / kCorrectionsFile;
    Corrections corrections;
    if (!std::filesystem::exists(file)) return corrections;
    const auto refuse = [&](const std::string& why) {
        throw InputError(
            file.string() + " is no list of corrections: " + why + ".",
            R"(It should be {"keep": ["<id of a clip>", …], "drop": […]}. Repair it or move it away.)");
    };
    const Json json = parseJson(readFile(file), file.string());
    if (!json.is_object()) refuse("it is no object");
    for (const auto& [key, ids] : json.items())
        if (key != "keep" && key != "drop") refuse("it has a key \"" + key + "\"");
    for (const auto& [key, correction] : kGroups) {
        if (!json.contains(key)) continue;
        const Json& ids = json.at(key);
        if (!ids.is_array()) refuse(std::string("\"") + key + "\" is no list");
        for (const auto& id : ids) {
            if (!id.is_string()) refuse(std::string("\"") + key + "\" holds something that is no id");
            if (!corrections.emplace(id.get<std::string>(), correction).second)
                refuse("the clip " + id.get<std::string>() + " is in it twice");
        }
    }
    return corrections;
}

void saveCorrections(const std::filesystem::path& folder, const Corrections& corrections) {
    const auto file = folder / kCorrectionsFile;
    Json json = {{"keep", Json::array()}, {"drop", Json::array()}};
    bool any = false;
    for (const auto& [id, correction] : corrections) {
        if (correction == Correction::None) continue;
        json[correction == Correction::Keep ? "keep" : "drop"].push_back(id);
        any = true;
    }
    if (any || std::filesystem::exists(file)) writeFileAtomically(file, json.dump(2) + "\n");
}

}  // namespace dailies::curation
