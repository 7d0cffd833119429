#include "ui/main_window/window_state_saver.h"

#include "tests/ui/wait_until.h"

#include <QGuiApplication>
#include <QMainWindow>
#include <QScreen>
#include <QSplitter>
#include <gtest/gtest.h>

namespace dailies::ui {
namespace {

const QList<QRect> kScreens{{0, 0, 1920, 1080}, {1920, 0, 1280, 720}};

TEST(WindowStateSaver, AWindowThatFitsComesBackWhereItWas) {
    EXPECT_EQ(clampToScreens({100, 50, 1440, 900}, kScreens), QRect(100, 50, 1440, 900));
    EXPECT_EQ(clampToScreens({2000, 10, 900, 600}, kScreens), QRect(2000, 10, 900, 600))
        << "on the second screen";
}

TEST(WindowStateSaver, NoPartOfTheWindowIsOutsideTheScreen) {
    const QRect only(0, 0, 960, 540);  // 1920 × 1080 at scale 2
    EXPECT_EQ(clampToScreens({0, 0, 1440, 900}, {only}), only);
    EXPECT_EQ(clampToScreens({2200, 300, 700, 400}, {only}), QRect(260, 140, 700, 400))
        << "its screen is gone";
    EXPECT_EQ(clampToScreens({-300, -80, 700, 400}, {only}), QRect(0, 0, 700, 400));
    EXPECT_EQ(clampToScreens({10, 10, 700, 400}, {}), QRect(10, 10, 700, 400)) << "without a screen";
}

TEST(WindowStateSaver, TheWindowIsNeverLargerThanTheScreenWhateverItsPagesWant) {
    QMainWindow window;
    window.setMinimumSize(960, 4000);
    WindowStateSaver memory(window, {}, [](const WindowState&) {});
    memory.restoreWindow({5000, 5000});
    const QSize screen = QGuiApplication::primaryScreen()->availableSize();
    EXPECT_LE(window.width(), screen.width());
    EXPECT_LT(window.height(), screen.height()) << "with room for the title bar";
    EXPECT_LT(window.minimumHeight(), screen.height());
}

TEST(WindowStateSaver, SplittersComeBackAsTheyWereLeft) {
    WindowState kept;
    QMainWindow window;
    QList<int> left;
    {
        WindowStateSaver memory(window, {}, [&](const WindowState& state) { kept = state; });
        QWidget page;
        QSplitter split(&page);
        split.resize(600, 100);
        split.addWidget(new QWidget);
        split.addWidget(new QWidget);
        page.show();
        memory.watch(page);
        memory.setPage(Page::Launch);
        split.setSizes({150, 449});
        left = split.sizes();
        emit split.splitterMoved(150, 1);
    }
    EXPECT_EQ(kept.page, Page::Launch);
    WindowStateSaver memory(window, kept, [](const WindowState&) {});
    QWidget page;
    QSplitter split(&page);
    split.resize(600, 100);
    split.addWidget(new QWidget);
    split.addWidget(new QWidget);
    memory.watch(page);
    page.show();
    EXPECT_EQ(split.sizes(), left);
}

}  // namespace
}  // namespace dailies::ui
