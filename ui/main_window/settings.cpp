#include "ui/main_window/settings.h"

#include "core/base/files.h"
#include "core/base/json.h"

#include <algorithm>

namespace dailies::ui {

namespace {

std::filesystem::path settingsFile() {
    return userConfigFolder() / "settings.json";
}

}  // namespace

Settings loadSettings() {
    Settings settings;
    try {
        const Json json = parseJson(readFile(settingsFile()), "settings.json");
        if (json.value("theme", "dark") == "light") {
            settings.theme = ThemeMode::Light;
        }
        settings.frameCacheMiB = std::max<std::int64_t>(json.value("frame_cache_mib", std::int64_t{0}), 0);
        settings.webhook = json.value("webhook", std::string());
        settings.lastCluster = json.value("last_cluster", std::string());
    } catch (const std::exception&) {
        // None yet, or damaged: the defaults do.
    }
    return settings;
}

void changeSettings(const std::function<void(Settings&)>& change) {
    Settings settings = loadSettings();
    change(settings);
    Json json = Json::object();
    try {
        if (Json kept = parseJson(readFile(settingsFile()), "settings.json"); kept.is_object())
            json = std::move(kept);
    } catch (const std::exception&) {
        // None yet, or damaged.
    }
    json["theme"] = settings.theme == ThemeMode::Light ? "light" : "dark";
    json["frame_cache_mib"] = settings.frameCacheMiB;
    json["webhook"] = settings.webhook;
    json["last_cluster"] = settings.lastCluster;
    writeFileAtomically(settingsFile(), json.dump(2) + "\n");
}

}  // namespace dailies::ui
