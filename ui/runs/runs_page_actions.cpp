// What a person can do on the Runs page: each action once, for menus, keys and the command palette.
#include "core/compare/params_yaml.h"
#include "core/tracking/run_color.h"
#include "core/tracking/run_tags.h"
#include "ui/compare/compare_data.h"
#include "ui/link/cluster_worker.h"
#include "ui/run_details/run_gates.h"
#include "ui/run_details/step_dialogs.h"
#include "ui/runs/purge_dialog.h"
#include "ui/runs/run_table.h"
#include "ui/runs/runs_page.h"
#include "ui/runs/selection_bar.h"
#include "ui/runs/tag_editor.h"
#include "ui/theme/icons.h"
#include "ui/theme/run_colors.h"
#include "ui/widgets/palette_hints.h"
#include "ui/widgets/widgets.h"

#include <QAction>
#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QKeyEvent>
#include <QMenu>
#include <QMessageBox>
#include <QPainter>
#include <QPixmap>
#include <QTableView>
#include <QToolButton>

#include <algorithm>
#include <map>

namespace dailies::ui {

namespace {

constexpr const char* kName = "mlflow.runName";

void copy(const QString& text) {
    QApplication::clipboard()->setText(text);
}

QIcon dotOf(std::size_t color) {
    QPixmap picture(32, 32);
    picture.fill(Qt::transparent);
    QPainter painter(&picture);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(RunColors::tint(color));
    painter.drawEllipse(4, 4, 24, 24);
    return picture;
}

QString capitalised(std::string_view word) {
    QString text = QString::fromLatin1(word.data(), static_cast<qsizetype>(word.size()));
    text[0] = text[0].toUpper();
    return text;
}

}  // namespace

void RunsPage::makeActions() {
    // In the table alone keys are single letters: the charts and the details have letters of their own.
    enum Where { InTable, OnPage };
    const auto add = [this](const QString& iconName, const QString& text, const QList<QKeySequence>& keys,
                            Where where, auto call) {
        auto* action = new QAction(icon(iconName), text, this);
        action->setShortcuts(keys);
        // of the page on show: also right after the start, when nothing in it has the focus yet
        action->setShortcutContext(where == InTable ? Qt::WidgetShortcut : Qt::WindowShortcut);
        connect(action, &QAction::triggered, this, call);
        addAction(action);
        if (where == InTable) {
            m_table->addAction(action);
        }
        return action;
    };
    const auto copyEach = [this](auto textOf) {
        return [this, textOf] {
            QStringList texts;
            for (const auto& id : m_selection) {
                if (const auto run = m_model.find(id)) {
                    texts << QString::fromStdString(textOf(*run));
                }
            }
            copy(texts.join(QLatin1Char('\n')));
        };
    };
    const QString none;
    m_commands.filter = add(QStringLiteral("search"), tr("Filter runs"),
                            {QKeySequence(Qt::CTRL | Qt::Key_F), QKeySequence(Qt::Key_Slash)}, OnPage,
                            [this] { focusFilter(); });
    m_commands.group = add(QStringLiteral("group"), tr("Group runs…"), {QKeySequence(Qt::Key_G)}, InTable,
                           [this] { m_group->showMenu(); });
    using By = Grouping::By;
    for (const auto& [text, by] : {std::pair{tr("Do not group runs"), By::None},
                                   {tr("Group runs by sweep"), By::Sweep},
                                   {tr("Group runs by status"), By::Status},
                                   {tr("Group runs by experiment"), By::Experiment}}) {
        m_commands.groupings.push_back(
            add(QStringLiteral("group"), text, {}, OnPage, [this, by = by] { groupBy({by}); }));
    }
    m_commands.columns = add(QStringLiteral("columns"), tr("Choose columns…"), {QKeySequence(Qt::Key_K)},
                             InTable, [this] { chooseColumns(); });
    m_commands.differs = add(QStringLiteral("filter"), tr("Differences only"), {QKeySequence(Qt::Key_D)},
                             InTable, [this] { m_differs->toggle(); });
    m_commands.differs->setCheckable(true);
    m_commands.differs->setChecked(m_differs->isChecked());
    connect(m_differs, &QToolButton::toggled, m_commands.differs, &QAction::setChecked);

    m_commands.open = add(QStringLiteral("open"), tr("Open run"), {}, InTable,
                          [this] { emit openRunRequested(m_selection.front()); });
    m_commands.compare = add(QStringLiteral("compare"), tr("Compare runs"), {QKeySequence(Qt::Key_C)},
                             InTable, [this] { compareSelected(); });
    m_commands.review =
        add(QStringLiteral("review"), tr("Review clips"), {QKeySequence(Qt::CTRL | Qt::Key_Return)}, OnPage,
            [this] { emit reviewRequested(selectedOrShownRuns()); });
    m_commands.pin = add(QStringLiteral("pin"), tr("Pin runs"), {QKeySequence(Qt::Key_P)}, InTable,
                         [this] { togglePinned(); });
    m_commands.hide = add(QStringLiteral("eye-off"), tr("Hide curves"), {QKeySequence(Qt::Key_H)}, InTable,
                          [this] { toggleHidden(m_selection); });
    m_commands.showAll = add(QStringLiteral("eye"), tr("Show all hidden curves"), {}, OnPage, [this] {
        m_model.setHidden({});
        m_views->stateChanged();
    });
    m_commands.rename = add(QStringLiteral("pen"), tr("Rename run"), {QKeySequence(Qt::Key_F2)}, InTable,
                            [this] { renameSelected(); });
    for (std::size_t color = 0; color < tracking::kRunColors.size(); ++color) {
        auto* action = new QAction(capitalised(tracking::kRunColors[color]), this);
        connect(action, &QAction::triggered, this, [this, color] { colorSelected(color); });
        m_commands.colors.push_back(action);
    }
    const auto tint = [this] {
        for (std::size_t color = 0; color < m_commands.colors.size(); ++color) {
            m_commands.colors[color]->setIcon(dotOf(color));
        }
    };
    connect(&Theme::instance(), &Theme::changed, this, tint);
    tint();
    m_commands.color = add(QStringLiteral("palette"), tr("Choose colour…"), {}, OnPage, [this] {
        auto* menu = new QMenu(this);
        menu->setAttribute(Qt::WA_DeleteOnClose);
        menu->addActions({m_commands.colors.begin(), m_commands.colors.end()});
        const QModelIndex first = m_model.index(std::max(0, m_model.rowOf(m_selection.front())), 0);
        menu->popup(m_table->viewport()->mapToGlobal(m_table->visualRect(first).bottomLeft()));
    });
    m_commands.tags = add(QStringLiteral("tag"), tr("Edit tags…"), {QKeySequence(Qt::Key_T)}, InTable,
                          [this] { editTags(); });
    m_commands.fork = add(QStringLiteral("branch"), tr("Fork with changed params…"), {}, OnPage,
                          [this] { emit forkRequested(m_selection.front()); });
    m_commands.extend = add(QStringLiteral("play"), tr("Extend…"), {}, OnPage, [this] { extendSelected(); });
    m_commands.sample = add(QStringLiteral("image"), tr("Sample clips…"), {}, OnPage,
                            [this] { emit sampleRequested(m_selection); });
    m_commands.launchRun = add(QStringLiteral("launch"), tr("Launch run again"), {}, OnPage,
                               [this] { m_worker.relaunchRun(m_selection.front(), false); });
    m_commands.launchSweep = add(QStringLiteral("launch"), tr("Launch its sweep again"), {}, OnPage,
                                 [this] { m_worker.relaunchRun(m_selection.front(), true); });

    m_commands.copyRows = add(QStringLiteral("copy"), tr("Copy rows"), {QKeySequence(QKeySequence::Copy)},
                              InTable, [this] { copyRows(); });
    m_commands.copyIds = add(QStringLiteral("copy"), tr("Copy IDs"), {}, OnPage,
                             copyEach([](const tracking::Run& run) { return run.id; }));
    m_commands.copyNames = add(QStringLiteral("copy"), tr("Copy names"), {}, OnPage,
                               copyEach([](const tracking::Run& run) { return run.name; }));
    m_commands.copyParams =
        add(QStringLiteral("copy"), tr("Copy params as YAML"), {}, OnPage,
            copyEach([](const tracking::Run& run) { return compare::paramsToYaml(run); }));
    m_commands.copyShown = add(QStringLiteral("copy"), tr("Copy all rows shown"), {}, OnPage,
                               [this] { copy(rowsAsTsv(m_model, selectedOrShownRuns())); });

    m_commands.cancel =
        add(QStringLiteral("stop"), tr("Cancel jobs…"), {}, OnPage, [this] { cancelSelected(); });
    m_commands.archive =
        add(QStringLiteral("archive"), tr("Archive runs"),
            {QKeySequence(Qt::Key_Delete), QKeySequence(Qt::Key_A)}, InTable, [this] { archiveSelected(); });
    m_commands.restore = add(QStringLiteral("undo"), tr("Restore runs"), {}, OnPage,
                             [this] { m_actions.restore(m_selection); });
    m_commands.purge = add(QStringLiteral("trash"), tr("Delete permanently…"), {}, OnPage, [this] {
        (new PurgeDialog(m_storeFile, m_actions, m_selection, window()))->open();
    });
    connect(m_selectionBar, &SelectionBar::restoreRequested, m_commands.restore, &QAction::trigger);
    connect(m_selectionBar, &SelectionBar::purgeRequested, m_commands.purge, &QAction::trigger);
    m_commands.archived = add(QStringLiteral("archive"), tr("Show archived runs"), {}, OnPage,
                              [this] { showArchived(!m_archived); });
    m_commands.archived->setCheckable(true);
    m_commands.undo =
        add(QStringLiteral("undo"), tr("Undo"), {QKeySequence(Qt::CTRL | Qt::Key_Z)}, OnPage, [this] {
            m_selectionBar->undo();
            updateActions();
        });
    m_commands.openFolder =
        add(QStringLiteral("folder"), tr("Open a folder of runs…"), {QKeySequence(QKeySequence::Open)},
            OnPage, [this] { emit openFolderRequested(); });
    m_commands.importRuns =
        add(QStringLiteral("plus"), tr("Import runs…"), {}, OnPage, [this] { importRuns(); });
    m_commands.exportRuns =
        add(QStringLiteral("save"), tr("Export runs…"), {}, OnPage, [this] { exportRuns(); });
    m_commands.keys = add(QStringLiteral("keyboard"), tr("Keyboard shortcuts of the Runs page"),
                          {QKeySequence(Qt::Key_Question)}, OnPage, [this] { showKeys(); });
    for (const auto& [action, words] : std::initializer_list<std::pair<QAction*, QString>>{
             {m_commands.differs, tr("differs differ diff only params same")},
             {m_commands.columns, tr("columns settings")},
             {m_commands.fork, tr("clone duplicate")},
             {m_commands.extend, tr("train longer continue resume")},
             {m_commands.cancel, tr("stop kill")},
             {m_commands.archive, tr("delete remove")},
             {m_commands.launchRun, tr("relaunch retry resubmit")},
             {m_commands.launchSweep, tr("relaunch retry resubmit")},
             {m_commands.openFolder, tr("watch follow drop tensorboard wandb mlflow")},
             {m_commands.keys, tr("keys shortcuts settings")}})
        setPaletteWords(*action, words);
    auto* clear = new QAction(tr("Select nothing"), m_table);
    clear->setShortcut(Qt::Key_Escape);
    clear->setShortcutContext(Qt::WidgetShortcut);
    connect(clear, &QAction::triggered, m_table, &QTableView::clearSelection);
    m_table->addAction(clear);
    updateActions();
}

/// What can be done with the runs that are selected now; of what cannot, the tooltip says why.
void RunsPage::updateActions() {
    const auto count = m_selection.size();
    const QString readOnly = m_actions.readOnly();
    const QString selectSome = count == 0 ? tr("Select a run first") : QString();
    const QString selectOne = count == 1   ? QString()
                              : count == 0 ? tr("Select a run first")
                                           : tr("Select one run alone");
    const QString notArchived = m_archived ? tr("Archived runs must be restored first") : QString();
    const QString archivedOnly = m_archived ? QString() : tr("Only of archived runs");
    // The first reason against it decides.
    const auto gate = [](QAction* action, std::initializer_list<QString> reasons) {
        const auto why = std::find_if(reasons.begin(), reasons.end(),
                                      [](const QString& reason) { return !reason.isEmpty(); });
        setAvailable(*action, why == reasons.end() ? QString() : *why);
        action->setToolTip(why == reasons.end() ? action->text() : *why);
    };
    const auto any = [&](auto what) {
        return std::any_of(m_selection.begin(), m_selection.end(), [&](const auto& id) {
            const auto run = m_model.find(id);
            return run && what(*run);
        });
    };
    gate(m_commands.open, {selectOne});
    gate(m_commands.compare,
         {count < 2 || count > kMaxCompared ? tr("Select 2 to %1 runs to compare them").arg(kMaxCompared)
                                            : QString()});
    gate(m_commands.review, {m_model.shownCount() == 0 ? tr("No run is shown") : QString()});
    for (auto* action : {m_commands.pin, m_commands.hide, m_commands.copyRows, m_commands.copyIds,
                         m_commands.copyNames, m_commands.copyParams}) {
        gate(action, {selectSome});
    }
    gate(m_commands.copyShown, {m_model.shownCount() == 0 ? tr("No run is shown") : QString()});
    gate(m_commands.showAll, {m_model.hidden().empty() ? tr("No curves are hidden") : QString()});
    gate(m_commands.rename, {readOnly, selectOne, notArchived});
    gate(m_commands.color, {readOnly, selectSome, notArchived});
    for (auto* action : m_commands.colors) {
        gate(action, {readOnly, selectSome, notArchived});
    }
    gate(m_commands.tags, {readOnly, selectSome, notArchived});
    // Of several runs the first against which something speaks tells it.
    const auto whyNot = [&](QString (*of)(const tracking::Run&)) {
        for (const auto& id : m_selection) {
            const auto run = m_model.find(id);
            if (const QString why = run ? of(*run) : QString(); !why.isEmpty()) {
                return count == 1 ? why : tr("%1: %2").arg(targetName(sanitized(run->name)), why);
            }
        }
        return QString();
    };
    gate(m_commands.fork, {selectOne, whyNot(whyNotForked)});
    const bool launched =
        any([](const tracking::Run& run) { return run.tags.contains(tracking::tag::kSweep); });
    const QString byOthers = launched ? QString() : tr("This run was not launched by Dailies");
    gate(m_commands.launchRun, {readOnly, selectOne, notArchived, byOthers});
    gate(m_commands.launchSweep, {readOnly, selectOne, notArchived, byOthers});
    const bool active = any([](const tracking::Run& run) { return isActive(run.status); });
    gate(m_commands.extend, {readOnly, selectSome, notArchived, whyNot(whyNotExtended)});
    gate(m_commands.sample, {readOnly, selectSome, notArchived, whyNot(whyNotSampled)});
    gate(m_commands.cancel,
         {readOnly, selectSome, notArchived, active ? QString() : tr("No job of these runs is active")});
    gate(m_commands.archive, {readOnly, selectSome, m_archived ? tr("These runs are archived") : QString()});
    gate(m_commands.restore, {readOnly, selectSome, archivedOnly});
    gate(m_commands.purge, {readOnly, selectSome, archivedOnly});
    gate(m_commands.undo, {m_selectionBar->canUndo() ? QString() : tr("Nothing to undo")});
    m_commands.archived->setChecked(m_archived);
    m_commands.differs->setChecked(m_differs->isChecked());

    const auto all = [&](auto what) {
        return count > 0 && std::all_of(m_selection.begin(), m_selection.end(), what);
    };
    const bool pinned = all([&](const auto& id) { return m_model.spec().pinned.contains(id); });
    const bool hidden = all([&](const auto& id) { return m_model.hidden().contains(id); });
    m_commands.pin->setText(pinned ? tr("Unpin runs") : tr("Pin runs to top"));
    m_commands.hide->setText(hidden ? tr("Show curves") : tr("Hide curves"));
    m_commands.hide->setIcon(icon(hidden ? QStringLiteral("eye") : QStringLiteral("eye-off")));
    m_commands.archive->setText(count == 1 ? tr("Archive run") : tr("Archive runs"));
    m_commands.restore->setText(count == 1 ? tr("Restore run") : tr("Restore runs"));
    m_commands.copyRows->setText(count == 1 ? tr("Copy row") : tr("Copy rows"));
    m_commands.copyIds->setText(count == 1 ? tr("Copy ID") : tr("Copy IDs"));
    m_commands.copyNames->setText(count == 1 ? tr("Copy name") : tr("Copy names"));
    nameActions();
}

/// With what they act on, for the command palette, where the selection is not in view.
void RunsPage::nameActions() {
    const auto count = m_selection.size();
    const auto run = count == 1 ? m_model.find(m_selection.front()) : nullptr;
    const QString target = run ? targetName(sanitized(run->name)) : tr("%1 selected runs").arg(count);
    const bool one = count == 1;
    for (const auto& [action, named] : std::initializer_list<std::pair<QAction*, QString>>{
             {m_commands.open, tr("Open %1")},
             {m_commands.compare, tr("Compare %1")},
             {m_commands.review, tr("Review clips of %1")},
             {m_commands.pin,
              m_commands.pin->text() == tr("Unpin runs") ? tr("Unpin %1") : tr("Pin %1 to top")},
             {m_commands.hide, m_commands.hide->text() == tr("Show curves") ? tr("Show curves of %1")
                                                                            : tr("Hide curves of %1")},
             {m_commands.rename, tr("Rename %1")},
             {m_commands.color, tr("Choose colour of %1…")},
             {m_commands.tags, tr("Edit tags of %1…")},
             {m_commands.fork, tr("Fork %1…")},
             {m_commands.extend, tr("Extend %1…")},
             {m_commands.sample, tr("Sample clips of %1…")},
             {m_commands.launchRun, tr("Launch %1 again")},
             {m_commands.launchSweep, tr("Launch the sweep of %1 again")},
             {m_commands.copyRows, one ? tr("Copy row of %1") : tr("Copy rows of %1")},
             {m_commands.copyIds, one ? tr("Copy ID of %1") : tr("Copy IDs of %1")},
             {m_commands.copyNames, one ? tr("Copy name of %1") : tr("Copy names of %1")},
             {m_commands.copyParams, tr("Copy params of %1 as YAML")},
             {m_commands.cancel, tr("Cancel jobs of %1…")},
             {m_commands.archive, tr("Archive %1")},
             {m_commands.restore, tr("Restore %1")},
             {m_commands.purge, tr("Delete %1 permanently…")}})
        setPaletteName(*action, count == 0 ? QString() : named.arg(target));
}

/// A key whose action cannot be done now says why; silence would look like a fault.
void RunsPage::explain(const QKeyEvent& event) {
    const QKeySequence pressed(event.keyCombination());
    for (const auto* action : m_table->actions()) {
        if (!action->isEnabled() && action->shortcuts().contains(pressed)) {
            m_selectionBar->showNotification(action->toolTip());
        }
    }
}

void RunsPage::compareSelected() {
    if (m_selection.size() >= 2) {
        emit compareRequested(m_selection);
    } else {
        m_selectionBar->showNotification(m_commands.compare->toolTip());
    }
}

void RunsPage::togglePinned() {
    auto pinned = m_model.spec().pinned;
    // Some are not pinned: pin all. All are: unpin.
    const bool all = std::all_of(m_selection.begin(), m_selection.end(),
                                 [&](const auto& id) { return pinned.contains(id); });
    for (const auto& id : m_selection) {
        if (all) {
            pinned.erase(id);
        } else {
            pinned.insert(id);
        }
    }
    m_model.setPinned(std::move(pinned));
    m_views->stateChanged();
}

void RunsPage::toggleHidden(const std::vector<std::string>& runIds) {
    auto hidden = m_model.hidden();
    const bool all =
        std::all_of(runIds.begin(), runIds.end(), [&](const auto& id) { return hidden.contains(id); });
    for (const auto& id : runIds) {
        if (all) {
            hidden.erase(id);
        } else {
            hidden.insert(id);
        }
    }
    m_model.setHidden(std::move(hidden));
    m_views->stateChanged();
}

void RunsPage::renameSelected() {
    if (const int row = m_selection.size() == 1 ? m_model.rowOf(m_selection.front()) : -1; row >= 0) {
        m_table->editName(row);
    }
}

void RunsPage::rename(const std::string& runId, const QString& name) {
    const auto run = m_model.find(runId);
    if (!run) {
        return;
    }
    m_actions.setTag({runId}, kName, name.toStdString());
    m_selectionBar->showUndo(tr("Renamed %1 to %2").arg(sanitized(run->name), name),
                             [this, runId, before = run->name] { m_actions.setTag({runId}, kName, before); });
    updateActions();
}

void RunsPage::colorSelected(std::size_t color) {
    m_actions.setTag(m_selection, tracking::tag::kColor, std::string(tracking::kRunColors[color]));
}

void RunsPage::archiveSelected() {
    if (!m_selection.empty() && !m_archived) {
        m_actions.archive(m_selection);
    }
}

bool RunsPage::coversASweep(const std::vector<std::string>& runIds) const {
    std::map<std::string, std::size_t> left;  // active runs of each sweep that are not among these
    for (const auto& run : m_model.runs()) {
        if (isActive(run->status)) {
            left[tagOf(*run, tracking::tag::kSweep)] += std::ranges::find(runIds, run->id) == runIds.end();
        }
    }
    left.erase("");
    return std::ranges::any_of(left, [](const auto& sweep) { return sweep.second == 0; });
}

void RunsPage::cancelSelected() {
    std::vector<std::string> active;
    std::copy_if(m_selection.begin(), m_selection.end(), std::back_inserter(active), [this](const auto& id) {
        const auto run = m_model.find(id);
        return run && isActive(run->status);
    });
    if (active.empty() || m_archived) {
        return;
    }
    if (!m_actions.readOnly().isEmpty()) {
        emit failed(Error(m_actions.readOnly().toStdString()));
        return;
    }
    auto* box = new QMessageBox(QMessageBox::Question, tr("Cancel jobs"),
                                active.size() == 1 ? tr("Cancel the job of 1 run?")
                                                   : tr("Cancel the jobs of %L1 runs?").arg(active.size()),
                                QMessageBox::NoButton, this);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setInformativeText(tr("What they computed since their last checkpoint is lost."));
    if (coversASweep(active)) {
        auto* endSweeps = new QCheckBox(tr("End the sweep, too: an adaptive one proposes no more runs"));
        endSweeps->setChecked(true);
        box->setCheckBox(endSweeps);
    }
    auto* yes = box->addButton(active.size() == 1 ? tr("Cancel the job") : tr("Cancel the jobs"),
                               QMessageBox::DestructiveRole);
    auto* no = box->addButton(tr("Keep running"), QMessageBox::RejectRole);
    box->setDefaultButton(no);
    connect(box, &QMessageBox::buttonClicked, this, [this, box, yes, active](QAbstractButton* button) {
        if (button == yes) {
            m_worker.cancelRuns(active, box->checkBox() && box->checkBox()->isChecked());
        }
    });
    box->open();
}

void RunsPage::extendSelected() {
    std::vector<tracking::Run> runs;
    for (const auto& id : m_selection) {
        if (const auto run = m_model.find(id)) {
            runs.push_back(*run);
        }
    }
    openExtendDialog(runs, this, [this, ids = m_selection](qint64 steps) {
        for (const auto& id : ids) {
            m_worker.extendRun(id, steps);
        }
    });
}

void RunsPage::copyRows() {
    if (!m_selection.empty()) {
        copy(rowsAsTsv(m_model, m_selection));
    }
}

void RunsPage::editTags() {
    ChartedRuns runs;
    for (const auto& id : m_selection) {
        if (auto run = m_model.find(id)) {
            runs.push_back({.run = std::move(run)});
        }
    }
    if (runs.empty() || !m_actions.readOnly().isEmpty()) {
        return;
    }
    auto* editor = new TagEditor(runs, window());
    connect(editor, &TagEditor::set, this,
            [this, ids = m_selection](const std::string& key, const std::string& value) {
                m_actions.setTag(ids, key, value);
            });
    connect(editor, &TagEditor::removed, this,
            [this, ids = m_selection](const std::string& key) { m_actions.removeTag(ids, key); });
    editor->open();
}

}  // namespace dailies::ui
