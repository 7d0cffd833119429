#include "ui/compare/compare_page.h"

#include "core/base/files.h"
#include "tests/support/demo_store.h"
#include "tests/ui/wait_until.h"
#include "ui/charts/chart_grid.h"
#include "ui/compare/code_difference_dialog.h"
#include "ui/compare/compare_clips.h"
#include "ui/compare/compare_table.h"
#include "ui/link/cluster_worker.h"
#include "ui/wall/wall_view.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QScrollBar>
#include <QTest>
#include <QToolButton>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dailies::ui {
namespace {

using testing::ElementsAre;

class ComparePageTest : public testing::Test {
protected:
    void SetUp() override {
        m_demo = test::makeDemoStore(m_folder.path(), {.prompts = 2, .samples = 3});
        m_worker = std::make_unique<ClusterWorker>(m_demo.file);
        m_page = std::make_unique<ComparePage>(m_demo.file, *m_worker);
        m_page->resize(1280, 720);
        m_page->show();
        m_page->setFocus();
    }

    void compare(const std::vector<std::string>& ids) {
        m_page->setRuns(ids);
        ASSERT_TRUE(waitUntil([&] { return m_page->isSettled(); }, 20'000));
    }

    std::vector<std::string> keys() const {
        std::vector<std::string> found;
        for (const auto& line : m_page->table().lines())
            if (line.row) found.push_back(line.row->key);
        return found;
    }

    const dailies::compare::Row& row(const std::string& key) const {
        for (const auto& line : m_page->table().lines())
            if (line.row && line.row->key == key) return *line.row;
        throw std::runtime_error("no row " + key);
    }

    bool shows(const QString& text) const {
        const auto labels = m_page->findChildren<QLabel*>();
        return std::any_of(labels.begin(), labels.end(), [&](const QLabel* label) {
            return label->isVisible() && label->text().contains(text);
        });
    }

    QToolButton* link(const QString& text) const {
        for (auto* button : m_page->findChildren<QToolButton*>())
            if (button->isVisible() && button->text() == text) return button;
        return nullptr;
    }

    void press(Qt::Key key, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
        QTest::keyClick(m_page.get(), key, modifiers);
        ASSERT_TRUE(waitUntil([&] { return m_page->isSettled(); }, 20'000));
    }

    TemporaryFolder m_folder;
    test::DemoStore m_demo;
    std::unique_ptr<ClusterWorker> m_worker;
    std::unique_ptr<ComparePage> m_page;
};

TEST_F(ComparePageTest, WithoutRunsOrWithOneItSaysWhatToDo) {
    compare({});
    EXPECT_TRUE(shows("Nothing to compare yet"));
    compare({m_demo.runIds[0]});
    EXPECT_TRUE(shows("Select at least two runs"));
}

TEST_F(ComparePageTest, ShowsWhatDiffersAndOnRequestEverything) {
    compare(m_demo.runIds);
    EXPECT_THAT(keys(), testing::Contains("optimizer.lr"));
    EXPECT_THAT(keys(), testing::Not(testing::Contains("model.family")));
    press(Qt::Key_D);
    EXPECT_THAT(keys(), testing::Contains("model.family"));
}

TEST_F(ComparePageTest, KeysMoveTheReferenceAndTheColumns) {
    compare(m_demo.runIds);
    EXPECT_EQ(m_page->reference(), m_demo.runIds[0]);
    press(Qt::Key_Right);
    press(Qt::Key_S);
    EXPECT_EQ(m_page->reference(), m_demo.runIds[1]);
    EXPECT_EQ(row("optimizer.lr").cells[1].change, "");
    EXPECT_NE(row("optimizer.lr").cells[0].change, "");
    press(Qt::Key_Right, Qt::ControlModifier);
    EXPECT_THAT(m_page->runIds(),
                ElementsAre(m_demo.runIds[0], m_demo.runIds[2], m_demo.runIds[1], m_demo.runIds[3]));
    EXPECT_EQ(m_page->reference(), m_demo.runIds[1]) << "the reference moves with its run";
    press(Qt::Key_Delete);
    EXPECT_THAT(m_page->runIds(), ElementsAre(m_demo.runIds[0], m_demo.runIds[2], m_demo.runIds[3]));
    EXPECT_EQ(m_page->reference(), m_demo.runIds[0]) << "the first takes a removed reference's place";
}

TEST_F(ComparePageTest, TheBestRunBecomesTheReferenceByAKey) {
    compare(m_demo.runIds);
    const auto& cells = row("adherence").cells;
    const auto best = std::find_if(cells.begin(), cells.end(), [](const auto& cell) { return cell.best; });
    const auto id = m_demo.runIds[static_cast<std::size_t>(best - cells.begin())];
    ASSERT_NE(id, m_page->reference());
    QString notification;
    QObject::connect(m_page.get(), &ComparePage::notification, m_page.get(),
                     [&](const QString& text) { notification = text; });
    press(Qt::Key_B);
    EXPECT_EQ(m_page->reference(), id);
    EXPECT_TRUE(notification.contains("adherence")) << notification.toStdString();
}

TEST_F(ComparePageTest, LinksGoToEverySectionAndClipsComeBeforeCurvesWithoutAScrollOfTheirOwn) {
    compare(m_demo.runIds);
    auto* sheet = m_page->clips().parentWidget();
    EXPECT_LT(m_page->clips().y(), m_page->charts().y());
    EXPECT_EQ(m_page->clips().wall().verticalScrollBar()->maximum(), 0);
    ASSERT_NE(link("Configuration"), nullptr);
    ASSERT_NE(link("Clips"), nullptr);
    ASSERT_NE(link("Curves"), nullptr);
    link("Clips")->click();
    const int top = m_page->clips().mapTo(m_page.get(), QPoint(0, 0)).y();
    EXPECT_LT(top, m_page->height() / 2) << "the clips are on the screen now";
    EXPECT_TRUE(link("Clips")->isChecked());
    EXPECT_FALSE(link("Configuration")->isChecked());
    link("Configuration")->click();
    EXPECT_TRUE(link("Configuration")->isChecked());
    EXPECT_GE(sheet->mapTo(m_page.get(), QPoint(0, 0)).y(), 0);
}

TEST_F(ComparePageTest, TheLinkThatWasFollowedIsMarkedAlsoAtTheEndOfTheSheet) {
    m_page->resize(1280, 1000);  // the curves cannot come to the top of it
    compare(m_demo.runIds);
    link("Curves")->click();
    EXPECT_TRUE(link("Curves")->isChecked());
    EXPECT_FALSE(link("Clips")->isChecked());
    link("Clips")->click();
    EXPECT_TRUE(link("Clips")->isChecked());
    EXPECT_FALSE(link("Curves")->isChecked());
    press(Qt::Key_Home);
    EXPECT_TRUE(link("Configuration")->isChecked());
    press(Qt::Key_End);
    EXPECT_TRUE(link("Curves")->isChecked()) << "the end of the sheet is its last section";
}

TEST_F(ComparePageTest, TabGoesFromTheBarOverTheLinksToClipsAndCurves) {
    compare(m_demo.runIds);
    QApplication::setActiveWindow(m_page.get());
    m_page->setFocus();
    const auto partOf = [&](const QWidget* widget) -> QString {
        if (m_page->clips().isAncestorOf(widget)) return "clips";
        if (m_page->charts().isAncestorOf(widget)) return "curves";
        return widget->accessibleName().startsWith("Go to ") ? "links" : "bar";
    };
    QStringList parts;
    for (int i = 0; i < 300; ++i) {
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
        ASSERT_NE(QApplication::focusWidget(), nullptr);
        if (QApplication::focusWidget() == m_page.get()) break;
        const QString part = partOf(QApplication::focusWidget());
        if (parts.isEmpty() || parts.last() != part) parts << part;
    }
    EXPECT_EQ(parts, (QStringList{"bar", "links", "clips", "curves"})) << parts.join(' ').toStdString();

    bool opened = false;
    QObject::connect(m_page.get(), &ComparePage::openRunRequested, m_page.get(), [&] { opened = true; });
    m_page->setFocus();
    for (int i = 0; i < 30 && QApplication::focusWidget() != link("Curves"); ++i)
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
    ASSERT_TRUE(link("Curves")->hasFocus());
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Return);
    EXPECT_TRUE(link("Curves")->isChecked());
    EXPECT_FALSE(m_page->charts().visibleRegion().isEmpty());
    EXPECT_FALSE(opened) << "Enter presses what has the focus";
}

TEST_F(ComparePageTest, WhatCanBeDoneIsThereForTheCommandPalette) {
    const auto enabled = [&](const QString& text) {
        for (const auto* action : m_page->actions())
            if (action->text() == text) return action->isEnabled();
        ADD_FAILURE() << "no action " << text.toStdString();
        return false;
    };
    compare({m_demo.runIds[0]});
    EXPECT_FALSE(enabled("Best run as reference"));
    EXPECT_TRUE(enabled("Open run"));
    compare(m_demo.runIds);
    for (const auto* action : m_page->actions()) {
        const bool isOfOwnPrograms = action->text() == "Compare code with the reference";
        EXPECT_FALSE(action->text().isEmpty());
        EXPECT_NE(action->isEnabled(), isOfOwnPrograms) << action->text().toStdString();
    }
}

TEST_F(ComparePageTest, TheSweepsGoalDecidesWhichIsBest) {
    compare(m_demo.runIds);
    const auto& adherence = row("adherence");
    EXPECT_TRUE(std::any_of(adherence.cells.begin(), adherence.cells.end(), [](auto& c) { return c.best; }));
}

TEST_F(ComparePageTest, FindsRowsAndEscapeComesBackToTheTable) {
    compare(m_demo.runIds);
    press(Qt::Key_Slash);
    auto* search = m_page->findChild<QLineEdit*>();
    QTest::keyClicks(search, "loss");
    for (const auto& key : keys()) EXPECT_EQ(key, "loss");
    QTest::keyClick(search, Qt::Key_Escape);
    EXPECT_GT(keys().size(), 2u);
    bool back = false;
    QObject::connect(m_page.get(), &ComparePage::backRequested, m_page.get(), [&] { back = true; });
    press(Qt::Key_Escape);
    EXPECT_TRUE(back);
}

TEST_F(ComparePageTest, AStepChosenInACurveMovesTheClipsToTheNearestOne) {
    compare(m_demo.runIds);
    ASSERT_TRUE(m_page->clips().hasClips());
    EXPECT_EQ(m_page->clips().step(), 600) << "the newest at first";
    emit m_page->charts().stepChosen(m_demo.runIds[2], 230);
    EXPECT_EQ(m_page->clips().step(), 200);
    EXPECT_EQ(m_page->clips().wall().selectedColumn(), 2);
    press(Qt::Key_BracketRight);
    EXPECT_EQ(m_page->clips().step(), 400);
}

TEST_F(ComparePageTest, CopiesWhatIsOnShowAsATable) {
    compare(m_demo.runIds);
    press(Qt::Key_C, Qt::ControlModifier);
    const QString text = QApplication::clipboard()->text();
    EXPECT_TRUE(text.contains("| optimizer.lr |")) << text.toStdString();
    EXPECT_TRUE(text.contains("★"));
    EXPECT_TRUE(m_page->csv().startsWith("section,key,unit,"));
}

TEST_F(ComparePageTest, DeletedAndUnknownRunsAreLeftOutAndSaid) {
    tracking::Store(m_demo.file).deleteRuns({m_demo.runIds[3]});
    compare({m_demo.runIds[0], m_demo.runIds[1], m_demo.runIds[3], std::string(32, 'f')});
    EXPECT_TRUE(shows("2 runs were deleted"));
    EXPECT_EQ(row("optimizer.lr").cells.size(), 2u);
}

TEST_F(ComparePageTest, TheTimeOfAnActiveRunThatIsNotHeardOfStandsStill) {
    const std::string unseen(32, 'a'), foreign(32, 'b');
    {
        tracking::Store store(m_demo.file);
        tracking::Run run;
        run.experimentId = store.run(m_demo.runIds[0])->experimentId;
        run.status = tracking::RunStatus::Running;
        run.startMs = 1'763'700'000'000;
        run.id = foreign;
        store.createRun(run);
        run.id = unseen;
        run.tags[tracking::tag::kCluster] = "faraway";
        store.createRun(run);
        for (const auto& id : {unseen, foreign}) {
            tracking::Attempt attempt;
            attempt.runId = id;
            attempt.job = "7_0";
            attempt.startMs = run.startMs + 3'720'000;
            store.putAttempt(attempt);
        }
    }
    compare({unseen, foreign, m_demo.runIds[0]});
    EXPECT_EQ(row("duration").cells[0].text, "1 h 02 min") << "until its newest attempt began";
    EXPECT_NE(row("duration").cells[1].text, "1 h 02 min") << "no cluster says that it ended";
}

TEST_F(ComparePageTest, NewPointsOfARunAppearByThemselves) {
    compare(m_demo.runIds);
    tracking::Store(m_demo.file).setTag(m_demo.runIds[0], "dailies.trainer", "9.9.9");
    emit m_worker->runsChanged({m_demo.runIds[0]});
    EXPECT_TRUE(waitUntil([&] {
        const auto found = keys();
        return std::find(found.begin(), found.end(), "dailies.trainer") != found.end();
    }));
}

// -- code

TEST_F(ComparePageTest, TheCodeOfOwnProgramsIsComparedAndOfTheTrainerIsNot) {
    const std::vector<std::string> two{m_demo.runIds[0], m_demo.runIds[1]};
    const auto button = [&] { return link("Code"); };
    compare(two);
    EXPECT_FALSE(button());
    tracking::Store(m_demo.file).setTag(two[0], tracking::tag::kCode, "/w/code/0f3a");
    compare(two);
    ASSERT_TRUE(button());
    EXPECT_FALSE(button()->isEnabled()) << "of the other one it is not known";
    tracking::Store(m_demo.file).setTag(two[1], tracking::tag::kCode, "/w/code/77aa");
    compare(two);
    ASSERT_TRUE(button() && button()->isEnabled());

    std::string problem;
    QObject::connect(m_worker.get(), &ClusterWorker::failed, m_page.get(),
                     [&](const Error& error) { problem = error.full(); });
    button()->click();
    ASSERT_TRUE(waitUntil([&] { return !problem.empty(); }));
    EXPECT_THAT(problem, testing::HasSubstr("onnect")) << "nothing is connected here";

    emit m_worker->codeCompared(two[0], two[1],
                                "--- a/train.py\n+++ b/train.py\n@@ -1 +1 @@\n-lr\n+\x1b[1mlr\n");
    auto* dialog = m_page->window()->findChild<CodeDifferenceDialog*>();
    ASSERT_TRUE(dialog && dialog->isVisible());
    EXPECT_THAT(dialog->windowTitle().toStdString(), testing::HasSubstr("Code of "));
    const std::string text = dialog->text().toPlainText().toStdString();
    EXPECT_THAT(text, testing::HasSubstr("-lr\n"));
    EXPECT_THAT(text, testing::Not(testing::HasSubstr("\x1b")));
}

}  // namespace
}  // namespace dailies::ui
