#pragma once

#include "ui/theme/tokens.h"

#include <QColor>

namespace dailies::ui {

/// From low (0) to high (1): viridis (van der Walt & Smith 2015), equal steps of which look equally far
/// apart, also to colour-blind eyes. The end that would vanish into the theme's background is left out. Any
/// thread.
QColor rampColor(double place, ThemeMode mode);

/// Of marks that have no value to be coloured by.
QColor missingColor(ThemeMode mode);

}  // namespace dailies::ui
