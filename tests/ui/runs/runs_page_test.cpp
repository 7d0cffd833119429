#include "ui/runs/runs_page.h"

#include "core/base/files.h"
#include "core/tracking/run_color.h"
#include "core/tracking/store_lock.h"
#include "tests/support/demo_store.h"
#include "tests/support/large_store.h"
#include "tests/ui/wait_until.h"
#include "ui/charts/chart_grid.h"
#include "ui/charts/metric_chart.h"
#include "ui/link/cluster_worker.h"
#include "ui/runs/column_chooser.h"
#include "ui/runs/purge_dialog.h"
#include "ui/runs/run_table.h"
#include "ui/runs/selection_bar.h"
#include "ui/runs/sparkline_cache.h"
#include "ui/runs/tag_editor.h"
#include "ui/theme/run_colors.h"
#include "ui/theme/theme.h"

#include <QAction>
#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QDialog>
#include <QLabel>
#include <QLineEdit>
#include <QMessageBox>
#include <QPushButton>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>
#include <QToolButton>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <optional>

namespace dailies::ui {
namespace {

/// A page over a real store, as the window shows it.
class RunsPageTest : public testing::Test {
protected:
    void SetUp() override {
        m_demo = test::makeDemoStore(m_folder.path(), {.samples = 2});
        open();
    }

    void open() {
        m_page.reset();
        m_worker.reset();  // which holds the store's lock
        m_worker = std::make_unique<ClusterWorker>(m_demo.file);
        m_page = std::make_unique<RunsPage>(m_demo.file, *m_worker);
        m_page->resize(1280, 720);
        m_page->show();
        QApplication::setActiveWindow(m_page.get());
        settle();
    }

    void settle() {
        ASSERT_TRUE(waitUntil([&] { return m_page->isSettled(); }, 20'000));
    }
    void type(const QString& text) {
        m_page->focusFilter();
        QTest::keyClicks(&m_page->filterBox(), text);
        settle();
    }
    void press(Qt::Key key, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
        m_page->table().setFocus();
        QTest::keyClick(&m_page->table(), key, modifiers);
        settle();
    }
    int rows() { return m_page->model().rowCount(); }
    bool shows(const QString& text) {
        for (const auto* label : m_page->window()->findChildren<QLabel*>()) {
            if (label->isVisible() && label->text().contains(text)) {
                return true;
            }
        }
        return false;
    }
    QAction* action(const QString& text) {
        for (auto* each : m_page->actions()) {
            if (each->text() == text) {
                return each;
            }
        }
        throw std::runtime_error("no action " + text.toStdString());
    }
    tracking::Store store() { return tracking::Store(m_demo.file); }

    TemporaryFolder m_folder;
    test::DemoStore m_demo;
    std::unique_ptr<ClusterWorker> m_worker;
    std::unique_ptr<RunsPage> m_page;
};

TEST_F(RunsPageTest, AQueryIsAnsweredWhileItIsTyped) {
    type("params.optimizer.lr > 0.005");
    EXPECT_LT(rows(), 4);
    EXPECT_GT(rows(), 0);
    EXPECT_TRUE(m_page->filterBox().problem().isEmpty());
}

TEST_F(RunsPageTest, AMistakeIsExplainedBelowAndTheTableStaysAsItWas) {
    type("metrics.loss < ");
    EXPECT_EQ(rows(), 4);
    EXPECT_FALSE(m_page->filterBox().problem().isEmpty());
    QTest::keyClick(&m_page->filterBox(), Qt::Key_Return);
    EXPECT_TRUE(waitUntil([&] { return shows(m_page->filterBox().problem().left(20)); }));
    EXPECT_TRUE(m_page->filterBox().property("problem").toBool());
}

TEST_F(RunsPageTest, RealKeysAreProposedAndTabTakesOne) {
    type("params.optimizer.l");
    ASSERT_TRUE(waitUntil([&] {
        QTest::keyClick(&m_page->filterBox(), Qt::Key_Space, Qt::ControlModifier);
        return m_page->filterBox().suggestions().contains("params.optimizer.lr");
    }));
    QTest::keyClick(&m_page->filterBox(), Qt::Key_Tab);
    EXPECT_TRUE(m_page->filterBox().text().startsWith("params.optimizer.lr"));
    EXPECT_TRUE(m_page->filterBox().hasFocus()) << "Tab takes a proposal before it moves on";
}

TEST_F(RunsPageTest, EnterTakesTheFirstProposalOfAFilterThatIsNotWholeYet) {
    type("params.optimizer.l");
    ASSERT_TRUE(waitUntil([&] {
        QTest::keyClick(&m_page->filterBox(), Qt::Key_Space, Qt::ControlModifier);
        return m_page->filterBox().suggestions().contains("params.optimizer.lr");
    }));
    QTest::keyClick(&m_page->filterBox(), Qt::Key_Return);
    EXPECT_TRUE(m_page->filterBox().text().startsWith("params.optimizer.lr"));
    EXPECT_TRUE(m_page->filterBox().hasFocus());
}

TEST_F(RunsPageTest, EscapeEmptiesTheFilterAndThenLeavesIt) {
    type("no such run");
    EXPECT_EQ(rows(), 0);
    EXPECT_TRUE(shows("No results for “no such run”"));
    QTest::keyClick(&m_page->filterBox(), Qt::Key_Escape);
    QTest::keyClick(&m_page->filterBox(), Qt::Key_Escape);
    settle();
    EXPECT_EQ(rows(), 4);
    QTest::keyClick(&m_page->filterBox(), Qt::Key_Escape);
    EXPECT_TRUE(m_page->table().hasFocus());
}

TEST_F(RunsPageTest, BelowAFilterThatNothingMatchesTheChartsSaySoAndOfferToClearIt) {
    type("no such run");
    EXPECT_FALSE(shows("Curves appear here"));
    EXPECT_TRUE(shows("No run matches the filter."));
    QPushButton* clear = nullptr;
    for (auto* button : m_page->findChild<ChartGrid*>()->findChildren<QPushButton*>())
        if (button->isVisible() && button->text() == "Clear the filter") clear = button;
    ASSERT_NE(clear, nullptr);
    clear->click();
    settle();
    EXPECT_EQ(m_page->filterBox().text(), "");
    EXPECT_EQ(rows(), 4);
    EXPECT_FALSE(shows("No run matches the filter."));
}

TEST_F(RunsPageTest, WhereAllCurvesAreHiddenTheChartsOfferToShowThem) {
    m_page->table().selectAll();
    m_page->table().setFocus();
    press(Qt::Key_H);
    settle();
    EXPECT_TRUE(shows("The curves of all runs shown are hidden."));
    for (auto* button : m_page->findChild<ChartGrid*>()->findChildren<QPushButton*>())
        if (button->isVisible() && button->text() == "Show all curves") button->click();
    settle();
    EXPECT_TRUE(m_page->model().hidden().empty());
    EXPECT_FALSE(shows("are hidden."));
}

TEST_F(RunsPageTest, TheKeysSelectOpenCompareAndPin) {
    m_page->table().setFocus();
    QSignalSpy opened(m_page.get(), &RunsPage::openRunRequested);
    QSignalSpy compared(m_page.get(), &RunsPage::compareRequested);
    press(Qt::Key_End);
    press(Qt::Key_Return);
    ASSERT_EQ(opened.size(), 1);
    EXPECT_EQ(opened.front().front().value<std::string>(), m_page->model().runAt(3)->id);
    press(Qt::Key_Home);
    press(Qt::Key_Down, Qt::ShiftModifier);
    EXPECT_EQ(m_page->selectedOrShownRuns().size(), 2U);
    press(Qt::Key_C);
    ASSERT_EQ(compared.size(), 1);
    const std::string last = m_page->model().runAt(3)->id;
    m_page->selectRuns({last});
    press(Qt::Key_P);
    EXPECT_EQ(m_page->model().runAt(0)->id, last);
    press(Qt::Key_P);
    EXPECT_EQ(m_page->model().runAt(3)->id, last);
}

TEST_F(RunsPageTest, SpaceChoosesRunsThatAreNotNeighbours) {
    const auto id = [this](int row) { return m_page->model().runAt(row)->id; };
    const auto chosen = [&] { return m_page->selectedOrShownRuns(); };
    press(Qt::Key_Home);
    press(Qt::Key_Down);
    EXPECT_EQ(chosen(), std::vector{id(1)}) << "the arrows select while nothing was chosen with Space";
    press(Qt::Key_Space);
    press(Qt::Key_Down);
    press(Qt::Key_Down);
    EXPECT_EQ(chosen(), std::vector{id(1)}) << "now they only move";
    press(Qt::Key_Space);
    EXPECT_EQ(chosen(), (std::vector{id(1), id(3)}));
    press(Qt::Key_Home);
    EXPECT_EQ(chosen().size(), 2U);
    press(Qt::Key_End);
    press(Qt::Key_Space);
    EXPECT_EQ(chosen(), std::vector{id(1)}) << "Space takes a run out again";
    press(Qt::Key_Escape);
    EXPECT_FALSE(m_page->table().selectionModel()->hasSelection());
    press(Qt::Key_Up);
    EXPECT_EQ(chosen(), std::vector{id(2)}) << "after Escape the arrows select again";
}

TEST_F(RunsPageTest, ComparingNeedsASelection) {
    QSignalSpy compared(m_page.get(), &RunsPage::compareRequested);
    press(Qt::Key_C);
    EXPECT_TRUE(shows("Select 2 to 50 runs"));
    m_page->selectRuns({m_page->model().runAt(0)->id});
    press(Qt::Key_C);
    EXPECT_TRUE(compared.isEmpty()) << "one run has nothing to be compared with";
    EXPECT_TRUE(shows("Select 2 to 50 runs"));
}

TEST_F(RunsPageTest, GroupsFoldByKeyboard) {
    m_page->groupBy({Grouping::By::Status});
    settle();
    m_page->table().setFocus();
    m_page->table().setCurrentIndex(m_page->model().index(0, 0));
    const int unfolded = rows();
    press(Qt::Key_Left);
    EXPECT_LT(rows(), unfolded);
    press(Qt::Key_Right);
    EXPECT_EQ(rows(), unfolded);
    press(Qt::Key_Space);
    EXPECT_EQ(m_page->selectedOrShownRuns().size(), m_page->model().runsOfGroup(0).size());
    EXPECT_FALSE(m_page->chartedRuns().front().group.empty());
}

TEST_F(RunsPageTest, ArchivingCanBeTakenBack) {
    const std::string id = m_page->model().runAt(0)->id;
    m_page->selectRuns({id});
    settle();
    press(Qt::Key_A);
    ASSERT_TRUE(waitUntil([&] { return rows() == 3; }));
    EXPECT_TRUE(shows("Archived 1 run"));
    EXPECT_EQ(store().deletedRuns().size(), 1U);
    press(Qt::Key_Z, Qt::ControlModifier);
    ASSERT_TRUE(waitUntil([&] { return rows() == 4; }));
    EXPECT_TRUE(store().deletedRuns().empty());
}

TEST_F(RunsPageTest, ArchivedRunsAreDeletedForEverOnlyAfterSayingWhatGoes) {
    const std::string id = m_page->model().runAt(0)->id;
    store().deleteRuns({id});
    m_page->showArchived(true);
    ASSERT_TRUE(waitUntil([&] { return rows() == 1; }));
    m_page->selectRuns({id});
    emit m_page->selectionBar().purgeRequested();
    auto* dialog = m_page->window()->findChild<PurgeDialog*>();
    ASSERT_NE(dialog, nullptr);
    ASSERT_TRUE(waitUntil([&] { return dialog->counted(); }));
    EXPECT_TRUE(shows("metric points"));
    for (auto* button : dialog->findChildren<QPushButton*>()) {
        if (button->text() == "Delete permanently") {
            button->click();
        }
    }
    ASSERT_TRUE(waitUntil([&] { return rows() == 0; }, 20'000));
    EXPECT_FALSE(store().run(id).has_value());
    EXPECT_TRUE(shows("permanently"));
}

TEST_F(RunsPageTest, TagsAreSetAndRemovedOnAllSelectedRuns) {
    m_page->table().selectAll();
    m_page->editTags();
    auto* editor = m_page->window()->findChild<TagEditor*>();
    ASSERT_NE(editor, nullptr);
    emit editor->set("verdict", "keep");
    ASSERT_TRUE(waitUntil([&] { return store().runs().back().tags["verdict"] == "keep"; }));
    emit editor->removed("verdict");
    ASSERT_TRUE(waitUntil([&] { return !store().runs().front().tags.contains("verdict"); }));
}

TEST_F(RunsPageTest, AViewComesBackWithEverythingAfterARestart) {
    type("params.optimizer.lr > 0");
    m_page->groupBy({Grouping::By::Sweep});
    m_page->table().sortByColumn(m_page->model().columnOfId("param:optimizer.lr"), Qt::DescendingOrder);
    settle();
    m_page->views().saveAs("by rate");
    ASSERT_TRUE(waitUntil([&] { return !store().views().empty(); }));
    m_page->applyView({});
    settle();
    EXPECT_TRUE(m_page->filterBox().text().isEmpty());
    m_page->views().choose("by rate");
    settle();
    const ViewState left = m_page->viewState();
    EXPECT_EQ(left.filter, "params.optimizer.lr > 0");
    EXPECT_EQ(left.sortBy, "param:optimizer.lr");
    ASSERT_TRUE(waitUntil([&] { return readViews(store()).last == left; })) << "kept without being asked";
    open();
    EXPECT_EQ(m_page->viewState(), left);
    EXPECT_TRUE(m_page->views().views().contains("by rate"));
}

TEST_F(RunsPageTest, AStatusThatChangesFindsRoomInItsColumn) {
    auto& table = m_page->table();
    const int status = m_page->model().columnOfId("status");
    const QFontMetrics metrics(Theme::font(TextStyle::Body));
    EXPECT_GE(table.columnWidth(status), metrics.horizontalAdvance("Running 99 %") + 48)
        << "though every run has finished";
}

TEST_F(RunsPageTest, SelectedRowsAreCopiedAsATable) {
    m_page->table().selectAll();
    press(Qt::Key_C, Qt::ControlModifier);
    EXPECT_EQ(QApplication::clipboard()->text().count(u'\n'), 5);
}

TEST_F(RunsPageTest, ANewRunDoesNotTakeTheSelection) {
    const std::string id = m_page->model().runAt(1)->id;
    m_page->selectRuns({id});
    auto writer = store();
    tracking::Run run;
    run.id = std::string(32, 'f');
    run.name = "fresh";
    run.experiment = "Default";
    run.experimentId = writer.ensureExperiment("Default");
    run.startMs = 2'000'000'000'000;
    writer.createRun(run);
    ASSERT_TRUE(waitUntil([&] { return rows() == 5; }));
    settle();
    EXPECT_EQ(m_page->model().runAt(0)->name, "fresh");
    EXPECT_EQ(m_page->selectedOrShownRuns(), std::vector<std::string>{id});
}

TEST_F(RunsPageTest, ColumnsAreFoundByTypingAndSwitchedByEnter) {
    press(Qt::Key_K);
    auto* chooser = m_page->findChild<ColumnChooser*>();
    ASSERT_NE(chooser, nullptr);
    auto* search = chooser->findChild<QLineEdit*>();
    search->setText("duration");
    QTest::keyClick(search, Qt::Key_Return);
    EXPECT_EQ(m_page->model().columnOfId("duration"), -1);
    QTest::keyClick(search, Qt::Key_Return);
    EXPECT_GE(m_page->model().columnOfId("duration"), 0);
    QTest::keyClick(search, Qt::Key_Escape);
}

TEST_F(RunsPageTest, DeleteArchivesAndCancellingJobsAsksFirst) {
    QSignalSpy asked(m_worker.get(), &ClusterWorker::failed);
    const std::string id = m_page->model().runAt(0)->id;
    store().setStatus(id, tracking::RunStatus::Running);
    emit m_worker->runsChanged({id});
    settle();
    m_page->selectRuns({id});
    settle();
    const auto answer = [&](const QString& text) {
        for (auto* button : m_page->findChildren<QPushButton*>())
            if (qobject_cast<QMessageBox*>(button->window()) && button->text() == text) {
                button->click();
                QApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
                return;
            }
        ADD_FAILURE() << "no button " << text.toStdString();
    };
    const auto endsSweep = [&]() -> QCheckBox* {
        const auto* box = m_page->findChild<QMessageBox*>();
        return box ? box->checkBox() : nullptr;
    };
    action("Cancel jobs…")->trigger();
    ASSERT_NE(endsSweep(), nullptr) << "it is the last of its sweep that goes on";
    EXPECT_TRUE(endsSweep()->isChecked());
    answer("Keep running");
    waitUntil([] { return false; }, 100);
    EXPECT_TRUE(asked.isEmpty());
    action("Cancel jobs…")->trigger();
    answer("Cancel the job");
    ASSERT_TRUE(waitUntil([&] { return asked.size() == 1; })) << "it may cancel, so the cluster is missed";

    QApplication::setActiveWindow(m_page.get());  // as a window manager does once the question is closed
    press(Qt::Key_Delete);
    ASSERT_TRUE(waitUntil([&] { return rows() == 3; }));
    EXPECT_EQ(asked.size(), 1) << "no job is touched by it";
    EXPECT_TRUE(shows("Archived 1 run"));
    press(Qt::Key_Z, Qt::ControlModifier);
    ASSERT_TRUE(waitUntil([&] { return rows() == 4; }));
}

TEST_F(RunsPageTest, EveryActionIsThereForTheCommandPaletteAndOffWhereItCannotBeDone) {
    for (const auto* each : m_page->actions()) {
        EXPECT_FALSE(each->text().isEmpty());
    }
    for (const char* text : {"Compare runs", "Archive runs", "Rename run", "Edit tags…",
                             "Fork with changed params…", "Copy rows"}) {
        EXPECT_FALSE(action(text)->isEnabled()) << text;
    }
    for (const char* text : {"Filter runs", "Group runs by sweep", "Choose columns…", "Show archived runs"}) {
        EXPECT_TRUE(action(text)->isEnabled()) << text;
    }
    m_page->selectRuns({m_page->model().runAt(0)->id});
    settle();
    EXPECT_TRUE(action("Archive run")->isEnabled());
    EXPECT_TRUE(action("Rename run")->isEnabled());
    EXPECT_FALSE(action("Compare runs")->isEnabled());
    EXPECT_FALSE(action("Cancel jobs…")->isEnabled()) << "nothing runs";
    m_page->table().selectAll();
    settle();
    EXPECT_TRUE(action("Compare runs")->isEnabled());
    EXPECT_FALSE(action("Rename run")->isEnabled());
    action("Group runs by sweep")->trigger();
    settle();
    EXPECT_EQ(m_page->model().groupCount(), 1);
}

TEST_F(RunsPageTest, ARunIsRenamedInTheTableAndThatCanBeUndone) {
    const std::string id = m_page->model().runAt(1)->id, before = m_page->model().runAt(1)->name;
    m_page->selectRuns({id});
    settle();
    press(Qt::Key_F2);
    auto* editor = m_page->table().findChild<QLineEdit*>();
    ASSERT_NE(editor, nullptr);
    EXPECT_EQ(editor->text().toStdString(), before);
    editor->setText("the one with the flat loss");
    QTest::keyClick(editor, Qt::Key_Return);
    ASSERT_TRUE(waitUntil([&] { return m_page->model().find(id)->name == "the one with the flat loss"; }));
    EXPECT_EQ(store().run(id)->tags.at("mlflow.runName"), "the one with the flat loss");
    press(Qt::Key_Z, Qt::ControlModifier);
    EXPECT_TRUE(waitUntil([&] { return m_page->model().find(id)->name == before; }));
}

TEST_F(RunsPageTest, AChosenColourIsShownEverywhereAndKept) {
    const std::string id = m_page->model().runAt(1)->id;
    const QColor before = runColor(id);
    m_page->selectRuns({id});
    settle();
    const std::size_t other = before == RunColors::tint(10) ? 9 : 10;
    m_page->colorSelected(other);
    ASSERT_TRUE(waitUntil([&] { return runColor(id) == RunColors::tint(other); }));
    settle();
    EXPECT_EQ(store().run(id)->tags.at(tracking::tag::kColor), tracking::kRunColors[other]);
    open();
    EXPECT_EQ(runColor(id), RunColors::tint(other));
}

TEST_F(RunsPageTest, ARunOfAnotherProgramGetsAColourThatIsKept) {
    const std::string id = m_page->model().runAt(2)->id;
    store().removeTag({id}, tracking::tag::kColor);
    open();
    ASSERT_TRUE(waitUntil([&] { return store().run(id)->tags.contains(tracking::tag::kColor); }));
    EXPECT_EQ(RunColors::tint(*tracking::runColorOf(store().run(id)->tags.at(tracking::tag::kColor))),
              runColor(id));
}

TEST_F(RunsPageTest, TheEyeTakesARunsCurvesOutOfTheChartsAndKeepsItsRow) {
    auto& table = m_page->table();
    const std::string id = m_page->model().runAt(1)->id;
    const QRect cell = table.visualRect(m_page->model().index(1, 0));
    QTest::mouseClick(table.viewport(), Qt::LeftButton, {}, QPoint(cell.left() + 20, cell.center().y()));
    settle();
    const auto charted = [&] {
        const auto runs = m_page->chartedRuns();
        return std::any_of(runs.begin(), runs.end(), [&](const auto& run) { return run.run->id == id; });
    };
    EXPECT_FALSE(charted());
    EXPECT_EQ(rows(), 4);
    EXPECT_TRUE(m_page->model().isHidden(1));
    EXPECT_FALSE(table.selectionModel()->hasSelection()) << "a click on the eye selects nothing";
    EXPECT_TRUE(shows("3 runs · 1 hidden"));
    ASSERT_TRUE(waitUntil([&] { return readViews(store()).last.hiddenRuns.contains(id); })) << "kept";
    m_page->selectRuns({id});
    press(Qt::Key_H);
    EXPECT_TRUE(charted());
    m_page->groupBy({Grouping::By::Sweep});
    settle();
    const QRect head = table.visualRect(m_page->model().index(0, 0));
    QTest::mouseClick(table.viewport(), Qt::LeftButton, {}, QPoint(head.left() + 40, head.center().y()));
    settle();
    EXPECT_TRUE(m_page->chartedRuns().empty()) << "a group's eye is that of all its runs";
    action("Show all hidden curves")->trigger();
    settle();
    EXPECT_EQ(m_page->chartedRuns().size(), 4U);
}

TEST_F(RunsPageTest, NotesAreAColumnOnceARunHasSome) {
    EXPECT_EQ(m_page->model().columnOfId("notes"), -1);
    const std::string id = m_page->model().runAt(0)->id;
    m_page->runActions().setTag({id}, "mlflow.note.content", "# Best\nuse this one");
    ASSERT_TRUE(waitUntil([&] { return m_page->model().columnOfId("notes") >= 0; }));
    EXPECT_EQ(m_page->model().index(0, m_page->model().columnOfId("notes")).data().toString(),
              "# Best use this one");
}

TEST_F(RunsPageTest, ColumnsUseTheRoomThereIsAndShareItWhereThereIsTooLittle) {
    const std::string name = "lr=0.0003, weight_decay=0.01, sampling.guidance=7.5, data.batch_size=64";
    m_page->runActions().setTag({m_page->model().runAt(0)->id}, "mlflow.runName", name);
    ASSERT_TRUE(waitUntil([&] { return m_page->model().runAt(0)->name == name; }));
    for (const char* column : {"status", "sweep", "started", "curve:loss", "metric:adherence"}) {
        auto choice = m_page->viewState();
        choice.columns.hidden.insert(column);
        m_page->applyView(choice);
        settle();
    }
    m_page->resize(1600, 720);
    settle();
    auto& table = dynamic_cast<RunTable&>(m_page->table());
    table.fitColumns();
    const int name0 = table.columnWidth(0);
    const QFontMetrics metrics(Theme::font(TextStyle::Body));
    EXPECT_GT(name0, metrics.horizontalAdvance(QString::fromStdString(name)))
        << "there is room for all of it";
    const int duration = m_page->model().columnOfId("duration");
    EXPECT_GT(table.columnWidth(duration),
              QFontMetrics(Theme::font(TextStyle::Mono)).horizontalAdvance("59 min 59 s"));
    m_page->resize(760, 720);
    settle();
    EXPECT_LT(table.columnWidth(0), name0);
    m_page->groupBy({Grouping::By::Sweep});
    m_page->resize(1600, 720);
    settle();
    const auto title = m_page->model().groupAt(0)->title;
    EXPECT_GT(table.columnWidth(0),
              QFontMetrics(Theme::font(TextStyle::Strong)).horizontalAdvance(title) + 60);
}

TEST_F(RunsPageTest, BesideAnotherDailiesItSaysSoAndAsksForNothing) {
    m_page.reset();
    m_worker.reset();
    const tracking::StoreLock other(m_demo.file);
    open();
    ASSERT_TRUE(waitUntil([&] { return !m_worker->readOnly().empty(); }));
    QSignalSpy askedAgain(m_worker.get(), &ClusterWorker::failed);
    m_page->table().selectAll();
    settle();
    EXPECT_FALSE(action("Archive runs")->isEnabled());
    EXPECT_FALSE(action("Cancel jobs…")->isEnabled());
    press(Qt::Key_T);
    press(Qt::Key_Delete);
    const auto labels = m_page->selectionBar().findChildren<QLabel*>();
    EXPECT_TRUE(std::any_of(labels.begin(), labels.end(), [](const QLabel* label) {
        return label->text().contains("open in another Dailies");
    })) << "a key that can do nothing says why";
    EXPECT_EQ(m_page->window()->findChild<TagEditor*>(), nullptr);
    waitUntil([] { return false; }, 300);
    EXPECT_TRUE(askedAgain.isEmpty());
    EXPECT_EQ(rows(), 4);
    EXPECT_TRUE(store().deletedRuns().empty());
}

TEST_F(RunsPageTest, TheRunUnderThePointerComesForwardInTableAndCharts) {
    const auto charts = m_page->findChildren<MetricChart*>();
    const auto seen = std::find_if(charts.begin(), charts.end(),
                                   [](const MetricChart* each) { return !each->visibleRegion().isEmpty(); });
    ASSERT_NE(seen, charts.end());
    MetricChart* chart = *seen;
    const auto picture = [&] {
        settle();
        return chart->grab().toImage();
    };
    auto& table = dynamic_cast<RunTable&>(m_page->table());
    const QImage before = picture();
    QTest::mouseMove(table.viewport(), table.visualRect(m_page->model().index(2, 0)).center());
    EXPECT_EQ(table.hoveredRow(), 2);
    EXPECT_NE(picture(), before);
    QEvent leave(QEvent::Leave);
    QApplication::sendEvent(&table, &leave);
    EXPECT_EQ(table.hoveredRow(), -1);
    EXPECT_EQ(picture(), before);

    emit chart->runHovered(m_page->model().runAt(1)->id);
    EXPECT_EQ(table.hoveredRow(), 1);
    emit chart->runHovered({});
    EXPECT_EQ(table.hoveredRow(), -1);
}

TEST(RunsPageOfFiveThousand, OpensSortsFiltersAndGivesTheChartsAllOfThem) {
    const TemporaryFolder folder;
    const auto file = folder.path() / "dailies.db";
    test::makeLargeStore(file, {.runs = 5000, .params = 8, .metrics = 4, .points = 3});
    const auto stored = tracking::Store(file, tracking::Store::Mode::ReadOnly).runs();
    ASSERT_EQ(stored.size(), 5000U);

    ClusterWorker worker(file);
    RunsPage page(file, worker);
    page.resize(1280, 720);
    page.show();
    const auto settle = [&] { ASSERT_TRUE(waitUntil([&] { return page.isSettled(); }, 60'000)); };
    settle();
    const auto& model = page.model();
    ASSERT_EQ(model.rowCount(), 5000);
    EXPECT_EQ(model.runAt(0)->id, stored.front().id);
    EXPECT_EQ(model.runAt(4999)->id, stored.back().id);
    EXPECT_EQ(page.chartedRuns().size(), 5000U);
    const auto buttons = page.findChildren<QToolButton*>();
    EXPECT_TRUE(std::any_of(buttons.begin(), buttons.end(), [](const QToolButton* button) {
        return button->isVisible() && button->text().startsWith("200 of ");
    })) << "a chart of curves says which it draws";

    const auto loss = [](const tracking::Run& run) { return run.metrics.at("loss").value; };
    double least = std::numeric_limits<double>::infinity();
    int below = 0;
    for (const auto& run : stored) {
        if (run.metrics.contains("loss") && !std::isnan(loss(run))) {
            least = std::min(least, loss(run));
            below += loss(run) < 0.5 ? 1 : 0;
        }
    }
    page.table().sortByColumn(model.columnOfId("metric:loss"), Qt::AscendingOrder);
    settle();
    EXPECT_EQ(loss(*model.runAt(0)), least);
    EXPECT_LE(loss(*model.runAt(0)), loss(*model.runAt(1)));
    page.filterBox().setText("metrics.loss < 0.5");
    ASSERT_TRUE(waitUntil([&] { return model.rowCount() == below; }, 20'000));
    settle();
    EXPECT_GT(below, 0);
    EXPECT_EQ(loss(*model.runAt(0)), least) << "filtering keeps the order";
    EXPECT_EQ(page.selectedOrShownRuns().size(), static_cast<std::size_t>(below));
}

TEST(Spark, KeepsASpikeInAPictureOfACurve) {
    tracking::Curve curve;
    for (int i = 0; i < 32; ++i) {
        curve.buckets.push_back({.firstStep = 10 * i,
                                 .lastStep = 10 * i + 9,
                                 .minimum = 0,
                                 .maximum = i == 16 ? 100.0 : 1.0,
                                 .mean = 0.5,
                                 .count = 10,
                                 .finite = 10});
    }
    const QImage image = drawSparkline(curve, qRgb(255, 0, 0), 1);
    bool high = false;
    for (int x = 40; x < 60; ++x) {
        high |= qAlpha(image.pixel(x, 5)) > 0;
    }
    EXPECT_TRUE(high);
}

}  // namespace
}  // namespace dailies::ui
