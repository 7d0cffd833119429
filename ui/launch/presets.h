#pragma once

#include "core/sweep/sweep.h"

#include <QString>

#include <vector>

namespace dailies::ui {

/// A sweep that the program brings along (resources/presets).
struct Preset {
    QString title;
    sweep::Sweep sweep;
};

/// All of them, by name. Throws `InputError` when one does not parse, which a test rules out.
std::vector<Preset> presets();

/// A sweep of a program of the user's own to begin with; no preset, for it can be launched only once it names
/// a program that there is.
Preset ownProgramStart();

}  // namespace dailies::ui
