// The window on a small screen, such as 1920 × 1080 at scale 2.
#include "core/base/files.h"
#include "tests/support/demo_store.h"
#include "tests/ui/overlaps.h"
#include "tests/ui/wait_until.h"
#include "ui/charts/panels/field_picker.h"
#include "ui/compare/compare_page.h"
#include "ui/launch/launch_page.h"
#include "ui/main_window/main_window.h"
#include "ui/review/arena/arena_view.h"
#include "ui/review/review_page.h"
#include "ui/run_page/run_page.h"
#include "ui/runs/detail_panel.h"
#include "ui/runs/runs_page.h"
#include "ui/theme/theme.h"

#include <QToolButton>
#include <gtest/gtest.h>

namespace dailies::ui {
namespace {

class SmallWindow : public testing::Test {
protected:
    SmallWindow() {
        Theme::instance().apply(ThemeMode::Dark);
        m_demo = test::makeDemoStore(m_folder.path(), {.mixedStates = true});
        std::filesystem::rename(m_demo.file, m_folder.path() / "dailies.db");
        m_window = std::make_unique<MainWindow>(
            Options{m_folder.path() / "dailies.db", m_folder.path() / "clusters.json", {}, Page::Runs});
        m_window->setMinimumSize(1, 1);  // the screen's affair
        m_window->show();
        settle();
    }

    void settle() {
        ASSERT_TRUE(waitUntil([&] { return m_window->isSettled(); }, 20'000));
    }
    void resizeTo(const QSize& size) {
        m_window->resize(size);
        waitUntil([] { return false; }, 50);  // layouts have their turn with the events that follow
        settle();
    }
    void keepPicture(const QString& name) {
        const QString kept = qEnvironmentVariable("DAILIES_PICTURES");
        if (kept.isEmpty()) return;
        for (const auto mode : {ThemeMode::Light, ThemeMode::Dark}) {
            Theme::instance().apply(mode);
            QCoreApplication::processEvents();
            m_window->grab().save(QStringLiteral("%1/%2-%3-%4.png")
                                      .arg(kept, name)
                                      .arg(m_window->width())
                                      .arg(static_cast<int>(mode)));
        }
    }
    void expectNothingOverlaps(const QString& name) {
        for (const QSize size :
             {QSize(1440, 900), QSize(1280, 720), QSize(960, 600), QSize(960, 508), QSize(640, 360)}) {
            resizeTo(size);
            EXPECT_EQ(m_window->size(), size);
            for (const auto& pair : overlapsIn(*m_window)) ADD_FAILURE() << size.width() << ": " << pair;
            keepPicture(name);
        }
    }

    TemporaryFolder m_folder;
    test::DemoStore m_demo;
    std::unique_ptr<MainWindow> m_window;
};

TEST_F(SmallWindow, NothingOverlapsOnLaunch) {
    m_window->showPage(Page::Launch);
    settle();
    expectNothingOverlaps("launch");
}

TEST_F(SmallWindow, NothingOverlapsOnRunsWhateverIsGroupedAndChosen) {
    m_window->runsPage().groupBy({Grouping::By::Sweep});
    m_window->runsPage().selectRuns({m_demo.runIds.front()});
    settle();
    expectNothingOverlaps("runs");
}

TEST_F(SmallWindow, DetailsGiveWayToATableThatWouldBeTooNarrowToRead) {
    m_window->runsPage().selectRuns({m_demo.runIds.front()});
    settle();
    const auto* details = m_window->runsPage().findChild<DetailPanel*>();
    for (const int width : {1440, 640, 960}) {
        resizeTo({width, 600});
        EXPECT_EQ(details->isVisible(), width > 640) << width;
    }
}

TEST_F(SmallWindow, NothingOverlapsInCompare) {
    m_window->compareRuns(m_demo.runIds);
    settle();
    expectNothingOverlaps("compare");
}

TEST_F(SmallWindow, NothingOverlapsOnTheRunAndClusterPages) {
    m_window->openRun(m_demo.runIds.front());
    settle();
    expectNothingOverlaps("run");
    m_window->showPage(Page::Cluster);
    settle();
    expectNothingOverlaps("cluster");
}

TEST_F(SmallWindow, NothingOverlapsInReviewAndItsRooms) {
    m_window->showPage(Page::Review);
    settle();
    expectNothingOverlaps("review");
    m_window->reviewPage().enterArena();
    settle();
    expectNothingOverlaps("arena");
    emit m_window->reviewPage().arena().left();
    m_window->reviewPage().enterMorning();
    settle();
    expectNothingOverlaps("morning");
}

TEST_F(SmallWindow, TheToolbarsWordsComeBackWithTheRoomForThem) {
    const auto words = [&] {
        for (const auto* button : m_window->runsPage().findChildren<QToolButton*>())
            if (button->text() == "Columns") return button->toolButtonStyle() == Qt::ToolButtonTextBesideIcon;
        return false;
    };
    resizeTo({640, 328});
    EXPECT_FALSE(words());
    resizeTo({1440, 900});
    EXPECT_TRUE(words());
}

}  // namespace
}  // namespace dailies::ui
