#pragma once

#include <QVariant>
#include <QWidget>

/// What a page tells the window's messages of its parts, kept as a property of theirs.
namespace dailies::ui {

inline constexpr const char* kClearOfMessages = "clearOfMessages";

/// Messages never lie over this widget. Buttons, fields and sliders are kept clear anyway: this is for what
/// they cannot know to be one, such as a bar with readouts.
inline void keepClearOfMessages(QWidget& widget) {
    widget.setProperty(kClearOfMessages, true);
}
inline bool isKeptClearOfMessages(const QWidget& widget) {
    return widget.property(kClearOfMessages).toBool();
}

}  // namespace dailies::ui
