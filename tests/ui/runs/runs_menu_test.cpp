#include "core/base/files.h"
#include "core/tracking/imported_run.h"
#include "core/tracking/run_color.h"
#include "tests/support/demo_store.h"
#include "tests/ui/wait_until.h"
#include "ui/link/cluster_worker.h"
#include "ui/runs/runs_page.h"
#include "ui/theme/run_colors.h"
#include "ui/widgets/palette_hints.h"

#include <QApplication>
#include <QHeaderView>
#include <QInputDialog>
#include <QMenu>
#include <QTableView>
#include <QTest>
#include <QWindow>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dailies::ui {
namespace {

using testing::ElementsAre;

/// The run table's menus and columns, by mouse, and what of them is there after a restart.
class RunsMenuTest : public testing::Test {
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

    QMenu* menuOf(const std::vector<std::string>& runIds) {
        m_page->selectRuns(runIds);
        settle();
        QTableView& table = m_page->table();
        const QModelIndex at = m_page->model().index(m_page->model().rowOf(runIds.front()), 0);
        emit table.customContextMenuRequested(table.visualRect(at).center());
        return qobject_cast<QMenu*>(QApplication::activePopupWidget());
    }

    static QAction* entry(const QMenu* menu, const QString& text) {
        for (auto* action : menu->actions())
            if (action->text() == text) return action;
        return nullptr;
    }

    TemporaryFolder m_folder;
    test::DemoStore m_demo;
    std::unique_ptr<ClusterWorker> m_worker;
    std::unique_ptr<RunsPage> m_page;
};

TEST_F(RunsMenuTest, ForksExtendsAndSamplesAsTheRunsOwnPageDoes) {
    std::string forked;
    std::vector<std::string> sampled;
    QObject::connect(m_page.get(), &RunsPage::forkRequested, m_page.get(),
                     [&](const std::string& id) { forked = id; });
    QObject::connect(m_page.get(), &RunsPage::sampleRequested, m_page.get(),
                     [&](const std::vector<std::string>& ids) { sampled = ids; });
    const std::string one = m_page->model().runAt(1)->id, other = m_page->model().runAt(2)->id;
    QMenu* menu = menuOf({one});
    ASSERT_NE(menu, nullptr);
    for (const char* text : {"Fork with changed params…", "Extend…", "Sample clips…"})
        ASSERT_NE(entry(menu, text), nullptr) << text;
    entry(menu, "Fork with changed params…")->trigger();
    EXPECT_EQ(forked, one);
    menu->close();

    menu = menuOf({one, other});
    ASSERT_NE(menu, nullptr);
    EXPECT_EQ(entry(menu, "Fork with changed params…"), nullptr) << "of one run alone";
    entry(menu, "Sample clips…")->trigger();
    EXPECT_THAT(sampled, ElementsAre(one, other));
    entry(menu, "Extend…")->trigger();
    menu->close();
    auto* asked = m_page->findChild<QInputDialog*>();
    ASSERT_NE(asked, nullptr);
    EXPECT_EQ(asked->windowTitle(), "Extend 2 runs");
    asked->reject();
}

TEST_F(RunsMenuTest, AColourChosenThereIsKept) {
    const std::string id = m_page->model().runAt(1)->id;
    const std::size_t other = runColor(id) == RunColors::tint(10) ? 9 : 10;
    QMenu* menu = menuOf({id});
    ASSERT_NE(menu, nullptr);
    ASSERT_NE(entry(menu, "Colour"), nullptr);
    const auto colors = entry(menu, "Colour")->menu()->actions();
    ASSERT_EQ(static_cast<std::size_t>(colors.size()), tracking::kRunColors.size());
    colors[static_cast<qsizetype>(other)]->trigger();
    menu->close();
    ASSERT_TRUE(waitUntil([&] { return runColor(id) == RunColors::tint(other); }));
    settle();
    open();
    EXPECT_EQ(runColor(id), RunColors::tint(other));
}

TEST_F(RunsMenuTest, ColumnsKeepTheirWidthsOrderAndSortOverARestart) {
    const auto ids = [&] {
        std::vector<std::string> all;
        for (int at = 0; at < m_page->model().columnCount(); ++at)
            all.push_back(m_page->model().column(at).id());
        return all;
    };
    const auto width = [&](const std::string& id) {
        return m_page->table().columnWidth(m_page->model().columnOfId(id));
    };
    auto* header = m_page->table().horizontalHeader();
    const auto before = ids();
    ASSERT_GE(before.size(), 4u);
    header->moveSection(3, 1);
    ASSERT_TRUE(waitUntil([&] { return ids() != before; }));
    EXPECT_EQ(ids()[1], before[3]);
    m_page->table().sortByColumn(m_page->model().columnOfId("param:optimizer.lr"), Qt::DescendingOrder);
    settle();

    // The window's own events: only a drag with the button held sets a width.
    const std::string wide = ids()[1];
    const int was = width(wide);
    const QPoint edge(header->sectionViewportPosition(1) + header->sectionSize(1) - 2, header->height() / 2);
    const auto at = [&](int right) {
        return header->viewport()->mapTo(m_page.get(), edge + QPoint(right, 0));
    };
    QTest::mouseMove(m_page->windowHandle(), at(0));
    QTest::mousePress(m_page->windowHandle(), Qt::LeftButton, {}, at(0));
    QTest::mouseMove(m_page->windowHandle(), at(20));
    QTest::mouseMove(m_page->windowHandle(), at(40));
    QTest::mouseRelease(m_page->windowHandle(), Qt::LeftButton, {}, at(40));
    settle();
    const int now = width(wide);
    EXPECT_GT(now, was);

    const auto order = ids();
    const ViewState left = m_page->viewState();
    ASSERT_TRUE(waitUntil([&] { return readViews(tracking::Store(m_demo.file)).last == left; }));
    open();
    EXPECT_EQ(ids(), order);
    EXPECT_EQ(width(wide), now);
    header = m_page->table().horizontalHeader();
    EXPECT_EQ(header->sortIndicatorSection(), m_page->model().columnOfId("param:optimizer.lr"));
    EXPECT_EQ(header->sortIndicatorOrder(), Qt::DescendingOrder);
}

TEST_F(RunsMenuTest, OfAnImportedRunTheMenuSaysWhyItCannotBeForkedExtendedOrSampled) {
    tracking::Run imported;
    imported.id = std::string(32, 'e');
    imported.name = "from a CSV file";
    imported.experiment = "elsewhere";
    imported.status = tracking::RunStatus::Finished;
    imported.startMs = 1000;
    imported.endMs = 2000;
    imported.params = {{"lr", "0.1"}, {"steps", "100"}};
    imported.tags[tracking::tag::kImportedFrom] = "/home/me/runs.csv";
    tracking::Store(m_demo.file).importRun(imported, {});
    open();
    QMenu* menu = menuOf({imported.id});
    ASSERT_NE(menu, nullptr);
    EXPECT_TRUE(menu->toolTipsVisible());
    for (const auto& [text, why] :
         {std::pair{"Fork with changed params…",
                    "Imported runs cannot be forked: only those of Dailies' own trainer can"},
          {"Extend…", "Only runs that Dailies launched can be extended"},
          {"Sample clips…", "Only runs with checkpoints on a cluster can be sampled"}}) {
        ASSERT_NE(entry(menu, text), nullptr) << text;
        EXPECT_FALSE(entry(menu, text)->isEnabled()) << text;
        EXPECT_EQ(entry(menu, text)->toolTip(), why);
        EXPECT_EQ(disabledReason(*entry(menu, text)), why) << "in the palette, too";
    }
    menu->close();
    menu = menuOf({m_page->model().runAt(1)->id});
    ASSERT_NE(menu, nullptr);
    EXPECT_TRUE(entry(menu, "Fork with changed params…")->isEnabled());
    menu->close();
}

}  // namespace
}  // namespace dailies::ui
