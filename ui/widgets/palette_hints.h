#pragma once

#include <QObject>
#include <QString>
#include <QVariant>

/// What a page tells the command palette of its controls (actions, buttons, whole widgets). The palette finds
/// them by walking over the page, so it is kept as properties of theirs.
namespace dailies::ui {

inline constexpr const char* kLeftOutOfPalette = "leftOutOfPalette";
inline constexpr const char* kWhyNot = "whyNot";

/// Leaves out a control and what is in it: an action of the page does the same under a fuller name, or it
/// does nothing, such as a heading in a menu.
inline void leaveOutOfPalette(QObject& control) {
    control.setProperty(kLeftOutOfPalette, true);
}
inline bool isLeftOutOfPalette(const QObject& control) {
    return control.property(kLeftOutOfPalette).toBool();
}

/// What a person has to do first ("Select a run first"), or why there is nothing to do. Of a page in a stack:
/// told while another one is in front.
inline void setWhyNot(QObject& control, const QString& why) {
    control.setProperty(kWhyNot, why);
}
inline QString whyNot(const QObject& control) {
    return control.property(kWhyNot).toString();
}

/// Enables the control where nothing speaks against it.
template <typename Control>
void setAvailable(Control& control, const QString& why) {
    control.setEnabled(why.isEmpty());
    setWhyNot(control, why);
}

}  // namespace dailies::ui
