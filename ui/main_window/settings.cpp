#include "ui/main_window/settings.h"

#include "core/base/files.h"
#include "core/base/json.h"

#include <algorithm>
#include <mutex>

namespace dailies::ui {

namespace {

std::filesystem::path settingsFile() {
    return userConfigFolder() / "settings.json";
}

WindowState windowFrom(const Json& json) {
    WindowState state;
    state.place = {json.value("x", 0), json.value("y", 0), json.value("width", 0), json.value("height", 0)};
    state.maximized = json.value("maximized", false);
    if (const auto page = pageFromName(json.value("page", "runs"));
        page && static_cast<int>(*page) < kNavigatedPages)
        state.page = *page;
    state.sizes = json.value("sizes", state.sizes);
    return state;
}

Json toJson(const WindowState& state) {
    return {{"x", state.place.x()},         {"y", state.place.y()},
            {"width", state.place.width()}, {"height", state.place.height()},
            {"maximized", state.maximized}, {"page", nameOf(state.page)},
            {"sizes", state.sizes}};
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
        if (json.contains("window")) settings.window = windowFrom(json["window"]);
    } catch (const std::exception&) {
        // None yet, or damaged: the defaults do.
    }
    return settings;
}

void changeSettings(const std::function<void(Settings&)>& change) {
    static std::mutex oneAtATime;  // two that read before either writes would lose what the first changed
    const std::lock_guard lock(oneAtATime);
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
    json["window"] = toJson(settings.window);
    writeFileAtomically(settingsFile(), json.dump(2) + "\n");
}

}  // namespace dailies::ui
