#include "ui/main_window/settings.h"

#include "core/base/files.h"
#include "core/base/json.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace dailies::ui {

namespace {

std::filesystem::path settingsFile() {
    return userConfigFolder() / "settings.json";
}

/// Two that read before either writes would lose what the first changed, be they threads or processes. The
/// settings themselves are replaced by each write, so the lock is on a file beside them. Where none can be
/// made nobody is kept out: the write says what is wrong with the folder.
class SettingsLock {
public:
    SettingsLock() {
        std::error_code unwritable;
        std::filesystem::create_directories(settingsFile().parent_path(), unwritable);
        const std::string name = settingsFile().string() + ".lock";
        m_descriptor = ::open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        while (m_descriptor >= 0 && ::flock(m_descriptor, LOCK_EX) != 0 && errno == EINTR) {
        }
    }
    ~SettingsLock() {
        if (m_descriptor >= 0) ::close(m_descriptor);
    }
    SettingsLock(const SettingsLock&) = delete;
    SettingsLock& operator=(const SettingsLock&) = delete;

private:
    int m_descriptor = -1;
};

WindowState windowFrom(const Json& json) {
    WindowState state;
    state.place = {json.value("x", 0), json.value("y", 0), json.value("width", 0), json.value("height", 0)};
    state.maximized = json.value("maximized", false);
    if (const auto page = pageFromName(json.value("page", "runs"));
        page && static_cast<int>(*page) < kSidebarPages)
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
        settings.lastDataset = json.value("last_dataset", std::string());
        settings.lastCluster = json.value("last_cluster", std::string());
        settings.detailedLog = json.value("detailed_log", false);
        if (json.contains("window")) settings.window = windowFrom(json["window"]);
    } catch (const std::exception&) {
        // None yet, or damaged: the defaults do.
    }
    return settings;
}

void changeSettings(const std::function<void(Settings&)>& change) {
    const SettingsLock lock;
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
    json["last_dataset"] = settings.lastDataset;
    json["last_cluster"] = settings.lastCluster;
    json["detailed_log"] = settings.detailedLog;
    json["window"] = toJson(settings.window);
    writeFileAtomically(settingsFile(), json.dump(2) + "\n");
}

}  // namespace dailies::ui
