#include "ui/main_window/main_window.h"

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/sweep/sweep.h"
#include "core/tracking/store_lock.h"
#include "tests/support/demo_store.h"
#include "tests/ui/wait_until.h"
#include "ui/compare/compare_page.h"
#include "ui/launch/field_editor.h"
#include "ui/launch/launch_page.h"
#include "ui/launch/sweep_form.h"
#include "ui/main_window/command_palette.h"
#include "ui/main_window/settings.h"
#include "ui/review/review_page.h"
#include "ui/run_page/run_page.h"
#include "ui/runs/runs_page.h"
#include "ui/screenshot/render_page.h"
#include "ui/theme/theme.h"
#include "ui/wall/wall_view.h"

#include <QElapsedTimer>
#include <QFrame>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QPushButton>
#include <QScreen>
#include <QScrollBar>
#include <QTableView>
#include <QTest>
#include <gtest/gtest.h>

namespace dailies::ui {
namespace {

class MainWindowTest : public testing::Test {
protected:
    Options options(Page page = Page::Runs) {
        return {m_folder.path() / "dailies.db", m_folder.path() / "clusters.json", {}, page};
    }

    test::DemoStore fill() {
        auto demo = test::makeDemoStore(m_folder.path(), {.mixedStates = true});
        std::filesystem::rename(demo.file, m_folder.path() / "dailies.db");
        return demo;
    }

    static bool shows(QWidget& window, const QString& text) {
        for (const auto* label : window.findChildren<QLabel*>()) {
            if (label->isVisible() && label->text().contains(text)) {
                return true;
            }
        }
        return false;
    }

    TemporaryFolder m_folder;
};

TEST_F(MainWindowTest, AnEmptyStoreSaysWhatToDoNext) {
    MainWindow window(options());
    window.show();
    ASSERT_TRUE(waitUntil([&] { return window.isSettled() && shows(window, "No runs yet"); }));
}

TEST_F(MainWindowTest, ARunThatAnotherProgramWritesAppearsByItself) {
    MainWindow window(options());
    window.show();
    ASSERT_TRUE(waitUntil([&] { return window.isSettled(); }));
    tracking::Store store(m_folder.path() / "dailies.db");
    tracking::Run run;
    run.id = std::string(32, 'a');
    run.name = "from the command line";
    run.experimentId = store.ensureExperiment("Default");
    run.experiment = "Default";
    run.startMs = 1000;
    store.createRun(run);
    EXPECT_TRUE(waitUntil([&] { return window.runsPage().model().rowCount() == 1; }));
}

TEST_F(MainWindowTest, SelectingOneRunOpensItsDetails) {
    const auto demo = fill();
    MainWindow window(options());
    window.show();
    ASSERT_TRUE(waitUntil([&] { return window.isSettled() && window.runsPage().model().rowCount() == 4; }));
    window.runsPage().selectRuns({demo.runIds.back()});
    EXPECT_TRUE(waitUntil([&] { return shows(window, QString::fromStdString(demo.runIds.back()).left(4)); }));
    EXPECT_EQ(window.runsPage().selectedOrShownRuns(), std::vector<std::string>{demo.runIds.back()});
}

TEST_F(MainWindowTest, BackAndForwardGoAlongThePlacesThatWereShown) {
    const auto demo = fill();
    MainWindow window(options());
    window.show();
    ASSERT_TRUE(waitUntil([&] { return window.isSettled(); }));
    window.compareRuns(demo.runIds);
    window.openRun(demo.runIds[1]);
    EXPECT_EQ(window.page(), Page::Run);
    QTest::keyClick(&window, Qt::Key_Left, Qt::AltModifier);
    EXPECT_EQ(window.page(), Page::Compare);
    EXPECT_EQ(window.comparePage().runIds(), demo.runIds);
    window.comparePage().removeRun(demo.runIds[0]);
    window.openRun(demo.runIds[1]);
    window.goBack();
    EXPECT_EQ(window.comparePage().runIds().size(), 3u) << "a run that was taken out stays out";
    window.goBack();
    EXPECT_EQ(window.page(), Page::Runs);
    window.goBack();
    EXPECT_EQ(window.page(), Page::Runs) << "there is nothing before the first place";
    window.goForward();
    window.goForward();
    EXPECT_EQ(window.page(), Page::Run);
    EXPECT_EQ(window.runPage().runId(), demo.runIds[1]);
    window.goBack();
    window.showPage(Page::Launch);
    window.goForward();
    EXPECT_EQ(window.page(), Page::Launch) << "a new place ends what was ahead";
}

TEST_F(MainWindowTest, ARunIsForkedFromItsClipWithAChangedParamByKeysAlone) {
    const auto demo = fill();
    MainWindow window(options(Page::Review));
    window.show();
    ASSERT_TRUE(waitUntil([&] { return window.isSettled() && window.findChild<WallView*>(); }));
    auto* wall = window.findChild<WallView*>();
    QTest::keyClick(wall, Qt::Key_A);
    auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
    ASSERT_NE(menu, nullptr);
    const auto chosen = [&] { return menu->activeAction() ? menu->activeAction()->text() : QString(); };
    for (int i = 0; i < menu->actions().size() && !chosen().startsWith("Fork"); ++i)
        QTest::keyClick(menu, Qt::Key_Down);
    ASSERT_TRUE(chosen().startsWith("Fork")) << chosen().toStdString();
    QTest::keyClick(menu, Qt::Key_Return);
    ASSERT_TRUE(waitUntil([&] { return window.page() == Page::Launch && window.isSettled(); }));

    SweepForm& form = window.launchPage().form();
    const auto before = sweep::expand(form.sweep());
    ASSERT_EQ(before.size(), 1u) << "one run, with the params of the one that made the clip";
    auto* rate = form.editor("optimizer.lr")->findChild<QLineEdit*>();
    rate->setFocus();
    QTest::keyClick(rate, Qt::Key_A, Qt::ControlModifier);
    QTest::keyClicks(rate, "0.02");
    const auto after = sweep::expand(form.sweep());
    ASSERT_EQ(after.size(), 1u);
    EXPECT_EQ(after[0].config.at("optimizer").at("lr"), 0.02);
    Json expected = before[0].config;
    expected["optimizer"]["lr"] = 0.02;
    EXPECT_EQ(after[0].config, expected) << "nothing else is changed";
}

TEST_F(MainWindowTest, AForkThatReplacesADraftCanBeUndone) {
    const auto demo = fill();
    MainWindow window(options(Page::Launch));
    window.show();
    ASSERT_TRUE(waitUntil([&] { return window.isSettled() && window.runsPage().isSettled(); }));
    SweepForm& form = window.launchPage().form();
    form.editor("steps")->setText("78");
    emit window.runsPage().forkRequested(demo.runIds[1]);
    ASSERT_TRUE(waitUntil([&] { return shows(window, "Your draft was replaced by run"); }));
    ASSERT_NE(form.sweep().config.value("steps", 0), 78);
    for (auto* button : window.findChildren<QPushButton*>())
        if (button->isVisible() && button->text() == "Undo") {
            QTest::mouseClick(button, Qt::LeftButton);
            break;
        }
    EXPECT_EQ(form.sweep().config.value("steps", 0), 78);
}

TEST_F(MainWindowTest, LaunchedRunsAreSelectedAndInSightWhateverTheFilter) {
    fill();
    MainWindow window(options(Page::Launch));
    window.show();
    auto& runs = window.runsPage();
    ASSERT_TRUE(waitUntil([&] { return window.isSettled() && runs.isSettled(); }));
    runs.filterBox().setText("no such run");
    ASSERT_TRUE(waitUntil([&] { return runs.isSettled() && runs.model().rowCount() == 0; }));
    std::vector<std::string> launched;
    {
        tracking::Store store(m_folder.path() / "dailies.db");
        for (const char letter : {'a', 'b'}) {
            tracking::Run run;
            run.id = std::string(32, letter);
            run.name = letter;
            run.experimentId = store.ensureExperiment("another");
            run.experiment = "another";
            run.startMs = 1000;
            store.createRun(run);
            launched.push_back(run.id);
        }
    }
    emit window.worker().launched("Launched 2 runs", launched);
    EXPECT_EQ(window.page(), Page::Runs);
    ASSERT_TRUE(waitUntil([&] {
        auto selected = runs.selectedOrShownRuns();
        std::ranges::sort(selected);
        return selected == launched;
    })) << "and no others";
    const int row = runs.model().rowOf(launched.front());
    EXPECT_TRUE(
        runs.table().viewport()->rect().intersects(runs.table().visualRect(runs.model().index(row, 0))));
    EXPECT_EQ(runs.filterBox().text(), "");
}

TEST_F(MainWindowTest, FindWorksWhereverTheFocusIs) {
    const auto demo = fill();
    MainWindow window(options());
    window.show();
    QApplication::setActiveWindow(&window);
    ASSERT_TRUE(waitUntil([&] { return window.isSettled() && window.runsPage().isSettled(); }));
    const auto findFrom = [&](QWidget* focused) {
        if (QWidget* now = QApplication::focusWidget()) now->clearFocus();
        if (focused) focused->setFocus();
        QTest::keyClick(focused ? focused : &window, Qt::Key_F, Qt::ControlModifier);
        const auto* line = qobject_cast<QLineEdit*>(QApplication::focusWidget());
        return line ? line->accessibleName().toStdString() : std::string("nothing");
    };
    QWidget* sidebar = nullptr;
    for (auto* button : window.findChildren<QAbstractButton*>())
        if (button->accessibleName() == "Review") sidebar = button;
    ASSERT_NE(sidebar, nullptr);
    for (QWidget* focused : {static_cast<QWidget*>(nullptr), sidebar}) {
        window.showPage(Page::Runs);
        EXPECT_EQ(findFrom(focused), "Filter the runs");
        window.showPage(Page::Launch);
        EXPECT_EQ(findFrom(focused), "Find a setting");
        window.compareRuns(demo.runIds);
        ASSERT_TRUE(waitUntil([&] { return window.isSettled(); }));
        EXPECT_EQ(findFrom(focused), "Find a key or a value");
    }
}

TEST_F(MainWindowTest, ARunIsGoneToByItsName) {
    const auto demo = fill();
    MainWindow window(options());
    window.show();
    ASSERT_TRUE(waitUntil([&] { return window.isSettled(); }));
    auto& palette = window.openPalette();
    ASSERT_TRUE(waitUntil([&] { return palette.isSettled(); }));
    palette.field().setText(QString::fromStdString(demo.runIds[2].substr(0, 6)));
    ASSERT_EQ(palette.list().count(), 1);
    QTest::keyClick(&palette.field(), Qt::Key_Return);
    EXPECT_EQ(window.page(), Page::Run);
    EXPECT_EQ(window.runPage().runId(), demo.runIds[2]);
}

TEST_F(MainWindowTest, ThePaletteFindsASweepAndSaysWhenNothingMatches) {
    const auto demo = fill();
    const std::string sweep = tracking::Store(m_folder.path() / "dailies.db").sweeps().front().name;
    MainWindow window(options(Page::Launch));
    window.show();
    ASSERT_TRUE(waitUntil([&] { return window.isSettled(); }));
    auto& palette = window.openPalette();
    ASSERT_TRUE(waitUntil([&] { return palette.isSettled(); }));
    palette.field().setText("no such thing");
    EXPECT_FALSE(palette.list().isVisible());
    EXPECT_TRUE(shows(palette, "No results for “no such thing”"));
    palette.field().setText("filter runs");
    ASSERT_GE(palette.list().count(), 1);
    EXPECT_EQ(palette.list().item(0)->text(), "Runs: Filter runs") << "the key stands apart from it";
    palette.field().setText("sweep " + QString::fromStdString(sweep));
    ASSERT_EQ(palette.list().count(), 1);
    EXPECT_TRUE(palette.list().isVisible());
    QTest::keyClick(&palette.field(), Qt::Key_Return);
    EXPECT_EQ(window.page(), Page::Runs);
    ASSERT_TRUE(waitUntil([&] { return window.runsPage().isSettled(); }));
    EXPECT_TRUE(window.runsPage().filterBox().problem().isEmpty());
    EXPECT_EQ(window.runsPage().selectedOrShownRuns().size(), demo.runIds.size());
}

TEST_F(MainWindowTest, AnExactNameOfARunComesFirst) {
    const auto demo = fill();
    {
        tracking::Store store(m_folder.path() / "dailies.db");
        store.setTag(demo.runIds[0], "mlflow.runName", "launch");
        store.setTag(demo.runIds[1], "mlflow.runName", "wide");
        store.setTag(demo.runIds[2], "mlflow.runName", "wide and deep");
    }
    MainWindow window(options());
    window.show();
    ASSERT_TRUE(waitUntil([&] { return window.isSettled(); }));
    auto& palette = window.openPalette();
    ASSERT_TRUE(waitUntil([&] { return palette.isSettled(); }));
    palette.field().setText("wide");
    ASSERT_GE(palette.list().count(), 2);
    EXPECT_EQ(palette.list().item(0)->text(), "wide");
    EXPECT_EQ(palette.list().item(1)->text(), "wide and deep");
    QTest::keyClick(&palette.field(), Qt::Key_Return);
    EXPECT_EQ(window.runPage().runId(), demo.runIds[1]);
}

TEST_F(MainWindowTest, AKeyOfTheLaunchFormIsGoneTo) {
    MainWindow window(options());
    window.show();
    ASSERT_TRUE(waitUntil([&] { return window.isSettled(); }));
    for (const char* typed : {"lr", "optimizer.lr"}) {
        window.showPage(Page::Runs);
        auto& palette = window.openPalette();
        ASSERT_TRUE(waitUntil([&] { return palette.isSettled(); }));
        palette.field().setText(typed);
        ASSERT_GE(palette.list().count(), 1);
        EXPECT_EQ(palette.list().item(0)->text(), "Launch: optimizer.lr") << typed;
        QTest::keyClick(&palette.field(), Qt::Key_Return);
        EXPECT_EQ(window.page(), Page::Launch);
        auto* editor = window.launchPage().form().editor("optimizer.lr");
        EXPECT_TRUE(editor->isAncestorOf(QApplication::focusWidget()));
        EXPECT_FALSE(editor->visibleRegion().isEmpty()) << "and it is in sight";
    }
}

TEST_F(MainWindowTest, ThePaletteReachesTheActionsOfEveryPage) {
    fill();
    MainWindow window(options());
    window.show();
    ASSERT_TRUE(waitUntil([&] { return window.isSettled(); }));
    auto& palette = window.openPalette();
    ASSERT_TRUE(waitUntil([&] { return palette.isSettled(); }));
    for (const char* word : {"arena", "morning", "preflight", "group", "export", "save", "sample"}) {
        palette.field().setText(word);
        bool action = false;
        for (int i = 0; i < palette.list().count(); ++i)
            action |= palette.list().item(i)->text().contains(": ");
        EXPECT_TRUE(action) << word;
    }
}

TEST_F(MainWindowTest, ThePaletteHasEachActionOnceAndSaysWhatItLacks) {
    fill();
    MainWindow window(options());
    window.show();
    ASSERT_TRUE(waitUntil([&] { return window.isSettled(); }));
    auto& palette = window.openPalette();
    ASSERT_TRUE(waitUntil([&] { return palette.isSettled(); }));
    const auto found = [&](const QString& text, int role = Qt::DisplayRole) {
        palette.field().setText(text);
        QStringList entries;
        for (int i = 0; i < palette.list().count(); ++i)
            if (palette.list().item(i)->text().contains(": ") &&
                !palette.list().item(i)->text().startsWith("Launch: "))
                entries << palette.list().item(i)->data(role).toString();
        return entries;
    };
    EXPECT_EQ(found("blind arena"), QStringList{"Review: Blind arena: rank the runs on the wall"});
    EXPECT_EQ(found("morning dailies").size(), 1);
    EXPECT_EQ(found("group sweep"), QStringList{"Runs: Group runs by sweep"});
    EXPECT_EQ(found("compare runs").filter("Runs: "), QStringList{"Runs: Compare runs"});
    EXPECT_EQ(found("compare runs", Qt::UserRole).first(), "Select 2 to 50 runs to compare them");
    EXPECT_EQ(found("edit tags", Qt::UserRole), QStringList{"Select a run first"});
    EXPECT_EQ(found("check the nodes", Qt::UserRole), QStringList{"Connect to a cluster first"});
}

/// What Qt warns of while it lives.
class Warnings {
public:
    Warnings() {
        s_texts.clear();
        m_before = qInstallMessageHandler([](QtMsgType type, const QMessageLogContext&, const QString& text) {
            if (type != QtDebugMsg && type != QtInfoMsg) s_texts << text;
        });
    }
    ~Warnings() { qInstallMessageHandler(m_before); }
    std::string text() const { return s_texts.join(u'\n').toStdString(); }

private:
    static inline QStringList s_texts;
    QtMessageHandler m_before;
};

TEST_F(MainWindowTest, EnterThatEndsARenameOpensNothing) {
    const auto demo = fill();
    MainWindow window(options());
    window.show();
    QApplication::setActiveWindow(&window);
    auto& runs = window.runsPage();
    ASSERT_TRUE(waitUntil([&] { return window.isSettled() && runs.model().rowCount() == 4; }));
    const Warnings warnings;
    runs.selectRuns({demo.runIds[1]});
    ASSERT_TRUE(waitUntil([&] { return window.isSettled(); }));
    runs.table().setFocus();
    QTest::keyClick(&runs.table(), Qt::Key_F2);
    auto* editor = runs.table().findChild<QLineEdit*>();
    ASSERT_NE(editor, nullptr);
    editor->setText("the one with the flat loss");
    QTest::keyClick(editor, Qt::Key_Return);
    ASSERT_TRUE(
        waitUntil([&] { return runs.model().find(demo.runIds[1])->name == "the one with the flat loss"; }));
    ASSERT_TRUE(waitUntil([&] { return window.isSettled(); }));
    EXPECT_EQ(window.page(), Page::Runs);
    EXPECT_EQ(warnings.text(), "");
    EXPECT_TRUE(runs.table().hasFocus());
    QTest::keyClick(&runs.table(), Qt::Key_Return);
    EXPECT_EQ(window.page(), Page::Run) << "the next one opens the run";
}

TEST_F(MainWindowTest, TheColumnsOfTheRunsToLaunchFitASmallWindow) {
    MainWindow window(options(Page::Launch));
    window.resize(1280, 720);
    window.show();
    ASSERT_TRUE(waitUntil([&] { return window.isSettled(); }));
    const QTableView* runs = nullptr;
    for (const auto* table : window.findChildren<QTableView*>())
        if (table->accessibleName() == "The runs that would be launched") runs = table;
    ASSERT_NE(runs, nullptr);
    ASSERT_TRUE(waitUntil([&] { return runs->model()->columnCount() == 2; }));
    ASSERT_TRUE(waitUntil([&] { return window.isSettled(); }));
    EXPECT_EQ(runs->horizontalScrollBar()->maximum(), 0);
    EXPECT_EQ(runs->columnWidth(0) + runs->columnWidth(1), runs->viewport()->width());
}

TEST_F(MainWindowTest, RunsShownAsActiveWithoutAConnectionAreSaidToBeOldNews) {
    fill();
    MainWindow window(options());
    window.show();
    EXPECT_TRUE(waitUntil([&] { return shows(window, "Not connected to sandbox"); }));
}

TEST_F(MainWindowTest, BesideAnotherDailiesOneBarSaysThatItOnlyReads) {
    fill();
    const tracking::StoreLock other(m_folder.path() / "dailies.db");
    MainWindow window(options());
    window.show();
    ASSERT_TRUE(
        waitUntil([&] { return shows(window, "Read-only: this database is open in another Dailies"); }));
    ASSERT_TRUE(waitUntil([&] { return window.isSettled(); }));
    waitUntil([] { return false; }, 700);
    EXPECT_FALSE(shows(window, "Not connected to")) << "the other one follows the runs";
}

TEST_F(MainWindowTest, TheClusterOfTheLastSessionIsConnectedWithoutAskingAnythingTwice) {
    ::setenv("XDG_CONFIG_HOME", m_folder.path().c_str(), 1);
    remote::ClusterProfile profile;
    profile.name = "closed";
    profile.host = "127.0.0.1";
    profile.port = 1;
    remote::ClusterProfiles(m_folder.path() / "clusters.json").put(profile);
    changeSettings([](Settings& settings) { settings.lastCluster = "closed"; });
    auto wanted = options();
    {
        MainWindow window(wanted);
        window.show();
        ASSERT_TRUE(waitUntil([&] { return window.isSettled(); }));
        EXPECT_EQ(window.worker().clusterName(), "") << "a screenshot connects to nothing";
    }
    wanted.remember = true;
    MainWindow window(wanted);
    int tried = 0;
    QObject::connect(&window.worker(), &ClusterWorker::stateChanged, &window,
                     [&](ConnectionState state) { tried += state == ConnectionState::Connecting; });
    window.show();
    ASSERT_TRUE(waitUntil([&] { return tried == 1; }, 10'000));
    EXPECT_EQ(window.worker().clusterName(), "closed");
    ASSERT_TRUE(waitUntil([&] { return window.worker().state() == ConnectionState::Offline; }, 10'000));
    waitUntil([] { return false; }, 500);
    EXPECT_EQ(tried, 1);
    // A person who disconnects does not find it connected again.
    window.worker().goOffline();
    ASSERT_TRUE(waitUntil([&] { return loadSettings().lastCluster.empty(); }));
    ::unsetenv("XDG_CONFIG_HOME");
}

TEST_F(MainWindowTest, TheSizeOfReviewsTilesIsThatOfTheLastSession) {
    ::setenv("XDG_CONFIG_HOME", m_folder.path().c_str(), 1);
    fill();
    auto wanted = options(Page::Review);
    wanted.remember = true;
    const auto tileOf = [](MainWindow& window) { return window.reviewPage().wall().tileRect(0, 0).width(); };
    int chosen = 0;
    {
        MainWindow window(wanted, loadSettings().window);
        window.show();
        ASSERT_TRUE(waitUntil([&] { return window.isSettled(); }));
        auto* wall = window.reviewPage().findChild<WallView*>();
        QTest::keyClick(wall, Qt::Key_Minus, Qt::ControlModifier | Qt::AltModifier);
        QTest::keyClick(wall, Qt::Key_Minus, Qt::ControlModifier | Qt::AltModifier);
        chosen = tileOf(window);
        ASSERT_TRUE(waitUntil([&] { return !loadSettings().window.sizes.empty(); }));
    }
    MainWindow window(wanted, loadSettings().window);
    window.show();
    ASSERT_TRUE(waitUntil([&] { return window.isSettled(); }));
    EXPECT_EQ(tileOf(window), chosen);
    ::unsetenv("XDG_CONFIG_HOME");
}

TEST_F(MainWindowTest, AFileThatIsNoStoreIsSaidNotCrashedOn) {
    writeFileAtomically(m_folder.path() / "dailies.db", std::string(8192, 'x'));
    MainWindow window(options());
    window.show();
    EXPECT_TRUE(waitUntil([&] { return shows(window, "dailies.db"); }));
}

TEST_F(MainWindowTest, SamplingFromTheReviewPageLeavesThePersonThere) {
    const auto demo = fill();
    MainWindow window(options(Page::Review));
    window.show();
    ASSERT_TRUE(waitUntil([&] { return window.isSettled(); }));
    emit window.worker().launched("Sampling 4 runs", {demo.runIds[0]});
    EXPECT_EQ(window.page(), Page::Review);
    EXPECT_TRUE(shows(window, "Sampling 4 runs"));
    window.showPage(Page::Launch);
    emit window.worker().launched("lr", {demo.runIds[0]});
    EXPECT_EQ(window.page(), Page::Runs) << "a sweep is followed there";
}

TEST_F(MainWindowTest, EveryPageIsDrawnInBothThemes) {
    fill();
    for (const ThemeMode theme : {ThemeMode::Light, ThemeMode::Dark}) {
        for (const char* page :
             {"runs", "review", "launch", "cluster", "datasets", "compare", "run", "connect"}) {
            const QImage image = renderPage({.page = page,
                                             .storeFile = m_folder.path() / "dailies.db",
                                             .profilesFile = m_folder.path() / "clusters.json",
                                             .theme = theme,
                                             .size = {1280, 720}});
            ASSERT_FALSE(image.isNull()) << page;
            EXPECT_EQ(image.pixelColor(5, 5).lightness() > 128, theme == ThemeMode::Light) << page;
        }
    }
}

/// Counts what is asked of widgets when they are styled anew.
class StyleChanges : public QObject {
public:
    StyleChanges() { qApp->installEventFilter(this); }
    int count = 0, polished = 0;

protected:
    bool eventFilter(QObject*, QEvent* event) override {
        count += event->type() == QEvent::StyleChange;
        polished += event->type() == QEvent::Polish;
        return false;
    }
};

TEST_F(MainWindowTest, SwitchingTheThemeStylesNoWidgetAnew) {
    fill();
    Theme::instance().apply(ThemeMode::Dark);
    MainWindow window(options(Page::Review));
    window.show();
    for (const Page page : {Page::Runs, Page::Launch, Page::Cluster, Page::Review}) {
        window.showPage(page);
        ASSERT_TRUE(waitUntil([&] { return window.isSettled(); }));
    }
    StyleChanges changes;
    QElapsedTimer turn;
    turn.start();
    QTest::keyClick(&window, Qt::Key_L, Qt::ControlModifier | Qt::ShiftModifier);
    const auto switched = turn.elapsed();
    QApplication::processEvents();
    printf("theme switch: %lld ms, painted after %lld ms, %zu widgets\n", static_cast<long long>(switched),
           static_cast<long long>(turn.elapsed()),
           static_cast<std::size_t>(QApplication::allWidgets().size()));
    EXPECT_EQ(Theme::instance().mode(), ThemeMode::Light);
    EXPECT_EQ(changes.count, 0);
    EXPECT_EQ(changes.polished, 0);
    EXPECT_GT(window.grab().toImage().pixelColor(5, 5).lightness(), 128);
    Theme::instance().apply(ThemeMode::Dark);
}

TEST_F(MainWindowTest, AButtonThatDisablesItselfLeavesTheFocusInItsPage) {
    MainWindow window(options());
    window.show();
    QApplication::setActiveWindow(&window);
    ASSERT_TRUE(waitUntil([&] { return window.isSettled(); }));
    auto* button = new QPushButton("Check the nodes", &window.runsPage());
    button->show();
    button->setFocus();
    ASSERT_TRUE(button->hasFocus());
    QObject::connect(button, &QPushButton::clicked, button, [button] { button->setEnabled(false); });
    QTest::keyClick(button, Qt::Key_Space);
    ASSERT_FALSE(button->isEnabled());
    ASSERT_NE(QApplication::focusWidget(), nullptr);
    EXPECT_TRUE(window.runsPage().isAncestorOf(QApplication::focusWidget()));
}

TEST_F(MainWindowTest, IsNoLargerThanItsScreen) {
    MainWindow window(options());
    const QSize screen = window.screen()->availableSize();
    EXPECT_LE(window.minimumWidth(), screen.width()) << "as 1920 × 1080 pixels are at scale 2";
    EXPECT_LE(window.minimumHeight(), screen.height());
    window.resize(800, 500);
    window.show();
    auto* bar = window.findChild<QFrame*>("sidebar");
    ASSERT_NE(bar, nullptr);
    EXPECT_LT(bar->width(), 80) << "the pages get the room of its names";
    window.resize(1280, 720);
    EXPECT_GT(bar->width(), 150);
}

TEST_F(MainWindowTest, AnUnknownPageIsRefusedWithTheirNames) {
    try {
        ScreenshotOptions picture;
        picture.page = "runz";
        renderPage(picture);
        FAIL() << "must be refused";
    } catch (const InputError& error) {
        EXPECT_NE(error.remedy().find("runs, review, launch, cluster, datasets, compare, run, connect"),
                  std::string::npos);
    }
}

}  // namespace
}  // namespace dailies::ui
