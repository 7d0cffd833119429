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
#include <QScrollArea>
#include <QScrollBar>

#include <algorithm>

namespace dailies::ui {

namespace {

constexpr int kRailWidth = 128;
constexpr int kLeastFormWidth = 500;  ///< px that the rail leaves to the form, or else it is not there

}  // namespace

FormPanel::FormPanel(SweepForm* form, QWidget* parent)
    : QWidget(parent),
      m_form(form),
      m_search(new QLineEdit),
      m_changedOnly(makeButton(tr("Changed only"), ButtonKind::Ghost)),
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
    letWheelScrollPast(*form);

    auto* bar = makeRow(space::k8, {space::k16, space::k8, space::k16, space::k8});
    bar->addWidget(m_search, 1);
    bar->addWidget(m_changedOnly);
    auto* body = makeRow(0);
    body->addWidget(m_rail);
    body->addWidget(m_scroll, 1);
    auto* column = makeColumn(0);
    column->addLayout(bar);
    column->addWidget(makeLine());
    column->addWidget(m_nothing);
    column->addLayout(body, 1);
    setLayout(column);
    setMinimumWidth(kLeastFormWidth);

    connect(m_search, &QLineEdit::textChanged, this, &FormPanel::refilter);
    connect(m_changedOnly, &QPushButton::toggled, this, &FormPanel::refilter);
    connect(m_form, &SweepForm::changed, this, &FormPanel::refreshRail);
    connect(m_form, &SweepForm::revealed, this, &FormPanel::reveal);
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

void FormPanel::showKey(const std::string& key) {
    auto* row = m_form->editor(key);
    if (!row) return;
    if (!row->isVisibleTo(m_form)) {
        m_changedOnly->setChecked(false);
        m_search->clear();
    }
    if (!row->isVisibleTo(m_form)) {
        m_search->setText(QString::fromStdString(key));
        return focusSearch();
    }
    reveal(row);
    row->focusField();
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
    m_form->layout()->activate();  // a row that moved has its new place only then
    m_form->adjustSize();
    m_scroll->ensureWidgetVisible(widget, 0, kControlHeight);
}

void FormPanel::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    m_rail->setVisible(width() >= kRailWidth + kLeastFormWidth);
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
