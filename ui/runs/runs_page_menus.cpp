// The toolbar and the menus of the Runs page.
#include "ui/charts/chart_grid.h"
#include "ui/exchange/export_dialog.h"
#include "ui/exchange/import_dialog.h"
#include "ui/link/cluster_worker.h"
#include "ui/runs/column_chooser.h"
#include "ui/runs/run_table.h"
#include "ui/runs/runs_page.h"
#include "ui/runs/selection_bar.h"
#include "ui/theme/icons.h"
#include "ui/widgets/fit_to_width.h"
#include "ui/widgets/palette_hints.h"
#include "ui/widgets/shortcut_card.h"
#include "ui/widgets/widgets.h"

#include <QAction>
#include <QApplication>
#include <QBoxLayout>
#include <QHeaderView>
#include <QMenu>
#include <QToolButton>

#include <algorithm>

namespace dailies::ui {

namespace {

constexpr int kFilterRoom = 360;  ///< that the toolbar's words leave to the filter
constexpr int kFilterNarrowest = 120;
constexpr int kMaxGroupKeys =
    24;  ///< that a menu lists; every param column can be grouped by from its header

}  // namespace

QWidget* RunsPage::makeToolbar() {
    auto* bar = makePageBar();
    auto* row = makeRow(space::k8, {space::k16, 0, space::k16, 0});
    row->addWidget(m_title);
    row->addWidget(m_count);
    row->addSpacing(space::k8);
    row->addWidget(m_experiment);
    row->addWidget(m_views);
    m_filter->setMinimumWidth(kFilterRoom);
    row->addWidget(m_filter, 1);
    row->addWidget(m_group);
    row->addWidget(m_differs);
    row->addWidget(m_columns);
    row->addWidget(m_more);
    bar->setLayout(row);
    auto* fit = new FitToWidth(*bar);
    fit->iconsOnly({m_columns, m_differs, m_group});
    fit->narrow(*m_filter, kFilterNarrowest + space::k32);
    fit->iconsOnly({m_views, m_experiment});
    fit->hide(*m_count);
    fit->narrow(*m_filter, kFilterNarrowest);
    for (QWidget* button : {m_differs, m_columns}) excludeFromPalette(*button);  // there are actions for them

    const auto setMenu = [this](QToolButton* button, void (RunsPage::*fill)()) {
        auto* menu = new QMenu(button);
        menu->setToolTipsVisible(true);
        button->setMenu(menu);
        button->setPopupMode(QToolButton::InstantPopup);
        connect(menu, &QMenu::aboutToShow, this, fill);
    };
    setMenu(m_experiment, &RunsPage::fillExperiments);
    setMenu(m_group, &RunsPage::fillGroups);
    setMenu(m_more, &RunsPage::fillMore);
    m_experiment->setToolTip(tr("Which experiment's runs to show"));
    m_group->setToolTip(tr("Put runs that share a sweep, a status or a param together (G)"));
    m_differs->setCheckable(true);
    m_differs->setChecked(true);
    m_differs->setToolTip(tr("Only params that are not the same in all runs (D)"));
    m_columns->setToolTip(tr("Choose columns: params, metrics, curves, tags (K)"));
    connect(m_columns, &QToolButton::clicked, this, &RunsPage::chooseColumns);
    connect(m_differs, &QToolButton::toggled, this, [this](bool on) {
        auto choice = m_model.columnChoice();
        choice.differsOnly = on;
        setChoice(choice);
    });
    connect(m_table->horizontalHeader(), &QHeaderView::sectionResized, this, [this](int at, int, int width) {
        // Only what a person drags: fitting the columns resizes them, too.
        if (QApplication::mouseButtons() & Qt::LeftButton && at < m_model.columnCount() &&
            !m_table->isFittingColumns()) {
            auto choice = m_model.columnChoice();
            choice.widths[m_model.column(at).id()] = width;
            m_model.setColumns(choice);
            m_views->stateChanged();
        }
    });
    return bar;
}

void RunsPage::groupBy(const Grouping& grouping) {
    m_model.setGrouping(grouping);
    const QString name = sanitized(grouping.key.empty() ? grouping.id() : grouping.key);
    m_group->setText(grouping.by == Grouping::By::None ? tr("Group") : tr("By %1").arg(name));
    m_group->setAccessibleName(m_group->text());
    m_views->stateChanged();
}

void RunsPage::showSweep(const std::string& name) {
    if (m_archived) {
        showArchived(false);
    }
    showExperiment({});
    const char quote = name.find('\'') == std::string::npos ? '\'' : '"';
    m_filter->setText(
        QString::fromStdString(std::string("tags.dailies.sweep_name = ") + quote + name + quote));
    m_table->setFocus();
}

void RunsPage::showArchived(bool on) {
    m_archived = on;
    m_title->setText(on ? tr("Archived") : tr("Runs"));
    m_table->clearSelection();
    runsChanged({});
}

void RunsPage::importRuns() {
    auto* dialog = new ImportDialog(m_storeFile, m_actions.readOnly(), window());
    connect(dialog, &ImportDialog::imported, this, [this] { emit m_worker.runsChanged({}); });
    dialog->open();
}

void RunsPage::exportRuns() {
    ExportDialog::Scopes scopes{
        .selected = selectedRuns(), .shown = {}, .all = m_archived ? 0 : m_model.runs().size()};
    for (const auto& charted : m_model.shownRuns()) {
        scopes.shown.push_back(charted.run->id);
    }
    (new ExportDialog(m_storeFile, std::move(scopes), window()))->open();
}

ViewState RunsPage::viewState() const {
    const auto& spec = m_model.spec();
    return {.experiment = spec.experiment,
            .filter = m_filter->text().toStdString(),
            .grouping = spec.grouping,
            .sortBy = spec.sortBy ? spec.sortBy->id() : std::string(),
            .descending = spec.descending,
            .pinned = spec.pinned,
            .hiddenRuns = m_model.hidden(),
            .collapsed = spec.collapsed,
            .columns = m_model.columnChoice()};
}

void RunsPage::applyView(const ViewState& state) {
    showExperiment(state.experiment);
    m_filter->setText(QString::fromStdString(state.filter));
    groupBy(state.grouping);
    m_model.setCollapsed(state.collapsed);
    m_model.setPinned(state.pinned);
    m_model.setHidden(state.hiddenRuns);
    m_model.sortBy(state.sortBy, state.descending ? Qt::DescendingOrder : Qt::AscendingOrder);
    setChoice(state.columns);
    columnsChanged();
    m_table->fitColumns();
}

void RunsPage::showExperiment(const std::string& name) {
    m_model.setExperiment(name);
    m_charts->setExperiment(name);
    m_experiment->setText(name.empty() ? tr("All experiments") : sanitized(name));
}

void RunsPage::fillExperiments() {
    auto* menu = m_experiment->menu();
    menu->clear();
    const auto add = [&](const QString& title, const std::string& name) {
        auto* action = menu->addAction(title);
        action->setCheckable(true);
        action->setChecked(m_model.spec().experiment == name);
        connect(action, &QAction::triggered, this, [this, name] {
            showExperiment(name);
            m_views->stateChanged();
        });
    };
    add(tr("All experiments"), {});
    menu->addSeparator();
    for (const auto& name : m_model.keys().experiments()) {
        add(sanitized(name), name);
    }
}

void RunsPage::fillGroups() {
    auto* menu = m_group->menu();
    menu->clear();
    const auto add = [this](QMenu* into, const QString& title, const Grouping& grouping) {
        auto* action = into->addAction(title);
        action->setCheckable(true);
        action->setChecked(m_model.spec().grouping == grouping);
        connect(action, &QAction::triggered, this, [this, grouping] { groupBy(grouping); });
    };
    using By = Grouping::By;
    add(menu, tr("Not grouped"), {});
    menu->addSeparator();
    add(menu, tr("Sweep"), {By::Sweep});
    add(menu, tr("Status"), {By::Status});
    add(menu, tr("Experiment"), {By::Experiment});
    for (auto* action : menu->actions()) excludeFromPalette(*action);  // the page has them as actions
    const auto section = [&](const QString& title, const std::vector<std::string>& keys, By by) {
        if (!keys.empty()) {
            menu->addSeparator();
            auto* heading = menu->addAction(title);
            heading->setEnabled(false);
            excludeFromPalette(*heading);
        }
        for (std::size_t i = 0; i < std::min<std::size_t>(keys.size(), kMaxGroupKeys); ++i) {
            add(menu, sanitized(keys[i]), {by, keys[i]});
        }
    };
    section(tr("Params that differ"), m_model.shownKeys().variedParams(), By::Param);
    section(tr("Tags"), m_model.shownKeys().tags(), By::Tag);
}

void RunsPage::fillMore() {
    auto* menu = m_more->menu();
    menu->clear();
    menu->addAction(m_commands.archived);
    menu->addAction(m_commands.showAll);
    menu->addAction(m_commands.copyShown);
    menu->addSeparator();
    menu->addActions({m_commands.openFolder, m_commands.importRuns, m_commands.exportRuns});
    menu->addSeparator();
    menu->addAction(m_commands.keys);
}

void RunsPage::chooseColumns() {
    std::vector<Column> shown;
    for (int at = 0; at < m_model.columnCount(); ++at) {
        shown.push_back(m_model.column(at));
    }
    auto* chooser = new ColumnChooser(allColumns(m_model.keys()), shown, this);
    connect(chooser, &ColumnChooser::toggled, this, &RunsPage::switchColumn);
    chooser->popupBelow(m_columns);
}

void RunsPage::switchColumn(const std::string& id, bool on) {
    auto choice = m_model.columnChoice();
    if (on) {
        choice.hidden.erase(id);
        choice.shown.insert(id);
    } else {
        choice.shown.erase(id);
        choice.hidden.insert(id);
    }
    setChoice(choice);
}

void RunsPage::setChoice(const ColumnChoice& choice) {
    {
        const QSignalBlocker quiet(m_differs);
        m_differs->setChecked(choice.differsOnly);
    }
    const bool moreBest = choice.best != m_model.columnChoice().best;
    m_model.setColumns(choice);
    if (moreBest) {
        readBest({});
    }
    m_views->stateChanged();
}

void RunsPage::moveColumn(int from, int to) {
    std::vector<std::string> order;
    for (int at = 0; at < m_model.columnCount(); ++at) {
        order.push_back(m_model.column(at).id());
    }
    auto moved = std::move(order[static_cast<std::size_t>(from)]);
    order.erase(order.begin() + from);
    order.insert(order.begin() + to, std::move(moved));
    // The model's order is the only one: the header's own is taken back, outside of its signal.
    QTimer::singleShot(0, this, [this, from, to, order = std::move(order)] {
        {
            const QSignalBlocker quiet(m_table->horizontalHeader());
            m_table->horizontalHeader()->moveSection(to, from);
        }
        auto choice = m_model.columnChoice();
        choice.order = order;
        setChoice(choice);
    });
}

void RunsPage::showHeaderMenu(const QPoint& position) {
    const int at = m_table->horizontalHeader()->logicalIndexAt(position);
    if (at < 0) {
        return;
    }
    const Column column = m_model.column(at);
    const std::string id = column.id();
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    const auto add = [&](const QString& iconName, const QString& text, auto call) {
        auto* action = iconName.isEmpty() ? menu->addAction(text) : menu->addAction(icon(iconName), text);
        connect(action, &QAction::triggered, this, call);
        return action;
    };
    add(QStringLiteral("chevron-up"), tr("Sort ascending"),
        [this, at] { m_table->sortByColumn(at, Qt::AscendingOrder); });
    add(QStringLiteral("chevron-down"), tr("Sort descending"),
        [this, at] { m_table->sortByColumn(at, Qt::DescendingOrder); });
    if (column.kind == Column::Kind::Metric) {
        menu->addSeparator();
        auto* best = add({},
                         m_model.goalOf(column.key) == sweep::Goal::Maximize
                             ? tr("Best value (highest) instead of the last")
                             : tr("Best value (lowest) instead of the last"),
                         [this, key = column.key] {
                             auto choice = m_model.columnChoice();
                             if (choice.best.erase(key) == 0) {
                                 choice.best.insert(key);
                             }
                             setChoice(choice);
                         });
        best->setCheckable(true);
        best->setChecked(column.best);
        const std::string curve = "curve:" + column.key;
        auto* spark = add({}, tr("Its curve beside it"),
                          [this, curve] { switchColumn(curve, m_model.columnOfId(curve) < 0); });
        spark->setCheckable(true);
        spark->setChecked(m_model.columnOfId(curve) >= 0);
    }
    if (const Grouping grouping = Grouping::of(id); grouping.by != Grouping::By::None) {
        add(QStringLiteral("group"), tr("Group by it"), [this, grouping] { groupBy(grouping); });
    }
    if (column.kind != Column::Kind::Name) {
        menu->addSeparator();
        add(QStringLiteral("minus"), tr("Hide this column"), [this, id] { switchColumn(id, false); });
    }
    add(QStringLiteral("columns"), tr("Choose columns…"), [this] { chooseColumns(); });
    menu->popup(m_table->horizontalHeader()->viewport()->mapToGlobal(position));
}

void RunsPage::showContextMenu(const QPoint& position) {
    if (m_selection.empty()) {
        return;
    }
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->setToolTipsVisible(true);
    const bool one = m_selection.size() == 1;
    if (one) {
        menu->addAction(m_commands.open);
    }
    menu->addActions({m_commands.compare, m_commands.review, m_commands.pin, m_commands.hide});
    menu->addSeparator();
    auto* copies = menu->addMenu(icon(QStringLiteral("copy")), tr("Copy"));
    copies->addActions(
        {m_commands.copyRows, m_commands.copyIds, m_commands.copyNames, m_commands.copyParams});
    menu->addAction(m_commands.exportRuns);
    if (m_archived) {
        menu->addSeparator();
        menu->addActions({m_commands.restore, m_commands.purge});
    } else {
        if (one) {
            menu->addAction(m_commands.rename);
        }
        auto* colorMenu = menu->addMenu(icon(QStringLiteral("palette")), tr("Colour"));
        colorMenu->setEnabled(m_actions.readOnly().isEmpty());
        for (auto* action : m_commands.colors) {
            colorMenu->addAction(action);
        }
        menu->addAction(m_commands.tags);
        menu->addSeparator();
        if (one) {
            menu->addAction(m_commands.fork);
        }
        menu->addActions({m_commands.extend, m_commands.sample});
        if (one) {
            menu->addActions({m_commands.launchRun, m_commands.launchSweep});
        }
        menu->addSeparator();
        menu->addActions({m_commands.archive, m_commands.cancel});
    }
    menu->popup(m_table->viewport()->mapToGlobal(position));
}

void RunsPage::showKeys() {
    auto* card = new ShortcutCard(tr("Keys of the Runs page"),
                                  {{tr("Find"),
                                    {{tr("Ctrl+F  /"), tr("Filter: words, or a comparison")},
                                     {tr("↓  Tab"), tr("Show or accept filter suggestions")},
                                     {tr("G"), tr("Group")},
                                     {tr("K"), tr("Choose columns")},
                                     {tr("D"), tr("Differences only, or all params")}}},
                                   {tr("Select"),
                                    {{tr("↑ ↓  PgUp PgDn"), tr("Move; with Shift select")},
                                     {tr("Home  End"), tr("First or last run")},
                                     {tr("Space"), tr("Choose a run, or a group's runs; then ↑ ↓ only move")},
                                     {tr("Ctrl+A  Esc"), tr("Select all or nothing")},
                                     {tr("← →"), tr("Fold or unfold a group; scroll sideways")}}},
                                   {tr("Act on the selected runs"),
                                    {{tr("Enter"), tr("Open the run")},
                                     {tr("C"), tr("Compare")},
                                     {tr("Ctrl+Enter"), tr("Review clips")},
                                     {tr("P"), tr("Pin to top")},
                                     {tr("H"), tr("Hide or show curves")},
                                     {tr("F2"), tr("Rename")},
                                     {tr("T"), tr("Tags")},
                                     {tr("Del  A"), tr("Archive")},
                                     {tr("Ctrl+Z"), tr("Undo")},
                                     {tr("Ctrl+C"), tr("Copy rows")},
                                     {tr("?"), tr("This card")}}}},
                                  window());
    card->setAttribute(Qt::WA_DeleteOnClose);
    card->open();
}

}  // namespace dailies::ui
