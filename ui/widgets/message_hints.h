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
inline constexpr const char* kPlaceOfMessages = "placeOfMessages";

/// Nothing else of a page may be covered while this widget is in view: messages stand in it, one at a time
/// and flat. It is as high as `kFlatMessageHeight`.
inline constexpr int kFlatMessageHeight = 36;
inline void giveToMessages(QWidget& strip) {
    strip.setFixedHeight(kFlatMessageHeight);
    strip.setProperty(kPlaceOfMessages, true);
}
inline bool isPlaceOfMessages(const QWidget& widget) {
    return widget.property(kPlaceOfMessages).toBool();
}

inline bool isKeptClearOfMessages(const QWidget& widget) {
    return widget.property(kClearOfMessages).toBool();
}

}  // namespace dailies::ui
