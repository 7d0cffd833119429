#include "ui/launch/launch_preview.h"

#include "core/base/error.h"
#include "remote/cluster/launch.h"
#include "ui/launch/field_editor.h"
#include "ui/widgets/widgets.h"

#include <QBoxLayout>
#include <QHeaderView>
#include <QPlainTextEdit>
#include <QTabBar>
#include <QTabWidget>
#include <QTableWidget>

#include <algorithm>

namespace dailies::ui {

namespace {

constexpr int kDelayMs = 150;
constexpr std::size_t kMostRows = 500;  ///< a table of ten thousand planned runs helps nobody

QPlainTextEdit* makeCode(const QString& name) {
    auto* edit = new QPlainTextEdit;
    edit->setReadOnly(true);
    edit->setLineWrapMode(QPlainTextEdit::NoWrap);
    edit->setFont(Theme::font(TextStyle::Mono));
    edit->setAccessibleName(name);
    edit->setTabChangesFocus(true);
    return edit;
}

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
      m_summary(makeLabel({}, TextStyle::Title)),
      m_problems(makeLabel({}, TextStyle::Body, TextTone::Danger)),
      m_tabs(new QTabWidget),
      m_runs(new QTableWidget),
      m_script(makeCode(tr("The sbatch script"))),
      m_yaml(makeCode(tr("The sweep as YAML"))) {
    m_problems->setWordWrap(true);
    m_problems->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_problems->hide();
    m_runs->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_runs->setSelectionMode(QAbstractItemView::NoSelection);
    m_runs->setShowGrid(false);
    m_runs->setTabKeyNavigation(false);
    m_runs->verticalHeader()->hide();
    m_runs->verticalHeader()->setDefaultSectionSize(kRowHeight);
    m_runs->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    m_runs->horizontalHeader()->setFont(Theme::font(TextStyle::Caption));
    m_runs->horizontalHeader()->setHighlightSections(false);
    m_runs->horizontalHeader()->setStretchLastSection(true);
    m_runs->setAccessibleName(tr("The runs that would be launched"));
    m_tabs->setDocumentMode(true);
    m_tabs->addTab(m_runs, tr("Runs"));
    m_tabs->addTab(padded(m_script), tr("Script"));
    m_tabs->addTab(padded(m_yaml), tr("YAML"));
    m_tabs->tabBar()->setDrawBase(false);
    m_tabs->tabBar()->setExpanding(false);

    auto* column = makeColumn(0);
    auto* head = makeColumn(space::k8, {space::k16, space::k16, space::k16, space::k12});
    head->addWidget(m_summary);
    head->addWidget(m_problems);
    column->addLayout(head);
    column->addWidget(m_tabs, 1);
    setLayout(column);

    m_later.setSingleShot(true);
    m_later.setInterval(kDelayMs);
    connect(&m_later, &QTimer::timeout, this, &LaunchPreview::plan);
}

void LaunchPreview::show(const sweep::Sweep& sweep, const remote::ClusterProfile& profile,
                         const std::string& workspace, const QStringList& problems) {
    m_sweep = sweep;
    m_profile = profile;
    m_workspace = workspace;
    m_task.cancel();
    m_planning = false;
    m_later.stop();
    if (problems.isEmpty()) {
        m_later.start();
    } else {
        showProblems(problems);
    }
}

void LaunchPreview::plan() {
    m_planning = true;
    m_task = runAsync(
        this,
        [sweep = m_sweep, profile = m_profile, workspace = m_workspace](std::stop_token) {
            auto planned = remote::planLaunch(sweep, profile, workspace, {});
            return Plan{std::move(planned.runs), std::move(planned.script), sweep::toYaml(sweep)};
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

void LaunchPreview::showPlan(const Plan& plan) {
    m_valid = true;
    m_runCount = static_cast<int>(plan.runs.size());
    const int atOnce = std::min(m_runCount, m_sweep.resources.parallelRuns);
    m_summary->setText(m_runCount == 1 ? tr("1 run") : tr("%1 runs, %2 at once").arg(m_runCount).arg(atOnce));
    setTone(m_summary, TextTone::Normal);
    m_problems->hide();

    QStringList headings{tr("Run")};
    std::vector<std::string> keys;
    if (!plan.runs.empty()) {
        for (const auto& [key, value] : plan.runs.front().varied.items()) {
            keys.push_back(key);
            headings << QString::fromStdString(key);
        }
    }
    const std::size_t rows = std::min(plan.runs.size(), kMostRows);
    m_runs->setColumnCount(static_cast<int>(headings.size()));
    m_runs->setHorizontalHeaderLabels(headings);
    m_runs->setRowCount(static_cast<int>(rows));
    for (std::size_t row = 0; row < rows; ++row) {
        const int at = static_cast<int>(row);
        m_runs->setItem(at, 0, new QTableWidgetItem(inert(plan.runs[row].name)));
        for (std::size_t column = 0; column < keys.size(); ++column) {
            m_runs->setItem(
                at, static_cast<int>(column) + 1,
                new QTableWidgetItem(configText(plan.runs[row].varied.value(keys[column], Json()))));
        }
    }
    m_runs->resizeColumnsToContents();
    for (int column = 0; column < m_runs->columnCount(); ++column) {
        m_runs->setColumnWidth(column, std::clamp(m_runs->columnWidth(column) + space::k24, 96, 280));
    }
    m_script->setPlainText(QString::fromStdString(plan.script));
    m_yaml->setPlainText(QString::fromStdString(plan.yaml));
    emit changed();
}

void LaunchPreview::showProblems(const QStringList& problems) {
    m_valid = false;
    m_runCount = 0;
    m_summary->setText(tr("Not ready"));
    m_problems->setText(problems.join(QStringLiteral("\n")));
    m_problems->show();
    m_runs->setRowCount(0);
    m_script->clear();
    emit changed();
}

QString LaunchPreview::yaml() const {
    return m_yaml->toPlainText();
}

QString LaunchPreview::script() const {
    return m_script->toPlainText();
}

QStringList LaunchPreview::runNames() const {
    QStringList names;
    for (int row = 0; row < m_runs->rowCount(); ++row) {
        names << m_runs->item(row, 0)->text();
    }
    return names;
}

QString LaunchPreview::problemText() const {
    return m_valid ? QString() : m_problems->text();
}

}  // namespace dailies::ui
