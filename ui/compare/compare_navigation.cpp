// Getting around on the compare page: links to its sections, its keys, and its actions for the command
// palette.
#include "core/compare/export.h"
#include "remote/program/code_difference.h"
#include "ui/charts/chart_grid.h"
#include "ui/compare/compare_clips.h"
#include "ui/compare/compare_page.h"
#include "ui/compare/compare_table.h"
#include "ui/link/cluster_worker.h"
#include "ui/playback/playhead.h"
#include "ui/theme/icons.h"
#include "ui/widgets/palette_hints.h"
#include "ui/widgets/widgets.h"

#include <QAction>
#include <QApplication>
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
        m_links[i]->setFocusPolicy(Qt::TabFocus);  // a click leaves the keys to the page
        connect(m_links[i], &QToolButton::clicked, this, [this, i] { goToLink(static_cast<int>(i)); });
        row->addWidget(m_links[i]);
    }
    row->addStretch();
    bar->setLayout(row);
    return bar;
}

void ComparePage::showLinks() {
    m_gone.reset();  // there may be other sections now
    QStringList titles;
    for (const auto& line : m_table->lines())
        if (line.kind == compare::Line::Kind::Section) titles << sanitized(line.section->title);
    titles << m_clipsTitle->text() << m_chartsTitle->text();
    for (std::size_t i = 0; i < m_links.size(); ++i) {
        const auto at = static_cast<qsizetype>(i);
        m_links[i]->setVisible(at < titles.size());
        if (at < titles.size()) {
            const QString name = tr("Go to %1").arg(titles[at]);
            m_links[i]->setText(titles[at]);
            m_links[i]->setAccessibleName(name);
            m_links[i]->setToolTip(tr("%1 (↑ ↓)").arg(name));
        }
    }
    markLink();
}

/// The section at the top of what is seen, and the last one at the end of the sheet. A link that was followed
/// is marked until somebody scrolls: the sheet's end may keep its section from the top.
void ComparePage::markLink() {
    const auto tops = sectionTops();
    const QScrollBar* bar = m_scroll->verticalScrollBar();
    const auto after = std::upper_bound(tops.begin(), tops.end(), bar->value() + kRowHeight);
    auto here = std::max<std::ptrdiff_t>(0, after - tops.begin() - 1);
    if (m_gone && m_gone->second == bar->value())
        here = m_gone->first;
    else if (bar->maximum() > 0 && bar->value() == bar->maximum())
        here = static_cast<std::ptrdiff_t>(tops.size()) - 1;
    for (std::size_t i = 0; i < m_links.size(); ++i)
        m_links[i]->setChecked(static_cast<std::ptrdiff_t>(i) == here);
}

void ComparePage::goToLink(int link) {
    const auto tops = sectionTops();
    QScrollBar* bar = m_scroll->verticalScrollBar();
    if (link < static_cast<int>(tops.size())) {
        bar->setValue(tops[static_cast<std::size_t>(link)]);
        m_gone = {link, bar->value()};
    }
    markLink();
}

/// Presses the button that has the focus, as Space does; false: none has it.
bool ComparePage::pressFocused() const {
    auto* button = qobject_cast<QAbstractButton*>(QApplication::focusWidget());
    if (!button || !isAncestorOf(button)) return false;
    button->click();
    return true;
}

void ComparePage::makeActions() {
    const auto add = [this](const QString& iconName, const QString& text, bool needsTwo, auto call) {
        auto* action = new QAction(icon(iconName), text, this);
        connect(action, &QAction::triggered, this, call);
        addAction(action);
        m_actions.emplace_back(action, needsTwo);
        return action;
    };
    const auto current = [this] { return m_data.runs[static_cast<std::size_t>(m_current)]->id; };
    add(QStringLiteral("star-filled"), tr("Best run as reference"), true, [this] { setBestAsReference(); });
    m_useCurrent = add(QStringLiteral("star"), tr("Use this run as reference"), true,
                       [this, current] { setReference(current()); });
    add(QStringLiteral("filter"), tr("Differences only"), true, [this] { m_differences->toggle(); });
    add(QStringLiteral("search"), tr("Find a key or a value"), true, [this] {
        m_search->setFocus();
    })->setShortcuts({QKeySequence::Find, QKeySequence(Qt::Key_Slash)});
    add(QStringLiteral("copy"), tr("Copy comparison as Markdown"), true,
        [this] { copy(markdown(), tr("Markdown")); });
    add(QStringLiteral("copy"), tr("Copy comparison as CSV"), true, [this] { copy(csv(), tr("CSV")); });
    m_openCurrent = add(QStringLiteral("open"), tr("Open run"), false,
                        [this, current] { emit openRunRequested(current()); });
    m_removeCurrent = add(QStringLiteral("close"), tr("Remove run from the comparison"), false,
                          [this, current] { removeRun(current()); });
    m_compareCode =
        add(QStringLiteral("branch"), tr("Compare code with the reference"), true, [this] { compareCode(); });
    connect(&m_worker, &ClusterWorker::codeCompared, this, &ComparePage::showCode);
    add(QStringLiteral("play"), tr("Play or pause"), true, [this] { m_clips->playhead().toggle(); });
    add(QStringLiteral("review"), tr("Go to clips"), true,
        [this] { goToLink(static_cast<int>(sectionTops().size()) - 2); });
    add(QStringLiteral("chart"), tr("Go to curves"), true,
        [this] { goToLink(static_cast<int>(sectionTops().size()) - 1); });
}

void ComparePage::updateActions() {
    const auto runs = m_data.runs.size();
    const QString one = runs > 0 ? QString() : tr("Choose runs first");
    const QString two = runs > 1 ? QString() : tr("Choose at least 2 runs first");
    for (const auto& [action, needsTwo] : m_actions) setAvailable(*action, needsTwo ? two : one);
    setAvailable(*m_bestFirst, two);
    const auto current = static_cast<std::size_t>(std::max(m_current, 0));
    const QString target = current < runs ? targetName(sanitized(m_data.runs[current]->name)) : QString();
    for (const auto& [action, named] :
         {std::pair{m_openCurrent, tr("Open %1")}, std::pair{m_useCurrent, tr("Use %1 as reference")},
          std::pair{m_removeCurrent, tr("Remove %1 from the comparison")}})
        setPaletteName(*action, target.isEmpty() ? QString() : named.arg(target));
    QString whyNot;
    const auto* other = runWithOtherCode(&whyNot);
    setAvailable(*m_compareCode, whyNot);
    setPaletteName(
        *m_compareCode,
        other ? tr("Compare the code of %1 with the reference's").arg(targetName(sanitized(other->name)))
              : QString());
    m_code->setVisible(
        std::ranges::any_of(m_data.runs, [](const auto& run) { return remote::hasCode(*run); }));
    setAvailable(*m_code, whyNot);
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
            if (pressFocused()) return;
            return any ? emit openRunRequested(currentId()) : event->ignore();
        case Qt::Key_Space:
            return m_clips->playhead().toggle();
        case Qt::Key_BracketLeft:
            return m_clips->stepBy(-1);
        case Qt::Key_BracketRight:
            return m_clips->stepBy(1);
        case Qt::Key_C:
            return control && m_copy->isEnabled() ? copy(markdown(), tr("Markdown")) : event->ignore();
        case Qt::Key_Escape:
            return emit backRequested();
        default:
            QWidget::keyPressEvent(event);
    }
}

}  // namespace dailies::ui
