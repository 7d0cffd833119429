#pragma once

#include "core/tracking/store.h"

#include <QString>

namespace dailies::ui {

/// What cannot be done with a run, and why not: for tooltips, the palette and menus alike. Empty: it can be.
/// An archived run is its page's to tell of.
QString whyNotForked(const tracking::Run& run);
QString whyNotExtended(const tracking::Run& run);
QString whyNotSampled(const tracking::Run& run);
QString whyNoBatch(const tracking::Run& run);

}  // namespace dailies::ui
