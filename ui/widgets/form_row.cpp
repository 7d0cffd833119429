#include "ui/widgets/form_row.h"

#include "ui/widgets/widgets.h"

#include <QAbstractButton>
#include <QAbstractSpinBox>
#include <QBoxLayout>
#include <QComboBox>
#include <QLineEdit>
#include <QPlainTextEdit>

namespace dailies::ui {

QWidget* makeFormRow(const QString& label, QWidget* field, const QString& help, int labelWidth) {
    auto* name = makeLabel(label, TextStyle::Body, TextTone::Muted);
    name->setFixedWidth(labelWidth);
    name->setBuddy(field);
    field->setAccessibleName(label);
    auto* layout = makeRow(space::k8);
    layout->addWidget(name);
    layout->addWidget(field, 1);
    auto* row = new QWidget;
    row->setToolTip(help);
    row->setLayout(layout);
    return row;
}

QStringList valuesIn(const QWidget& row) {
    QStringList values;
    for (const auto* field : row.findChildren<QWidget*>()) {
        if (!field->isVisibleTo(&row)) continue;
        if (const auto* box = qobject_cast<const QComboBox*>(field)) {
            values << box->currentText();
        } else if (const auto* number = qobject_cast<const QAbstractSpinBox*>(field)) {
            values << number->text();
        } else if (const auto* line = qobject_cast<const QLineEdit*>(field)) {
            values << line->text();
        } else if (const auto* text = qobject_cast<const QPlainTextEdit*>(field)) {
            values << text->toPlainText();
        } else if (const auto* button = qobject_cast<const QAbstractButton*>(field);
                   button && button->isCheckable()) {
            values << QString::number(button->isChecked());
        }
    }
    return values;
}

std::string trimmedText(const QLineEdit* edit) {
    return edit->text().trimmed().toStdString();
}

}  // namespace dailies::ui
