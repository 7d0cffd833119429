#include "ui/review/last_viewed_sweep.h"

#include "core/base/files.h"
#include "core/base/json.h"

namespace dailies::ui {

namespace {

std::filesystem::path memoryFile() {
    return userConfigFolder() / "review.json";
}

std::string keyOf(const std::filesystem::path& storeFile) {
    return std::filesystem::weakly_canonical(storeFile).string();
}

/// By store. What cannot be read is nothing.
Json readMemory() {
    try {
        Json sweeps = parseJson(readFile(memoryFile()), "review.json").at("sweeps");
        if (sweeps.is_object()) return sweeps;
    } catch (const std::exception&) {
        // None yet, or damaged.
    }
    return Json::object();
}

}  // namespace

std::string lastViewedSweep(const std::filesystem::path& storeFile) {
    const Json sweeps = readMemory();
    const auto known = sweeps.find(keyOf(storeFile));
    return known != sweeps.end() && known->is_string() ? known->get<std::string>() : std::string();
}

void setLastViewedSweep(const std::filesystem::path& storeFile, const std::string& sweepId) {
    Json kept = Json::object();
    const Json before = readMemory();
    std::error_code unreachable;  // as gone as one that was removed
    for (const auto& [store, sweep] : before.items())
        if (std::filesystem::exists(store, unreachable)) kept[store] = sweep;
    kept[keyOf(storeFile)] = sweepId;
    writeFileAtomically(memoryFile(), Json{{"sweeps", kept}}.dump(2) + "\n");
}

}  // namespace dailies::ui
