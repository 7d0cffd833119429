#pragma once

class QWidget;

namespace dailies::ui {

/// Lets the wheel scroll a form past its combo boxes and spin boxes: only the one that has the focus turns
/// with it. Otherwise whatever comes to stand under the pointer is changed on the way to another row. For the
/// fields that the form has now.
void ignoreUnfocusedWheel(QWidget& form);

}  // namespace dailies::ui
