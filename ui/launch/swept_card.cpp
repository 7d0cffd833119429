#include "ui/launch/swept_card.h"

#include "ui/launch/field_editor.h"
#include "ui/widgets/form_row.h"
#include "ui/widgets/widgets.h"

#include <QBoxLayout>
#include <QPushButton>

#include <algorithm>
#include <functional>

namespace dailies::ui {

namespace {

QWidget* makePlaceholder(const FieldEditor& editor, const std::function<void()>& follow) {
    auto* row = makeRow(space::k8);
    auto* label = makeLabel(QString::fromStdString(editor.field().label), TextStyle::Body, TextTone::Muted);
    label->setFixedWidth(kFormLabelWidth);
    row->addWidget(label);
    auto* link = makeButton(SweptCard::tr("Swept (moved to the top)"), ButtonKind::Ghost);
    QObject::connect(link, &QPushButton::clicked, link, follow);
    row->addWidget(link);
    row->addStretch();
    auto* placeholder = new QWidget;
    placeholder->setLayout(row);
    return placeholder;
}

}  // namespace

SweptCard::SweptCard(QWidget* parent) : QFrame(parent), m_column(new QVBoxLayout(this)) {
    setProperty("card", true);
    m_column->setContentsMargins(space::k16, space::k12, space::k16, space::k16);
    m_column->setSpacing(space::k8);
    auto* heading = makeLabel(tr("Swept"), TextStyle::Strong);
    heading->setContentsMargins(0, 0, 0, space::k4);
    m_column->addWidget(heading);
    hide();
}

QWidget* SweptCard::placeholderOf(const FieldEditor* editor) const {
    const auto pinned = std::ranges::find(m_pinned, editor, &Pinned::editor);
    return pinned == m_pinned.end() ? nullptr : pinned->placeholder;
}

void SweptCard::pin(FieldEditor* editor, QVBoxLayout* home) {
    auto* placeholder = makePlaceholder(*editor, [this, editor] { emit followed(editor); });
    delete home->replaceWidget(editor, placeholder);
    placeholder->show();
    m_column->addWidget(editor);
    editor->show();
    m_pinned.push_back({editor, placeholder, home});
}

void SweptCard::unpin(FieldEditor* editor) {
    const auto pinned = std::ranges::find(m_pinned, editor, &Pinned::editor);
    if (pinned == m_pinned.end()) {
        return;
    }
    m_column->removeWidget(editor);
    delete pinned->home->replaceWidget(pinned->placeholder, editor);
    // it may be the sender's parent
    pinned->placeholder->hide();
    pinned->placeholder->deleteLater();
    m_pinned.erase(pinned);
}

}  // namespace dailies::ui
