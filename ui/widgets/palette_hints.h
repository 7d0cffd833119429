#pragma once

#include <QObject>
#include <QString>
#include <QVariant>

/// What a page tells the command palette of its controls (actions, buttons, whole widgets). The palette finds
/// them by walking over the page, so it is kept as properties of theirs.
namespace dailies::ui {

inline constexpr const char* kExcludedFromPalette = "leftOutOfPalette";
inline constexpr const char* kDisabledReason = "whyNot";

/// Leaves out a control and what is in it: an action of the page does the same under a fuller name, or it
/// does nothing, such as a heading in a menu.
inline void excludeFromPalette(QObject& control) {
    control.setProperty(kExcludedFromPalette, true);
}
inline bool isExcludedFromPalette(const QObject& control) {
    return control.property(kExcludedFromPalette).toBool();
}

/// What a person has to do first ("Select a run first"), or why there is nothing to do. Of a page in a stack:
/// told while another one is in front.
inline void setDisabledReason(QObject& control, const QString& why) {
    control.setProperty(kDisabledReason, why);
}
inline QString disabledReason(const QObject& control) {
    return control.property(kDisabledReason).toString();
}

/// Enables the control where nothing speaks against it.
template <typename Control>
void setAvailable(Control& control, const QString& why) {
    control.setEnabled(why.isEmpty());
    setDisabledReason(control, why);
}

}  // namespace dailies::ui
