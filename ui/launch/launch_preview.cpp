#include "ui/launch/launch_preview.h"

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/sweep/stages.h"
#include "remote/fit/resource_check.h"
#include "remote/launch/chain_rows.h"
#include "remote/launch/launch.h"
#include "remote/launch/price.h"
#include "ui/cluster/finding_list.h"
#include "ui/launch/command_view.h"
#include "ui/launch/layout_panel.h"
#include "ui/launch/planned_runs_model.h"
#include "ui/launch/script_editor.h"
#include "ui/launch/stage_list.h"
#include "ui/launch/sweep_text.h"
#include "ui/launch/yaml_editor.h"
#include "ui/widgets/widgets.h"

#include <QBoxLayout>
#include <QCheckBox>
#include <QHeaderView>
#include <QTabBar>
#include <QTabWidget>
#include <QTableView>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace dailies::ui {

namespace {

constexpr int kDelayMs = 150;
constexpr int kCommandTab = 1, kScriptTab = 2, kYamlTab = 3, kLayoutTab = 4;
constexpr int kMeasuredRows = 100;  ///< so many rows set the width of a column
constexpr int kNarrowestColumn = 96, kWidestColumn = 280;

QWidget* padded(QWidget* widget) {
    auto* page = new QWidget;
    auto* column = makeColumn(0, {space::k12, space::k12, space::k12, space::k12});
    column->addWidget(widget);
    page->setLayout(column);
    return page;
}

}  // namespace

LaunchPreview::LaunchPreview(QWidget* parent)
    : QWidget(parent),
      m_varies(new ElidedLabel(TextStyle::Body, TextTone::Muted)),
      m_summary(makeLabel({}, TextStyle::Title)),
      m_cost(makeLabel({}, TextStyle::Body)),
      m_basis(makeLabel({}, TextStyle::Caption, TextTone::Muted)),
      m_memory(makeLabel({}, TextStyle::Caption, TextTone::Muted)),
      m_warnings(makeLabel({}, TextStyle::Caption, TextTone::Warning)),
      m_problems(makeLabel({}, TextStyle::Body, TextTone::Danger)),
      m_broken(makeLabel({}, TextStyle::Body, TextTone::Danger)),
      m_skip(new QCheckBox),
      m_tabs(new QTabWidget),
      m_check(new FindingList),
      m_stages(new StageList),
      m_model(new PlannedRunsModel(this)),
      m_runs(new QTableView),
      m_command(new CommandView),
      m_script(new ScriptEditor),
      m_yaml(new YamlEditor),
      m_layouts(new LayoutPanel) {
    m_problems->setWordWrap(true);
    m_problems->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_problems->hide();
    m_broken->setWordWrap(true);
    m_broken->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_broken->hide();
    m_cost->setWordWrap(true);
    m_basis->setWordWrap(true);
    m_memory->setWordWrap(true);
    m_memory->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_warnings->setWordWrap(true);
    m_warnings->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_warnings->hide();
    m_skip->setToolTip(
        tr("A run is a duplicate if the same config appears earlier in this sweep or in a previous run."));
    m_skip->hide();
    m_stages->hide();
    connect(m_stages, &StageList::chosenChanged, this, &LaunchPreview::showStage);
    m_runs->setModel(m_model);
    configureRowList(*m_runs, tr("The runs that would be launched"));
    m_runs->setWordWrap(false);
    m_runs->setSelectionMode(QAbstractItemView::NoSelection);
    m_runs->horizontalHeader()->setResizeContentsPrecision(kMeasuredRows);
    m_runs->horizontalHeader()->setMinimumSectionSize(kNarrowestColumn);
    m_runs->horizontalHeader()->setStretchLastSection(false);
    m_tabs->setDocumentMode(true);
    m_tabs->addTab(m_runs, tr("Runs"));
    m_tabs->addTab(padded(m_command), tr("Command"));
    m_tabs->addTab(padded(m_script), tr("Script"));
    m_tabs->addTab(padded(m_yaml), tr("YAML"));
    m_tabs->addTab(m_layouts, tr("Layouts"));
    m_tabs->setTabVisible(kCommandTab, false);
    m_checkPage = padded(m_check);
    m_checkPage->setParent(this);
    m_checkPage->hide();
    m_tabs->tabBar()->setDrawBase(false);
    m_tabs->tabBar()->setExpanding(false);

    auto* column = makeColumn(0);
    auto* head = makeColumn(space::k8, {space::k16, space::k16, space::k16, space::k12});
    head->addWidget(m_varies);
    head->addWidget(m_summary);
    head->addWidget(m_cost);
    head->addWidget(m_basis);
    head->addWidget(m_memory);
    head->addWidget(m_warnings);
    head->addWidget(m_skip);
    head->addWidget(m_problems);
    head->addWidget(m_broken);
    column->addLayout(head);
    column->addWidget(m_stages);
    column->addWidget(m_tabs, 1);
    setLayout(column);

    m_later.setSingleShot(true);
    m_later.setInterval(kDelayMs);
    connect(&m_later, &QTimer::timeout, this, &LaunchPreview::plan);
    connect(m_script, &ScriptEditor::changed, this, &LaunchPreview::showScriptState);
    connect(m_tabs, &QTabWidget::currentChanged, this, [this] {
        showScriptState();
        showProblemText();
    });
    connect(m_skip, &QCheckBox::toggled, this, [this] {
        showSummary();
        showCheckState();
        emit changed();
    });
    connect(m_yaml, &YamlEditor::problemChanged, this,
            [this] { display(m_sweep, m_profile, m_workspace, m_facts, m_formProblems); });
}

void LaunchPreview::setPastRuns(std::shared_ptr<const remote::PastRuns> past) {
    m_pastRuns = std::move(past);
    if (m_valid) {
        m_later.start();
    }
}

void LaunchPreview::display(const sweep::Sweep& sweep, const remote::ClusterProfile& profile,
                            const std::string& workspace,
                            const std::optional<remote::slurm::ClusterFacts>& facts,
                            const QStringList& problems) {
    m_sweep = sweep;
    m_profile = profile;
    m_workspace = workspace;
    m_facts = facts;
    m_formProblems = problems;
    m_start = 0;  // it was foreseen for another sweep
    m_yaml->display(sweep, static_cast<int>(problems.size()));
    m_tabs->setTabVisible(kCommandTab, sweep.program.has_value());
    m_tabs->setTabVisible(kLayoutTab, !sweep.program);
    m_task.cancel();
    m_planning = false;
    m_later.stop();
    const QString unread = m_yaml->problem();
    if (problems.isEmpty() && unread.isEmpty()) {
        m_later.start();
        showCheckState();
    } else {
        showProblems(unread.isEmpty() ? problems : problems + QStringList(unread));
    }
}

void LaunchPreview::plan() {
    m_planning = true;
    m_task = runAsync(
        this,
        [sweep = m_sweep, profile = m_profile, workspace = m_workspace, facts = m_facts,
         past = m_pastRuns](std::stop_token) {
            const auto* known = facts ? &*facts : nullptr;
            std::vector<remote::LaunchPlan> plans;
            for (const auto& stage : sweep::stagesOf(sweep))
                plans.push_back(remote::planLaunch(stage, profile, workspace, {}));
            Plan plan{remote::assess(std::move(plans), *past, profile, known), varyingParamsText(sweep)};
            for (const auto& stage : plan.stages) {
                remote::throwIfInvalid(stage.findings);
                remote::throwIfTooLarge(stage.memory);
            }
            plan.stopsEarly = canStopEarly(sweep, plan.stages.front().plan.runs);
            return plan;
        },
        [this](const Plan& plan) {
            m_planning = false;
            showPlan(plan);
        },
        [this](const Error& error) {
            m_planning = false;
            showProblems({QString::fromStdString(error.full())});
        });
}

void LaunchPreview::showPlan(Plan plan) {
    m_valid = true;
    m_plan = std::move(plan);
    const auto& first = m_plan.stages.front();
    m_forecast = remote::totalOf(m_plan.stages);
    m_repeats = first.forecast.repeatedRuns();
    const auto repeats = static_cast<int>(m_repeats.size());
    m_skip->setText(repeats == 1 ? tr("Skip 1 duplicate run") : tr("Skip %1 duplicate runs").arg(repeats));
    // leaving out every run would leave nothing to launch
    m_skip->setVisible(repeats > 0 && m_repeats.size() < first.plan.runs.size() &&
                       !sweep::isAdaptive(m_sweep));
    m_said.clear();
    showProblemText();
    QStringList warnings;
    for (const auto& stage : m_plan.stages) {
        for (const auto& finding : stage.findings) {
            const QString text = sanitized(finding.found + (finding.found.ends_with('.') ? "" : ".") +
                                           (finding.remedy.empty() ? "" : " ") + finding.remedy);
            if (!warnings.contains(text)) warnings << text;
        }
    }
    m_warnings->setText(warnings.join(QLatin1Char('\n')));
    m_warnings->setVisible(!warnings.isEmpty());
    m_script->setEditable(m_plan.stages.size() == 1);
    showStages();
    showSummary();
    emit changed();
}

void LaunchPreview::showStages() {
    std::vector<std::string> names;
    for (const auto& stage : m_sweep.stages) names.push_back(stage.name);
    names.resize(m_plan.stages.size());
    m_stages->setRows(names, remote::chainRows(m_plan.stages, m_profile, unixMillis() / 1000));
    m_stages->setVisible(m_plan.stages.size() > 1);
    showStage(m_stages->chosen());
}

void LaunchPreview::showStage(int stage) {
    const auto at = static_cast<std::size_t>(stage);
    if (at >= m_plan.stages.size()) return;  // of a table that is emptied
    const auto& [plan, forecast, memory, findings] = m_plan.stages[at];
    m_memory->setText(sanitized(memory.text + (memory.remedy.empty() ? "" : " ") + memory.remedy));
    setTone(m_memory, memory.verdict == planner::FitVerdict::tight ? TextTone::Warning : TextTone::Muted);
    m_memory->show();
    m_model->setRuns(plan.runs, forecast);
    m_runs->resizeColumnsToContents();
    for (int column = 1; column < m_model->columnCount(); ++column) {
        m_runs->setColumnWidth(column, std::min(m_runs->columnWidth(column) + space::k24, kWidestColumn));
    }
    // The names take what the values leave: a bar to scroll by appears only where not even that is enough.
    m_runs->horizontalHeader()->setSectionResizeMode(0, QHeaderView::Stretch);
    m_script->setGenerated(plan.script, m_profile.workspace);
    if (m_sweep.program) {
        m_command->setCommands(m_sweep, plan.runs, plan.commands);
    } else {
        m_layouts->ask(plan.runs.front().config, plan.sweep.resources, m_profile, m_facts);
    }
}

bool LaunchPreview::skipsRepeats() const {
    return m_valid && !m_skip->isHidden() && m_skip->isChecked();
}

std::set<std::size_t> LaunchPreview::skipped() const {
    return skipsRepeats() ? m_repeats : std::set<std::size_t>{};
}

void LaunchPreview::showSummary() {
    if (!m_valid) {
        return;
    }
    const auto& first = m_plan.stages.front();
    m_runCount = static_cast<int>(first.forecast.runs - skipped().size());
    const int atOnce = std::min(m_runCount, m_sweep.resources.parallelRuns);
    const int later = static_cast<int>(first.forecast.runs) - m_model->rowCount();
    QString summary = m_runCount == 1 ? tr("1 run") : tr("%1 runs, %2 at once").arg(m_runCount).arg(atOnce);
    if (m_plan.stages.size() > 1) {
        summary += tr(", in %1 stages").arg(m_plan.stages.size());
    }
    if (later > 0) {
        summary += tr("; %1 follow from results").arg(later);
    }
    m_summary->setText(summary);
    setTone(m_summary, TextTone::Normal);
    const auto hours = [](double value) { return QString::fromStdString(remote::hoursText(value)); };
    QString varies = m_plan.varies.isEmpty() ? tr("nothing varies") : m_plan.varies;
    varies += m_runCount == 1 ? tr(" → 1 run") : tr(" → %1 runs").arg(m_runCount);
    if (m_forecast.known) {
        varies += m_forecast.gpuHours > 0 ? tr(", %1 GPU-hours").arg(hours(m_forecast.gpuHours))
                                          : tr(", %1 CPU-hours").arg(hours(m_forecast.cpuHours));
    }
    m_varies->setFullText(varies);
    m_varies->show();
    QString cost;
    if (m_forecast.known) {
        cost = tr("About %1 in all, %2%3 CPU-hours")
                   .arg(QString::fromStdString(durationText(
                            std::max<std::int64_t>(1000, std::llround(m_forecast.seconds * 1000)))),
                        m_forecast.gpuHours > 0 ? tr("%1 GPU-hours, ").arg(hours(m_forecast.gpuHours))
                                                : QString(),
                        hours(m_forecast.cpuHours));
        if (m_forecast.savedShare > 0) {
            cost += tr("; early stopping should save %1%").arg(std::lround(100 * m_forecast.savedShare));
        }
        if (const auto price = remote::priceText(m_forecast, m_profile); !price.empty()) {
            cost += tr("; %1").arg(sanitized(price));
        }
        cost += QStringLiteral(". ") +
                QString::fromStdString(remote::endText(m_forecast, unixMillis() / 1000, m_start));
    }
    m_cost->setText(cost);
    m_cost->setVisible(!cost.isEmpty());
    QString basis = sanitized(m_forecast.basis);
    if (later > 0 || m_plan.stopsEarly) {
        basis += QLatin1Char(' ') +
                 tr("Dailies picks new runs only while connected. Active runs continue without it.");
    }
    if (m_sweep.earlyStop && !m_plan.stopsEarly) {
        basis += QLatin1Char(' ') + tr("Early stopping has no effect: the first rung is past the last step.");
    }
    m_basis->setText(basis);
    m_basis->show();
}

void LaunchPreview::showProblems(const QStringList& problems) {
    m_valid = false;
    m_runCount = 0;
    m_summary->setText(tr("Not ready"));
    m_said = problems;
    showProblemText();
    for (QWidget* widget :
         std::initializer_list<QWidget*>{m_varies, m_cost, m_basis, m_memory, m_warnings, m_skip}) {
        widget->hide();
    }
    m_plan = {};
    m_stages->hide();
    m_model->setRuns({}, {});
    m_script->clearGenerated();
    m_command->clear();
    m_layouts->clear();
    showCheckState();
    emit changed();
}

void LaunchPreview::showProblemText() {
    QStringList shown = m_said;
    // the tab itself says it while it is looked at
    if (m_tabs->currentIndex() == kYamlTab) shown.removeAll(m_yaml->problem());
    m_problems->setText(shown.join(QLatin1Char('\n')));
    m_problems->setVisible(!shown.isEmpty());
}

bool LaunchPreview::isSettled() const {
    return !m_planning && !m_later.isActive() && m_yaml->isSettled() && m_layouts->isSettled();
}

QString LaunchPreview::yaml() const {
    return m_yaml->text();
}

QString LaunchPreview::script() const {
    return m_script->text();
}

std::optional<remote::ScriptEdit> LaunchPreview::edit() const {
    return m_script->edit();
}

bool LaunchPreview::valid() const {
    return m_valid && m_script->problem().isEmpty();
}

void LaunchPreview::chooseTab(const QString& title) {
    for (int i = 0; i < m_tabs->count(); ++i) {
        if (m_tabs->tabText(i).startsWith(title, Qt::CaseInsensitive)) {
            m_tabs->setCurrentIndex(i);
        }
    }
}

void LaunchPreview::showScriptState() {
    // the tab itself says it while it is looked at
    const bool elsewhere = m_tabs->currentIndex() != kScriptTab;
    const QString problem = m_script->problem();
    m_broken->setText(problem);
    m_broken->setVisible(m_valid && elsewhere && !problem.isEmpty());
    m_tabs->setTabText(kScriptTab, m_script->edit() ? tr("Script, edited") : tr("Script"));
    showCheckState();
    emit changed();
}

QStringList LaunchPreview::runNames() const {
    QStringList names;
    for (int row = 0; row < m_model->rowCount(); ++row) {
        names << m_model->name(row);
    }
    return names;
}

QString LaunchPreview::summaryText() const {
    return m_summary->text();
}

QString LaunchPreview::costText() const {
    return m_cost->text() + QLatin1Char(' ') + m_basis->text();
}

QString LaunchPreview::variesText() const {
    return m_varies->accessibleName();
}

QString LaunchPreview::memoryText() const {
    return m_memory->text();
}

QString LaunchPreview::commandText() const {
    return m_command->text();
}

QString LaunchPreview::warningText() const {
    return m_warnings->text();
}

std::string LaunchPreview::subject() const {
    std::string text = m_profile.name + '\n' + sweep::toYaml(m_sweep);
    for (const auto run : skipped()) {
        text += std::to_string(run) + ' ';
    }
    const auto edit = m_script->edit();
    return edit ? text + '\n' + edit->text : text;
}

bool LaunchPreview::checkIsCurrent() const {
    return m_valid && m_checked == subject();
}

void LaunchPreview::beginCheck() {
    m_checking = subject();
}

void LaunchPreview::showCheckState() {
    const int at = m_tabs->indexOf(m_checkPage);
    if (at < 0 || checkIsCurrent() == m_showsCurrent) {
        return;
    }
    m_showsCurrent = !m_showsCurrent;
    if (m_showsCurrent) {
        showFindings();
    } else {
        m_check->markOutdated(tr("Out of date: the form has changed since this check. Check again."));
    }
    m_tabs->setTabText(at, m_showsCurrent ? tr("Check") : tr("Check, out of date"));
}

void LaunchPreview::showFindings() {
    m_check->begin();
    for (const auto& finding : m_findings) {
        m_check->add(finding);
    }
    m_check->end(
        remote::worstVerdict(m_findings),
        {tr("The cluster can run this sweep."), tr("The cluster can run this sweep. Review the warnings."),
         tr("This sweep can't run yet. Fix the marked items.")});
}

void LaunchPreview::showCheck(const remote::LaunchCheck& check) {
    m_findings = check.findings;
    m_checked = m_checking;
    m_showsCurrent = true;
    showFindings();
    m_start = check.startTime;
    const int at = m_tabs->indexOf(m_checkPage);
    m_tabs->setCurrentIndex(at >= 0 ? at : m_tabs->addTab(m_checkPage, tr("Check")));
    m_tabs->setTabText(m_tabs->indexOf(m_checkPage), tr("Check"));
    showCheckState();
    showSummary();
}

QString LaunchPreview::problemText() const {
    return m_valid ? m_script->problem() : m_said.join(QLatin1Char('\n'));
}

}  // namespace dailies::ui
