#pragma once

#include "ui/main_window/window_state_saver.h"
#include "ui/theme/tokens.h"

#include <cstdint>
#include <functional>
#include <string>

namespace dailies::ui {

/// What the program remembers of a person's taste, in $XDG_CONFIG_HOME/dailies/settings.json. A file that
/// cannot be read or written costs nothing but the memory.
struct Settings {
    ThemeMode theme = ThemeMode::Dark;
    std::string webhook;             ///< that alerts are sent to; empty: none
    std::string lastDataset;         ///< curated folder that was opened last; empty: none
    std::string lastCluster;         ///< connected when the program was last used; empty: none
    std::int64_t frameCacheMiB = 0;  ///< for the decoded frames of all clips; 0: by the machine's memory
    bool detailedLog = false;        ///< the log of Dailies itself at level debug
    WindowState window;
};

Settings loadSettings();
/// Reads, changes and writes them: what else is in the file stays, also what another process changes
/// meanwhile. Touches the disk: not on the GUI thread.
void changeSettings(const std::function<void(Settings&)>& change);

}  // namespace dailies::ui
