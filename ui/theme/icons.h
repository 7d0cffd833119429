#pragma once

#include <QIcon>

namespace dailies::ui {

/// A line icon of resources/icons by its file's name ("play", "chevron-down"), drawn in the colour of the
/// theme that is current when it is painted: muted, accent when on, faint when disabled. Never needs to be
/// made again when the theme changes.
QIcon icon(const QString& name);

/// The same in one fixed colour (a status, text on the accent).
QIcon icon(const QString& name, const QColor& color);

}  // namespace dailies::ui
