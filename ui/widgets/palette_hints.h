#pragma once

#include <QObject>
#include <QString>
#include <QVariant>

/// What a page tells the command palette of its controls (actions, buttons, whole widgets). The palette finds
/// them by walking over the page, so it is kept as properties of theirs.
namespace dailies::ui {

inline constexpr const char* kExcludedFromPalette = "leftOutOfPalette";
inline constexpr const char* kDisabledReason = "whyNot";
inline constexpr const char* kPaletteName = "paletteName";
inline constexpr const char* kActsOnSelection = "actsOnSelection";
inline constexpr const char* kPaletteWords = "paletteWords";
inline constexpr const char* kOfferedField = "offeredField";

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

/// What the action is called with what it would act on ("Fork lr=0.001…"), where a page's own menu shows that
/// beside it and the palette does not; empty: nothing is selected, or it acts on nothing in particular.
inline void setPaletteName(QObject& control, const QString& name) {
    control.setProperty(kPaletteName, name);
}
inline QString paletteName(const QObject& control) {
    return control.property(kPaletteName).toString();
}

/// What else it is looked for by: the word on a button that does the same, or that other programs use.
inline void setPaletteWords(QObject& control, const QString& words) {
    control.setProperty(kPaletteWords, words);
}
inline QString paletteWords(const QObject& control) {
    return control.property(kPaletteWords).toString();
}

/// A field or slider that is gone to by its accessible name.
inline void offerField(QObject& field) {
    field.setProperty(kOfferedField, true);
}
inline bool isOfferedField(const QObject& field) {
    return field.property(kOfferedField).toBool();
}

/// As much of a run's name as leaves room for what is done to it.
inline QString targetName(const QString& name) {
    constexpr qsizetype kLongest = 40;
    return name.size() <= kLongest ? name : name.left(kLongest - 1) + QChar(0x2026);
}

/// Acts on what is selected on its page and cannot be named after it: nobody is offered it elsewhere.
inline void setActsOnSelection(QObject& control) {
    control.setProperty(kActsOnSelection, true);
}
inline bool actsOnSelection(const QObject& control) {
    return control.property(kActsOnSelection).toBool() || !paletteName(control).isEmpty();
}

/// Enables the control where nothing speaks against it.
template <typename Control>
void setAvailable(Control& control, const QString& why) {
    control.setEnabled(why.isEmpty());
    setDisabledReason(control, why);
}

}  // namespace dailies::ui
