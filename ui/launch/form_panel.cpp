#include "ui/launch/form_panel.h"

#include "ui/launch/field_editor.h"
#include "ui/launch/sweep_form.h"
#include "ui/theme/icons.h"
#include "ui/widgets/wheel_guard.h"
#include "ui/widgets/widgets.h"

#include <QBoxLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QPointer>
#include <QScrollArea>
#include <QScrollBar>
#include <QTimer>

#include <algorithm>

namespace dailies::ui {

namespace {

constexpr int kRailWidth = 128;

}  // namespace

FormPanel::FormPanel(SweepForm* form, QWidget* parent)
    : QWidget(parent),
      m_form(form),
      m_search(new QLineEdit),
      m_changedOnly(makeButton(tr("Changed only"), ButtonKind::Ghost)),
      m_broken(new QWidget),
      m_nothing(makeLabel(tr("No setting matches."), TextStyle::Body, TextTone::Muted)),
      m_rail(new QListWidget),
      m_scroll(new QScrollArea) {
    m_search->setPlaceholderText(tr("Find a setting"));
    m_search->setAccessibleName(tr("Find a setting"));
    m_search->setToolTip(tr("By name, key or description (Ctrl+F)"));
    m_search->addAction(icon(QStringLiteral("search")), QLineEdit::LeadingPosition);
    m_search->setClearButtonEnabled(true);
    m_search->installEventFilter(this);
    m_changedOnly->setCheckable(true);
    m_changedOnly->setToolTip(tr("Show only the settings that differ from their defaults"));
    m_nothing->setContentsMargins(space::k16, space::k16, space::k16, 0);
    m_nothing->hide();

    m_rail->setAccessibleName(tr("Sections of the form"));
    m_rail->setFixedWidth(kRailWidth);
    m_rail->setObjectName(QStringLiteral("rail"));
    m_rail->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    for (const auto& section : form->sections()) {
        auto* item = new QListWidgetItem(section.title, m_rail);
        item->setSizeHint({0, kControlHeight});
        item->setToolTip(section.title);
    }
    m_scroll->setWidget(form);
    m_scroll->setWidgetResizable(true);
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    ignoreUnfocusedWheel(*form);

    auto* bar = makeRow(space::k8, {space::k16, space::k8, space::k16, space::k8});
    bar->addWidget(m_search, 1);
    bar->addWidget(m_changedOnly);
    auto* brokenRow = makeRow(space::k8, {space::k16, space::k8, space::k16, space::k8});
    brokenRow->addWidget(makeLabel(tr("Fix the YAML to edit the form."), TextStyle::Body, TextTone::Danger),
                         1);
    auto* discard = makeButton(tr("Discard YAML edits"));
    brokenRow->addWidget(discard);
    m_broken->setLayout(brokenRow);
    m_broken->hide();
    connect(discard, &QPushButton::clicked, this, &FormPanel::yamlDiscarded);
    auto* body = makeRow(0);
    body->addWidget(m_rail);
    body->addWidget(m_scroll, 1);
    auto* column = makeColumn(0);
    column->addLayout(bar);
    column->addWidget(makeLine());
    column->addWidget(m_broken);
    column->addWidget(m_nothing);
    column->addLayout(body, 1);
    setLayout(column);

    connect(m_search, &QLineEdit::textChanged, this, &FormPanel::refilter);
    connect(m_changedOnly, &QPushButton::toggled, this, &FormPanel::refilter);
    connect(m_form, &SweepForm::changed, this, &FormPanel::refreshRail);
    connect(m_form, &SweepForm::sectionsChanged, this, &FormPanel::fitRail);
    connect(m_form, &SweepForm::revealRequested, this, &FormPanel::reveal);
    connect(m_rail, &QListWidget::itemClicked, this,
            [this](QListWidgetItem* item) { goTo(m_rail->row(item)); });
    connect(m_rail, &QListWidget::itemActivated, this,
            [this](QListWidgetItem* item) { goTo(m_rail->row(item)); });
    connect(m_scroll->verticalScrollBar(), &QScrollBar::valueChanged, this, &FormPanel::showPlace);
    refreshRail();
}

void FormPanel::focusSearch() {
    m_search->setFocus(Qt::ShortcutFocusReason);
    m_search->selectAll();
}

void FormPanel::setYamlBroken(bool broken) {
    m_broken->setVisible(broken);
    m_form->setEnabled(!broken);
}

void FormPanel::showRow(FieldEditor& row) {
    m_search->clear();
    m_changedOnly->setChecked(false);
    row.show();
    row.focusField();
    reveal(&row);
}

void FormPanel::refilter() {
    m_form->showOnly(m_search->text(), m_changedOnly->isChecked());
    m_scroll->verticalScrollBar()->setValue(0);
    refreshRail();
}

void FormPanel::refreshRail() {
    bool any = false;
    for (int row = 0; row < m_rail->count(); ++row) {
        const bool shown = !m_form->sections()[static_cast<std::size_t>(row)].card->isHidden();
        m_rail->item(row)->setHidden(!shown);
        any = any || shown;
    }
    m_nothing->setVisible(!any && !m_form->firstShown());
    showPlace();
}

/// The section at the top of the view.
void FormPanel::showPlace() {
    const int top = m_scroll->verticalScrollBar()->value() + space::k24;
    int current = 0;
    for (int row = 0; row < m_rail->count(); ++row) {
        const auto* card = m_form->sections()[static_cast<std::size_t>(row)].card;
        if (!card->isHidden() && card->y() <= top) {
            current = row;
        }
    }
    m_rail->setCurrentRow(current);
}

void FormPanel::goTo(int section) {
    const auto* card = m_form->sections()[static_cast<std::size_t>(section)].card;
    m_scroll->verticalScrollBar()->setValue(card->y() - space::k16);
    m_rail->setCurrentRow(section);
}

void FormPanel::reveal(QWidget* widget) {
    // a row that moved has its new place only after its layouts had their turn
    QTimer::singleShot(0, this, [this, shown = QPointer<QWidget>(widget)] {
        if (shown) m_scroll->ensureWidgetVisible(shown, 0, kControlHeight);
    });
}

void FormPanel::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    fitRail();
}

void FormPanel::fitRail() {
    m_rail->setVisible(width() >= kRailWidth + minimumSizeHint().width());
}

/// The form is never cut: it has no horizontal scroll bar.
QSize FormPanel::minimumSizeHint() const {
    const int bar = m_scroll->verticalScrollBar()->sizeHint().width();
    return {m_form->minimumSizeHint().width() + bar, QWidget::minimumSizeHint().height()};
}

bool FormPanel::eventFilter(QObject* watched, QEvent* event) {
    if (watched == m_search && event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        if (key == Qt::Key_Escape && !m_search->text().isEmpty()) {
            m_search->clear();
            return true;
        }
        if (auto* row = m_form->firstShown(); row && (key == Qt::Key_Return || key == Qt::Key_Enter)) {
            reveal(row);
            row->focusField();
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

}  // namespace dailies::ui
