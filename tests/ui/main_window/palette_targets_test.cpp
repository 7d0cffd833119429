// Ctrl+K acts on what is in view, and says on what.
#include "core/base/files.h"
#include "core/sweep/sweep.h"
#include "tests/support/demo_store.h"
#include "tests/ui/wait_until.h"
#include "ui/compare/compare_page.h"
#include "ui/launch/launch_page.h"
#include "ui/launch/sweep_form.h"
#include "ui/main_window/command_palette.h"
#include "ui/main_window/main_window.h"
#include "ui/main_window/toasts.h"
#include "ui/review/arena/arena_view.h"
#include "ui/review/review_page.h"
#include "ui/run_page/run_page.h"
#include "ui/runs/runs_page.h"
#include "ui/theme/theme.h"
#include "ui/wall/wall_view.h"

#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QTest>
#include <gtest/gtest.h>

namespace dailies::ui {
namespace {

class PaletteTargets : public testing::Test {
protected:
    PaletteTargets() {
        Theme::instance().apply(ThemeMode::Dark);
        m_demo = test::makeDemoStore(m_folder.path(), {.mixedStates = true});
        std::filesystem::rename(m_demo.file, m_folder.path() / "dailies.db");
        m_window = std::make_unique<MainWindow>(
            Options{m_folder.path() / "dailies.db", m_folder.path() / "clusters.json", {}, Page::Runs});
        m_window->show();
        EXPECT_TRUE(
            waitUntil([&] { return m_window->isSettled() && m_window->runsPage().model().rowCount() == 4; }));
    }

    tracking::Run run(const std::string& id) {
        return *tracking::Store(m_folder.path() / "dailies.db").run(id);
    }
    QString nameOf(const std::string& id) { return QString::fromStdString(run(id).name); }

    void select(const std::vector<std::string>& runIds) {
        m_window->runsPage().selectRuns(runIds);
        ASSERT_TRUE(waitUntil([&] { return m_window->isSettled(); }));
        ASSERT_EQ(m_window->runsPage().selectedOrShownRuns().size(), runIds.size());
    }

    /// A run that trained, whose clip is then the selected one in Review.
    std::string showClip(int column) {
        m_window->showPage(Page::Review);
        EXPECT_TRUE(waitUntil([&] { return m_window->isSettled(); }, 20'000));
        auto* wall = m_window->findChild<WallView*>();
        for (int i = 0; i < column; ++i) wall->moveSelection(1, 0);
        return wall->scene().tile(wall->selectedColumn(), wall->selectedRow()).runId;
    }

    /// What the palette offers for these words, without what stands faint at its end.
    QStringList offered(const QString& typed) {
        auto& palette = m_window->openPalette();
        EXPECT_TRUE(waitUntil([&] { return palette.isSettled(); }));
        palette.field().setText(typed);
        if (const QString kept = qEnvironmentVariable("DAILIES_PICTURES"); !kept.isEmpty()) {
            const QString name = testing::UnitTest::GetInstance()->current_test_info()->name();
            for (const auto mode : {ThemeMode::Light, ThemeMode::Dark}) {
                Theme::instance().apply(mode);
                QTest::qWait(100);
                palette.grab().save(QStringLiteral("%1/palette-%2-%3-%4.png")
                                        .arg(kept, name, typed)
                                        .arg(static_cast<int>(mode)));
            }
        }
        QStringList entries;
        for (int i = 0; i < palette.list().count(); ++i) entries << palette.list().item(i)->text();
        palette.close();
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
        return entries;
    }

    void chooseFirst(const QString& typed) {
        auto& palette = m_window->openPalette();
        ASSERT_TRUE(waitUntil([&] { return palette.isSettled(); }));
        palette.field().setText(typed);
        QTest::keyClick(&palette.field(), Qt::Key_Return);
    }

    TemporaryFolder m_folder;
    test::DemoStore m_demo;
    std::unique_ptr<MainWindow> m_window;
};

TEST_F(PaletteTargets, TheRunOfTheClipInViewIsForkedAndNotTheOneSelectedElsewhere) {
    const std::string shown = showClip(1);
    const auto other = std::ranges::find_if(m_demo.runIds, [&](const auto& id) { return id != shown; });
    m_window->showPage(Page::Runs);
    select({*other});
    ASSERT_EQ(showClip(0), shown);
    const QStringList forks = offered("fork");
    ASSERT_GE(forks.size(), 2);
    EXPECT_EQ(forks[0], "Fork " + nameOf(shown) + "…");
    EXPECT_EQ(forks[1], "Runs: Fork " + nameOf(*other) + "…") << "that of another page says so";
    chooseFirst("fork");
    ASSERT_TRUE(waitUntil([&] { return m_window->page() == Page::Launch && m_window->isSettled(); }));
    const auto planned = sweep::expand(m_window->launchPage().form().sweep());
    ASSERT_EQ(planned.size(), 1u);
    EXPECT_EQ(QString::number(planned[0].config.at("optimizer").at("lr").get<double>()),
              nameOf(shown).section('=', 1));
}

TEST_F(PaletteTargets, TheRunOfTheClipInViewIsArchivedAndBroughtBack) {
    const std::string shown = showClip(1);
    EXPECT_EQ(offered("archive run").value(0), "Archive " + nameOf(shown));
    chooseFirst("archive run");
    ASSERT_TRUE(waitUntil([&] { return run(shown).deleted; }));
    for (const auto& id : m_demo.runIds) EXPECT_EQ(run(id).deleted, id == shown);
    const auto undo = [&]() -> QPushButton* {
        for (auto* button : m_window->findChild<Toasts*>()->findChildren<QPushButton*>())
            if (button->text() == "Undo" && button->isVisible()) return button;
        return nullptr;
    };
    ASSERT_TRUE(waitUntil([&] { return undo() != nullptr; }));
    undo()->click();
    EXPECT_TRUE(waitUntil([&] { return !run(shown).deleted; }));
}

TEST_F(PaletteTargets, SelectedRunsAreNamedOrCounted) {
    EXPECT_FALSE(offered("archive").contains("Archive " + nameOf(m_demo.runIds[0])));
    select({m_demo.runIds[0], m_demo.runIds[1], m_demo.runIds[2]});
    EXPECT_EQ(offered("archive").value(0), "Archive 3 selected runs");
    select({m_demo.runIds[1]});
    EXPECT_EQ(offered("archive run").value(0), "Archive " + nameOf(m_demo.runIds[1]));
    m_window->showPage(Page::Launch);
    EXPECT_TRUE(offered("archive").contains("Runs: Archive " + nameOf(m_demo.runIds[1])));
}

TEST_F(PaletteTargets, TheRunPageAndTheComparisonNameTheirRuns) {
    m_window->openRun(m_demo.runIds[2]);
    ASSERT_TRUE(waitUntil([&] { return m_window->isSettled(); }));
    EXPECT_EQ(offered("archive").value(0), "Archive " + nameOf(m_demo.runIds[2]));
    m_window->compareRuns({m_demo.runIds[0], m_demo.runIds[1]});
    ASSERT_TRUE(waitUntil([&] { return m_window->isSettled(); }));
    EXPECT_EQ(offered("open run").value(0), "Open " + nameOf(m_demo.runIds[0]));
    EXPECT_TRUE(offered("archive").contains("Run: Archive " + nameOf(m_demo.runIds[2])));
}

TEST_F(PaletteTargets, NobodyJudgesAClipOutOfSight) {
    showClip(1);
    EXPECT_EQ(offered("reject").value(0), "Review: Reject");
    m_window->showPage(Page::Runs);
    EXPECT_TRUE(offered("reject").filter("Review: ").empty());
    EXPECT_TRUE(offered("archive").filter("Review: ").empty());
}

TEST_F(PaletteTargets, ButtonsAreFoundByTheirOwnWordAndWhatOthersCallIt) {
    const std::string shown = showClip(1);
    EXPECT_EQ(offered("extend").value(0), "Extend " + nameOf(shown) + "…");
    EXPECT_TRUE(offered("train longer").contains("Extend " + nameOf(shown) + "…"));
    m_window->showPage(Page::Runs);
    for (const auto& [typed, title] : {std::pair{"differs", "Runs: Differences only"},
                                       {"columns", "Runs: Choose columns…"},
                                       {"smoothing", "Runs: Smoothing"},
                                       {"theme", "Switch between light and dark"},
                                       {"settings", "Switch between light and dark"},
                                       {"settings", "Connect to a cluster"},
                                       {"webhook", "Cluster: Webhook"},
                                       {"extend", "Runs: Extend…"}})
        EXPECT_TRUE(offered(typed).contains(title))
            << typed << ": " << offered(typed).join(", ").toStdString();
    chooseFirst("smoothing");
    ASSERT_NE(QApplication::focusWidget(), nullptr);
    EXPECT_EQ(QApplication::focusWidget()->accessibleName(), "Smoothing");
}

TEST_F(PaletteTargets, TheBlindArenaNamesNoRun) {
    const std::string shown = showClip(1);
    m_window->reviewPage().enterArena();
    ASSERT_TRUE(waitUntil([&] { return m_window->isSettled(); }, 20'000));
    EXPECT_FALSE(offered("fork").contains("Fork " + nameOf(shown) + "…"));
    EXPECT_TRUE(offered("fork").filter("Review: Fork").empty());
}

}  // namespace
}  // namespace dailies::ui
