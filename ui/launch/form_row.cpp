#include "ui/launch/form_row.h"

#include "ui/widgets/widgets.h"

#include <QBoxLayout>

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

}  // namespace dailies::ui
