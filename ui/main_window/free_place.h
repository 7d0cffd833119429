#pragma once

#include <QRect>
#include <QSize>

#include <optional>
#include <vector>

class QWidget;

namespace dailies::ui {

/// Where a person may want to click or read a value in `window`, in its coordinates: buttons, fields, sliders
/// and what is kept clear (ui/widgets/message_hints.h), as far as they can be seen; nothing of `except`.
std::vector<QRect> controlsOf(const QWidget& window, const QWidget& except);

/// The strip that the page on show gives to messages, in the window's coordinates; nullopt where it gives
/// none.
std::optional<QRect> stripForMessages(const QWidget& window);

/// The place of that size nearest the lower right corner of `area` that touches none of `taken`, with `gap`
/// between; nullopt where there is none.
std::optional<QRect> freePlace(const QSize& size, const QRect& area, const std::vector<QRect>& taken,
                               int gap);

/// The place along the right edge that covers the least of `taken`.
QRect leastCoveringPlace(const QSize& size, const QRect& area, const std::vector<QRect>& taken);

}  // namespace dailies::ui
