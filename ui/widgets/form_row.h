#pragma once

#include <QStringList>

#include <string>

class QLineEdit;
class QWidget;

namespace dailies::ui {

/// Of the launch page's rows, px.
inline constexpr int kFormLabelWidth = 128;

/// A label and its field, side by side: the field is the label's buddy and has its name. The row takes the
/// field and is its parent, so that hiding `field->parentWidget()` hides both.
QWidget* makeFormRow(const QString& label, QWidget* field, const QString& help, int labelWidth);

/// What the fields within a row hold, to compare: of those that it shows, whether or not it is shown itself.
QStringList valuesIn(const QWidget& row);

/// What was typed, without spaces around it.
std::string trimmedText(const QLineEdit* edit);

}  // namespace dailies::ui
