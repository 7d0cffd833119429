#pragma once

#include "ui/theme/tokens.h"

namespace dailies::ui {

/// What the program remembers of a person's taste, in $XDG_CONFIG_HOME/dailies/settings.json. A file that
/// cannot be read or written costs nothing but the memory.
struct Settings {
    ThemeMode theme = ThemeMode::Dark;
};

Settings loadSettings();
void saveSettings(const Settings& settings);  ///< touches the disk: not on the GUI thread

}  // namespace dailies::ui
