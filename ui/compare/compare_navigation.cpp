// Getting around on the compare page: links to its sections, its keys, and its actions for the command
// palette.
#include "core/compare/export.h"
#include "ui/charts/chart_grid.h"
#include "ui/compare/compare_clips.h"
#include "ui/compare/compare_page.h"
#include "ui/compare/compare_table.h"
#include "ui/review/playhead.h"
#include "ui/theme/icons.h"
#include "ui/widgets/widgets.h"

#include <QAction>
#include <QBoxLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QScrollArea>
#include <QScrollBar>
#include <QToolButton>

#include <algorithm>

namespace dailies::ui {

/// Of the sections that there are, in their order on the sheet.
std::vector<int> ComparePage::sectionTops() const {
    std::vector<int> tops;
    if (m_table->isVisibleTo(m_scroll->widget()))
        for (const int top : m_table->sectionTops()) tops.push_back(m_table->y() + top);
    tops.push_back(m_clipsTitle->y());
    tops.push_back(m_chartsTitle->y());
    return tops;
}

QWidget* ComparePage::makeLinks() {
    auto* bar = new QWidget;
    auto* row = makeRow(space::k4, {space::k8, space::k4, space::k8, space::k4});
    for (std::size_t i = 0; i < m_links.size(); ++i) {
        m_links[i] = new QToolButton;
        m_links[i]->setAutoRaise(true);
        m_links[i]->setCheckable(true);
        m_links[i]->setFocusPolicy(Qt::NoFocus);
        connect(m_links[i], &QToolButton::clicked, this, [this, i] { goToLink(static_cast<int>(i)); });
        row->addWidget(m_links[i]);
    }
    row->addStretch();
    bar->setLayout(row);
    return bar;
}

void ComparePage::showLinks() {
    QStringList titles;
    for (const auto& line : m_table->lines())
        if (line.kind == compare::Line::Kind::Section) titles << inert(line.section->title);
    titles << m_clipsTitle->text() << m_chartsTitle->text();
    for (std::size_t i = 0; i < m_links.size(); ++i) {
        const auto at = static_cast<qsizetype>(i);
        m_links[i]->setVisible(at < titles.size());
        if (at < titles.size()) {
            m_links[i]->setText(titles[at]);
            m_links[i]->setToolTip(tr("Go to %1 (↑ ↓)").arg(titles[at]));
        }
    }
    markLink();
}

/// The section at the top of what is seen; the last one that can be reached, at the end of the sheet.
void ComparePage::markLink() {
    const auto tops = sectionTops();
    const QScrollBar* bar = m_scroll->verticalScrollBar();
    const auto after = std::upper_bound(tops.begin(), tops.end(), bar->value() + kRowHeight);
    const auto here = std::max<std::ptrdiff_t>(0, after - tops.begin() - 1);
    for (std::size_t i = 0; i < m_links.size(); ++i)
        m_links[i]->setChecked(static_cast<std::ptrdiff_t>(i) == here);
}

void ComparePage::goToLink(int link) {
    const auto tops = sectionTops();
    if (link < static_cast<int>(tops.size()))
        m_scroll->verticalScrollBar()->setValue(tops[static_cast<std::size_t>(link)]);
    markLink();
}

void ComparePage::makeActions() {
    const auto add = [this](const QString& iconName, const QString& text, bool needsTwo, auto call) {
        auto* action = new QAction(icon(iconName), text, this);
        connect(action, &QAction::triggered, this, call);
        addAction(action);
        m_actions.emplace_back(action, needsTwo);
    };
    const auto current = [this] { return m_data.runs[static_cast<std::size_t>(m_current)]->id; };
    add(QStringLiteral("star-filled"), tr("Best run as reference"), true, [this] { setBestAsReference(); });
    add(QStringLiteral("star"), tr("Use this run as reference"), true,
        [this, current] { setReference(current()); });
    add(QStringLiteral("filter"), tr("Differences only"), true, [this] { m_differences->toggle(); });
    add(QStringLiteral("search"), tr("Find a key or a value"), true, [this] { m_search->setFocus(); });
    add(QStringLiteral("copy"), tr("Copy comparison as Markdown"), true,
        [this] { copy(markdown(), tr("Markdown")); });
    add(QStringLiteral("copy"), tr("Copy comparison as CSV"), true, [this] { copy(csv(), tr("CSV")); });
    add(QStringLiteral("open"), tr("Open run"), false, [this, current] { emit runOpened(current()); });
    add(QStringLiteral("close"), tr("Remove run from the comparison"), false,
        [this, current] { removeRun(current()); });
    add(QStringLiteral("play"), tr("Play or pause clips"), true, [this] { m_clips->playhead().toggle(); });
    add(QStringLiteral("review"), tr("Go to clips"), true,
        [this] { goToLink(static_cast<int>(sectionTops().size()) - 2); });
    add(QStringLiteral("chart"), tr("Go to curves"), true,
        [this] { goToLink(static_cast<int>(sectionTops().size()) - 1); });
}

void ComparePage::updateActions() {
    const auto runs = m_data.runs.size();
    for (const auto& [action, needsTwo] : m_actions) action->setEnabled(runs >= (needsTwo ? 2u : 1u));
    m_bestFirst->setEnabled(runs >= 2);
}

void ComparePage::goToSection(int by) {
    const auto tops = sectionTops();
    QScrollBar* bar = m_scroll->verticalScrollBar();
    if (by > 0) {
        const auto next = std::upper_bound(tops.begin(), tops.end(), bar->value());
        bar->setValue(next == tops.end() ? bar->maximum() : *next);
    } else {
        const auto here = std::lower_bound(tops.begin(), tops.end(), bar->value());
        bar->setValue(here == tops.begin() ? 0 : *std::prev(here));
    }
}

void ComparePage::keyPressEvent(QKeyEvent* event) {
    const bool control = event->modifiers() & Qt::ControlModifier;
    const int last = static_cast<int>(m_data.runs.size()) - 1;
    const bool any = last >= 0;
    const auto currentId = [this] { return m_data.runs[static_cast<std::size_t>(m_current)]->id; };
    QScrollBar* bar = m_scroll->verticalScrollBar();
    switch (event->key()) {
        case Qt::Key_Left:
        case Qt::Key_Right: {
            if (!any || (event->modifiers() & Qt::AltModifier)) return event->ignore();
            const int to = std::clamp(m_current + (event->key() == Qt::Key_Left ? -1 : 1), 0, last);
            return control ? moveRun(m_current, to) : setCurrent(to);
        }
        case Qt::Key_Up:
            return goToSection(-1);
        case Qt::Key_Down:
            return goToSection(1);
        case Qt::Key_PageUp:
            return bar->triggerAction(QAbstractSlider::SliderPageStepSub);
        case Qt::Key_PageDown:
            return bar->triggerAction(QAbstractSlider::SliderPageStepAdd);
        case Qt::Key_Home:
            return bar->setValue(0);
        case Qt::Key_End:
            return bar->setValue(bar->maximum());
        case Qt::Key_D:
            return m_differences->toggle();
        case Qt::Key_B:
            return m_bestFirst->isEnabled() ? setBestAsReference() : event->ignore();
        case Qt::Key_S:
            return any ? setReference(currentId()) : event->ignore();
        case Qt::Key_Delete:
        case Qt::Key_X:
            return any ? removeRun(currentId()) : event->ignore();
        case Qt::Key_Return:
        case Qt::Key_Enter:
            return any ? emit runOpened(currentId()) : event->ignore();
        case Qt::Key_Space:
            return m_clips->playhead().toggle();
        case Qt::Key_BracketLeft:
            return m_clips->stepBy(-1);
        case Qt::Key_BracketRight:
            return m_clips->stepBy(1);
        case Qt::Key_Slash:
            return m_search->setFocus();
        case Qt::Key_F:
            return control ? m_search->setFocus() : event->ignore();
        case Qt::Key_C:
            return control && m_copy->isEnabled() ? copy(markdown(), tr("Markdown")) : event->ignore();
        case Qt::Key_Escape:
            return emit backRequested();
        default:
            QWidget::keyPressEvent(event);
    }
}

}  // namespace dailies::ui
