#pragma once

class QMenu;

namespace dailies::ui {

/// Lets the menu open inside its window where it fits: Qt keeps menus on the screen alone, so that those of
/// the last buttons of a bar hung out over whatever is beside the window. Menus in menus stay Qt's.
void keepInWindow(QMenu& menu);

}  // namespace dailies::ui
