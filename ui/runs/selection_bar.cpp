#include "ui/runs/selection_bar.h"

#include "ui/theme/theme.h"
#include "ui/widgets/fit_to_width.h"
#include "ui/widgets/palette_hints.h"
#include "ui/widgets/widgets.h"

#include <QBoxLayout>
#include <QLocale>
#include <QPushButton>
#include <QTimer>

namespace dailies::ui {

namespace {

constexpr int kNewsMs = 12'000;

}  // namespace

SelectionBar::SelectionBar(QWidget* parent)
    : QFrame(parent),
      m_notificationTimer(new QTimer(this)),
      m_text(new ElidedLabel(TextStyle::Strong)),
      m_undoButton(makeButton(tr("Undo"), ButtonKind::Ghost, QStringLiteral("undo"))),
      m_compare(makeButton(tr("Compare"), ButtonKind::Normal, QStringLiteral("compare"))),
      m_review(makeButton(tr("Review clips"), ButtonKind::Normal, QStringLiteral("review"))),
      m_tag(makeButton(tr("Edit tags…"), ButtonKind::Ghost, QStringLiteral("tag"))),
      m_cancel(makeButton(tr("Cancel jobs…"), ButtonKind::Danger, QStringLiteral("stop"))),
      m_archive(makeButton(tr("Archive"), ButtonKind::Ghost, QStringLiteral("archive"))),
      m_restore(makeButton(tr("Restore"), ButtonKind::Normal, QStringLiteral("undo"))),
      m_purge(makeButton(tr("Delete permanently…"), ButtonKind::Danger, QStringLiteral("trash"))),
      m_clear(makeButton(tr("Clear"), ButtonKind::Ghost, QStringLiteral("close"))) {
    setProperty("bar", true);
    excludeFromPalette(*this);  // the page has actions for all of it
    setFixedHeight(kControlHeight + 2 * space::k8 + 1);
    auto* row = makeRow(space::k8, {space::k16, 0, space::k16, 0});
    row->addWidget(m_text);
    row->addWidget(m_undoButton);
    row->addSpacing(space::k8);
    for (auto* button : {m_compare, m_review, m_tag, m_archive, m_restore, m_cancel, m_purge}) {
        row->addWidget(button);
    }
    row->addStretch();
    row->addWidget(m_clear);
    setLayout(row);
    m_fit = new FitToWidth(*this);
    m_fit->iconsOnly(
        {m_clear, m_archive, m_tag, m_restore, m_undoButton, m_cancel, m_purge, m_review, m_compare});
    m_fit->addStep([this](bool tight) {
        m_isShort = tight;
        showText();
    });
    m_review->setToolTip(tr("Watch the clips of these runs side by side (Ctrl+Enter)"));
    m_clear->setToolTip(tr("Select nothing (Esc)"));
    m_undoButton->setToolTip(tr("Undo (Ctrl+Z)"));
    connect(m_compare, &QPushButton::clicked, this, &SelectionBar::compareRequested);
    connect(m_review, &QPushButton::clicked, this, &SelectionBar::reviewRequested);
    connect(m_tag, &QPushButton::clicked, this, &SelectionBar::tagRequested);
    connect(m_cancel, &QPushButton::clicked, this, &SelectionBar::cancelRequested);
    connect(m_archive, &QPushButton::clicked, this, &SelectionBar::archiveRequested);
    connect(m_restore, &QPushButton::clicked, this, &SelectionBar::restoreRequested);
    connect(m_purge, &QPushButton::clicked, this, &SelectionBar::purgeRequested);
    connect(m_undoButton, &QPushButton::clicked, this, &SelectionBar::undo);
    connect(m_clear, &QPushButton::clicked, this, [this] {
        m_notification.clear();
        emit cleared();
        refresh();
    });
    m_notificationTimer->setSingleShot(true);
    m_notificationTimer->setInterval(kNewsMs);
    connect(m_notificationTimer, &QTimer::timeout, this, [this] {
        m_notification.clear();
        refresh();
    });
    refresh();
}

void SelectionBar::setState(const State& state) {
    if (state.runs > 0) {
        m_notification.clear();  // `undo` by key stays possible
    }
    m_state = state;
    refresh();
}

void SelectionBar::showUndo(const QString& what, std::function<void()> undo) {
    m_undo = std::move(undo);
    m_notification = what;
    m_notificationTimer->start();
    refresh();
}

void SelectionBar::showNotification(const QString& what) {
    showUndo(what, {});
}

bool SelectionBar::undo() {
    if (!m_undo) {
        return false;
    }
    std::exchange(m_undo, {})();
    m_notification.clear();
    refresh();
    return true;
}

/// What was done takes the room there is, and how many are selected what it needs.
void SelectionBar::showText() {
    const bool notification = !m_notification.isEmpty();
    const QString selected =
        m_state.runs == 1 ? tr("1 selected run") : tr("%L1 selected runs").arg(m_state.runs);
    m_text->setFullText(notification ? m_notification
                        : m_isShort  ? QLocale().toString(m_state.runs)
                                     : selected);
    m_text->setMinimumWidth(notification ? 0 : m_text->sizeHint().width());
    if (m_isShort && !notification) m_text->setToolTip(selected);
}

void SelectionBar::refresh() {
    const bool notification = !m_notification.isEmpty();
    const bool writable = m_state.readOnly.isEmpty();
    showText();
    m_undoButton->setVisible(notification && m_undo);
    for (auto* button : {m_compare, m_review, m_tag, m_archive}) {
        button->setVisible(!notification && !m_state.archived);
    }
    m_compare->setEnabled(m_state.runs > 1);
    m_compare->setToolTip(m_state.runs > 1 ? tr("Compare these runs side by side (C)")
                                           : tr("Select another run to compare with"));
    m_cancel->setVisible(!notification && m_state.anyActive && !m_state.archived);
    m_restore->setVisible(!notification && m_state.archived);
    m_purge->setVisible(!notification && m_state.archived);
    const auto gate = [&](QPushButton* button, const QString& tip) {
        button->setEnabled(writable);
        button->setToolTip(writable ? tip : m_state.readOnly);
    };
    gate(m_tag, tr("Add, change or remove tags of these runs (T)"));
    gate(m_archive, tr("Take these runs out of the list; they can be restored (Del)"));
    gate(m_cancel, tr("Cancel these runs' jobs"));
    gate(m_restore, tr("Put these runs back into the list"));
    gate(m_purge, tr("Permanently delete these runs and their files"));
    m_fit->fit();
    setVisible(notification || m_state.runs > 0);
}

}  // namespace dailies::ui
