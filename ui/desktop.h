#pragma once

#include "ui/main_window/options.h"

namespace dailies::ui {

/// Runs the desktop program until its window is closed; returns the exit status. The one place that makes a
/// QApplication for a person; call it from the main thread.
int runDesktop(int argc, char** argv, const Options& options);

}  // namespace dailies::ui
