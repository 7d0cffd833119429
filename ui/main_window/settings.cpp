#include "ui/main_window/settings.h"

#include "core/base/files.h"
#include "core/base/json.h"

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
    } catch (const std::exception&) {
        // None yet, or damaged: the defaults do.
    }
    return settings;
}

void saveSettings(const Settings& settings) {
    const Json json{{"theme", settings.theme == ThemeMode::Light ? "light" : "dark"}};
    writeFileAtomically(settingsFile(), json.dump(2) + "\n");
}

}  // namespace dailies::ui
