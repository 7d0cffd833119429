#pragma once

class QComboBox;

namespace dailies::ui {

/// Lists what begins as typed below an editable combo box. Enter takes the first of them, Escape leaves what
/// was typed; other names may be typed all the same.
void completeInPopup(QComboBox& box);

}  // namespace dailies::ui
