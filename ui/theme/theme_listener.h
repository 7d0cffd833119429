#pragma once

#include <functional>

class QWidget;

namespace dailies::ui {

/// Calls `redo` after the theme has changed: at once when the widget is on show, else when it is shown next,
/// so that hidden pages cost a switch nothing. Goes with the widget. GUI thread only.
void whenThemeChanges(QWidget* widget, std::function<void()> redo);

}  // namespace dailies::ui
