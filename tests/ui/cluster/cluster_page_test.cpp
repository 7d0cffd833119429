#include "ui/cluster/cluster_page.h"

#include "core/base/clock.h"
#include "core/base/files.h"
#include "tests/ui/cluster/busy_cluster.h"
#include "tests/ui/wait_until.h"
#include "ui/cluster/adopt_panel.h"
#include "ui/cluster/cluster_rows.h"
#include "ui/cluster/queue_panel.h"
#include "ui/cluster/sandbox_control.h"
#include "ui/cluster/snapshot_table.h"
#include "ui/screenshot/render_page.h"
#include "ui/theme/theme.h"

#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QtTest>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

namespace dailies::ui {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

remote::ClusterView busyView(int nodes, int jobs) {
    remote::ClusterView view;
    view.cluster = "lab";
    view.snapshot = remote::slurm::parseSnapshot(busyClusterAnswer(nodes, jobs, 1795272000));
    view.jobsOn = remote::slurm::jobsByNode(view.snapshot.jobs);
    return view;
}

std::vector<std::string> column(const std::vector<SnapshotRow>& rows, std::size_t at) {
    std::vector<std::string> texts;
    for (const SnapshotRow& row : rows) texts.push_back(row.cells.at(at).text.toStdString());
    return texts;
}

TEST(ClusterRows, TheQueueListsMineFirstOfAllAndEverybodysWhenAsked) {
    const auto view = busyView(20, 60);
    const auto mine = queueRows(view, {}, {});
    EXPECT_GT(mine.size(), 5u);
    EXPECT_LT(mine.size(), 20u);
    EXPECT_THAT(column(mine, 2), Each("ada"));
    EXPECT_EQ(queueRows(view, {.everybody = true, .open = {}}, {}).size(), 60u);
}

TEST(ClusterRows, AnArrayIsOneLineUntilItIsOpened) {
    auto view = busyView(5, 0);
    remote::slurm::QueuedJob job;
    job.user = view.snapshot.user;
    job.gpus = 2;
    job.status.job = "9_[2-5%2]";
    job.status.state = "PENDING";
    job.status.reason = "JobArrayTaskLimit";
    job.tasks = 4;
    view.snapshot.jobs.push_back(job);
    job.status.job = "9_1";
    job.status.state = "RUNNING";
    job.tasks = 1;
    view.snapshot.jobs.push_back(job);
    const RunsByJob runs{{"9_1", {"abc", "lr=0.1"}}};
    const auto closed = queueRows(view, {}, runs);
    ASSERT_EQ(closed.size(), 1u);
    EXPECT_EQ(closed[0].key, "9");
    EXPECT_EQ(closed[0].cells[4].text, "1 running, 4 pending");
    EXPECT_EQ(closed[0].cells[5].text, "10");
    EXPECT_THAT(closed[0].cells[9].text.toStdString(), HasSubstr("limit of parallel runs"));
    const auto open = queueRows(view, {.everybody = false, .open = {"9"}}, runs);
    ASSERT_EQ(open.size(), 3u);
    EXPECT_EQ(open[2].key, "9_1");
    EXPECT_EQ(open[2].cells[1].text, "lr=0.1") << "a task is called as its run is";
    EXPECT_EQ(open[2].depth, 1);
}

TEST(ClusterRows, PartitionsSumUpWhatIsFreeOnNodesThatAreUp) {
    const auto view = busyView(50, 100);
    const auto rows = partitionRows(view);
    ASSERT_EQ(rows.size(), 2u);
    EXPECT_EQ(rows[0].cells[0].text, "gpu (default)");
    EXPECT_THAT(rows[0].cells[2].text.toStdString(), HasSubstr("/40"));
    ASSERT_TRUE(rows[0].cells[3].share);
    EXPECT_GT(*rows[0].cells[3].share, 0);
    EXPECT_FALSE(rows[1].cells[3].share) << "a partition without GPUs has no bar of them";
}

TEST(ClusterRows, AThousandJobsAndFiveHundredNodesAreARepaintsWork) {
    const auto view = busyView(500, 1000);
    SnapshotTable queue(queueColumns(), "Queue", 9);
    SnapshotTable nodes(nodeColumns(), "Nodes", 8);
    queue.resize(1100, 600);
    queue.show();
    QElapsedTimer time;
    time.start();
    queue.facts().setRows(queueRows(view, {.everybody = true, .open = {}}, {}));
    const auto queueMs = time.restart();
    nodes.facts().setRows(nodeRows(view, {}));
    const auto nodesMs = time.restart();
    queue.sortByColumn(5, Qt::DescendingOrder);
    const auto sortMs = time.restart();
    queue.facts().setSearch("ada wait");
    const auto searchMs = time.restart();
    queue.grab();
    const auto paintMs = time.restart();
    RecordProperty("queue_ms", static_cast<int>(queueMs));
    std::printf("rows: queue %lld ms, nodes %lld ms; sort %lld ms, search %lld ms, paint %lld ms\n",
                static_cast<long long>(queueMs), static_cast<long long>(nodesMs),
                static_cast<long long>(sortMs), static_cast<long long>(searchMs),
                static_cast<long long>(paintMs));
    EXPECT_GT(queue.facts().rowCount(), 10);
    EXPECT_LT(queueMs + nodesMs + sortMs + searchMs + paintMs, 1000) << "on a machine that is busy elsewhere";
}

TEST(SnapshotTable, NewRowsLeaveTheChosenOneChosen) {
    SnapshotTable table({{"Job"}, {"Name"}}, "Queue", 1);
    const auto row = [](const QString& key) { return SnapshotRow{key, {{key}, {key + " name"}}}; };
    table.facts().setRows({row("1"), row("2"), row("3")});
    table.choose("2");
    QStringList chosen;
    QObject::connect(&table, &SnapshotTable::chosen, &table, [&](const QString& key) { chosen << key; });
    table.facts().setRows({row("0"), row("1"), row("2")});
    EXPECT_EQ(table.currentKey(), "2");
    EXPECT_EQ(table.currentIndex().row(), 2);
    EXPECT_TRUE(chosen.isEmpty());
    table.facts().setRows({row("0")});
    EXPECT_EQ(table.currentKey(), "");
    EXPECT_EQ(chosen, QStringList{QString()});
}

TEST(SnapshotModel, RowsOfAnArrayMoveAndAreFoundTogether) {
    SnapshotModel model({{"Job"}, {"State"}});
    std::vector<SnapshotRow> rows{{"2", {{"2", 2}, {"array"}}},
                                  {"2_1", {{"2_1", 2}, {"running"}}, 1},
                                  {"1", {{"1", 1}, {"running"}}},
                                  {"3", {{"3", 3}, {"waiting"}}}};
    rows[0].open = true;
    model.setRows(rows);
    model.sort(0, Qt::DescendingOrder);
    const auto keys = [&] {
        QStringList list;
        for (int i = 0; i < model.rowCount(); ++i) list << model.rowAt(i).key;
        return list;
    };
    EXPECT_EQ(keys(), (QStringList{"3", "2", "2_1", "1"}));
    model.setSearch("RUN");
    EXPECT_EQ(keys(), (QStringList{"2", "2_1", "1"}));
}

class ClusterPageTest : public testing::Test {
protected:
    ClusterPageTest() { Theme::instance().apply(ThemeMode::Dark); }
    QStringList texts(const QWidget& widget) {
        QStringList all;
        for (const auto* label : widget.findChildren<QLabel*>())
            if (label->isVisible()) all << label->text();
        return all;
    }
    std::filesystem::path store() const { return m_folder.path() / "dailies.db"; }
    TemporaryFolder m_folder;
};

TEST_F(ClusterPageTest, WithoutAConnectionItShowsWhatWasSeenLastAndWhen) {
    keepBusyCluster(store(), 40, 120, unixMillis() / 1000 - 3600);
    ClusterWorker worker(store());
    SandboxControl sandbox;
    ClusterPage page(store(), worker, sandbox);
    page.resize(1096, 720);
    page.show();
    auto* queue = page.findChild<QueuePanel*>()->findChild<SnapshotTable*>();
    ASSERT_TRUE(waitUntil([&] { return page.isSettled() && queue->facts().rowCount() > 0; }));
    const QString shown = texts(page).join('\n');
    EXPECT_THAT(shown.toStdString(), HasSubstr("lab"));
    EXPECT_THAT(shown.toStdString(), HasSubstr("as of"));
    EXPECT_THAT(shown.toStdString(), HasSubstr("Offline"));
    EXPECT_THAT(shown.toStdString(), HasSubstr("of 40"));
    queue->setFocus();
    queue->choose(queue->facts().rowAt(0).key);
    for (int row = 0; row < queue->facts().rowCount(); ++row) {
        if (queue->facts().rowAt(row).open) {
            const QString array = queue->facts().rowAt(row).key;
            queue->choose(array);
            emit queue->folded(array);
            EXPECT_TRUE(*queue->facts().rowAt(queue->facts().rowOf(array)).open);
            break;
        }
    }
    if (const char* folder = std::getenv("DAILIES_PICTURES"))
        page.grab().save(QString("%1/cluster-chosen.png").arg(folder));
    for (const auto* button : page.findChildren<QPushButton*>()) {
        if (button->text() == "Cancel…") {
            EXPECT_FALSE(button->isVisible()) << "nothing can be done offline";
        }
    }
}

TEST_F(ClusterPageTest, SweepsOfOtherDatabasesAreListedToBeAdopted) {
    ClusterWorker worker(store());
    AdoptPanel panel(worker);
    panel.resize(1000, 400);
    panel.QWidget::show();
    EXPECT_THAT(texts(panel).join('\n').toStdString(), HasSubstr("Connect to see sweeps"));
    remote::UntrackedSweep sweep;
    sweep.id = std::string(32, 'a');
    sweep.name = "lr";
    sweep.createdMs = unixMillis();
    sweep.runs = {{std::string(32, 'b'), "lr=0.01", 0, "", ""}, {std::string(32, 'c'), "lr=0.1", 1, "", ""}};
    panel.display({sweep});
    const auto& facts = panel.findChild<SnapshotTable*>()->facts();
    ASSERT_EQ(facts.rowCount(), 1);
    EXPECT_EQ(facts.rowAt(0).cells[1].text, "lr");
    EXPECT_EQ(facts.rowAt(0).cells[2].text, "2");
    EXPECT_EQ(facts.rowAt(0).cells[3].text, "lr=0.01, lr=0.1");
    for (const auto* button : panel.findChildren<QPushButton*>())
        EXPECT_FALSE(button->isEnabled()) << "offline";
}

TEST_F(ClusterPageTest, ANewDesktopSaysHowToBegin) {
    ClusterWorker worker(store());
    SandboxControl sandbox;
    ClusterPage page(store(), worker, sandbox);
    page.resize(1096, 720);
    page.show();
    ASSERT_TRUE(waitUntil([&] { return page.isSettled(); }));
    EXPECT_THAT(texts(page).join('\n').toStdString(), HasSubstr("Not connected"));
    EXPECT_THROW(page.showTab("Moon"), InputError);
}

TEST_F(ClusterPageTest, OffersToConnectToASandboxThatRunsAlready) {
    struct RunningSandbox : SandboxControl {
        using SandboxControl::settle;
    } sandbox;
    ClusterWorker worker(store());
    ClusterPage page(store(), worker, sandbox);
    page.resize(1096, 720);
    page.show();
    const auto offers = [&](const QString& text) {
        const auto buttons = page.findChildren<QPushButton*>();
        return std::ranges::any_of(buttons, [&](const QPushButton* button) {
            return button->isVisible() && button->isEnabled() && button->text() == text;
        });
    };
    ASSERT_TRUE(waitUntil([&] { return page.isSettled() && offers("Start the sandbox"); }));
    sandbox.settle(true);
    EXPECT_TRUE(offers("Connect to the sandbox"));
    EXPECT_FALSE(offers("Start the sandbox"));
    sandbox.settle(false);
    EXPECT_TRUE(offers("Start the sandbox"));
}

/// DAILIES_PICTURES names a folder in which a person can look at the pages afterwards.
TEST_F(ClusterPageTest, EachTabIsPaintedInBothThemes) {
    keepBusyCluster(store(), 500, 1000, unixMillis() / 1000 - 60);
    const char* folder = std::getenv("DAILIES_PICTURES");
    for (const ThemeMode theme : {ThemeMode::Dark, ThemeMode::Light}) {
        for (const char* tab : {"Queue", "Nodes", "Partitions", "History", "Adopt"}) {
            ScreenshotOptions picture;
            picture.page = "cluster";
            picture.storeFile = store();
            picture.theme = theme;
            picture.size = {1280, 720};
            picture.tab = tab;
            const QImage image = renderPage(picture);
            EXPECT_EQ(image.size(), QSize(1280, 720));
            if (folder)
                image.save(
                    QString("%1/cluster-%2-%3.png")
                        .arg(folder, QString(tab).toLower(), theme == ThemeMode::Dark ? "dark" : "light"));
        }
    }
}

}  // namespace
}  // namespace dailies::ui
