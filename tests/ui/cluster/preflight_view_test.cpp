#include "ui/cluster/preflight_view.h"

#include "core/base/files.h"
#include "core/preflight/build_report.h"
#include "tests/ui/wait_until.h"
#include "ui/theme/theme.h"

#include <QApplication>
#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableWidget>
#include <QVBoxLayout>
#include <gtest/gtest.h>

namespace dailies::ui {
namespace {

/// Nodes that are alike but for one with slow links and one that no longer answers.
preflight::Report reportOf(int nodes, double time, bool faulty) {
    std::vector<preflight::RankReport> parts;
    std::vector<std::string> names;
    for (int i = 0; i < nodes; ++i) {
        names.push_back("gpu" + std::to_string(101 + i));
        preflight::RankReport part;
        part.rank = i;
        part.node = names.back();
        part.phase = "done";
        part.flops = 6.4e14 + 1e12 * (i % 3);
        part.bytesWritten = 1.9e9 + 2e7 * (i % 5);
        part.filesMade = 420 + i;
        part.skew = 0.0004 * (i % 4);
        part.allReduce = 3.1e11;
        part.gpus = {{"NVIDIA H100 80GB HBM3", 58.0 + i % 7, 1965, 1980, 0}};
        for (int j = 0; j < nodes; ++j) {
            const bool slow = faulty && (i == 2 || j == 2);
            if (j != i)
                part.links.push_back({"gpu" + std::to_string(101 + j), slow ? 2.2e10 : 4.6e10, 9e-6, {}});
        }
        parts.push_back(part);
    }
    if (faulty) {
        parts[1].phase = "links";
        parts[1].links.clear();
        for (auto& part : parts)
            for (auto& link : part.links)
                if (link.node == names[1]) link = {link.node, 0, 0, "No connection"};
    }
    auto report = preflight::buildReport(parts, names);
    report.time = time;
    report.seconds = 61.5;
    return report;
}

class PreflightViewTest : public testing::Test {
protected:
    PreflightViewTest() {
        Theme::instance().apply(ThemeMode::Dark);
        m_view.resize(1000, 640);
        m_view.QWidget::show();
    }

    std::string said() const {
        std::string all;
        for (const auto* label : m_view.findChildren<QLabel*>())
            if (label->isVisible()) all += label->text().toStdString() + "\n";
        return all;
    }

    PreflightView m_view;
};

TEST_F(PreflightViewTest, ShowsTheNodesTheirFiguresAndWhatIsWrong) {
    m_view.display({reportOf(8, 1.7e9, true), reportOf(8, 1.69e9, false)});
    const auto* table = m_view.findChild<QTableWidget*>();
    ASSERT_EQ(table->rowCount(), 8);
    EXPECT_EQ(table->item(1, 1)->text(), "bad");
    EXPECT_EQ(table->item(2, 1)->text(), "slow");
    EXPECT_TRUE(table->item(2, 1)->toolTip().contains("of the median"))
        << table->item(2, 1)->toolTip().toStdString();
    EXPECT_NE(said().find("Node gpu102 is bad."), std::string::npos) << said();
    EXPECT_NE(said().find("all-reduce over 8 rank"), std::string::npos) << said();
    EXPECT_TRUE(table->item(1, 2)->toolTip().contains("ok, bad")) << "oldest first";
    EXPECT_FALSE(m_view.findChild<LinkMatrix*>()->accessibleDescription().isEmpty());

    auto* which = m_view.findChild<QComboBox*>();
    ASSERT_EQ(which->count(), 2);
    which->setCurrentIndex(1);
    EXPECT_NE(said().find("All 8 nodes healthy."), std::string::npos);
}

TEST_F(PreflightViewTest, WithoutAReportSaysWhatPreflightsAreFor) {
    EXPECT_NE(said().find("No preflight results yet"), std::string::npos);
    EXPECT_FALSE(m_view.findChild<QTableWidget*>()->isVisible());
}

TEST_F(PreflightViewTest, AsksForACheckOrStopsTheOneUnderWayAndKeepsTheFocus) {
    QWidget window;  // with something before and behind it that could take the focus
    auto* column = new QVBoxLayout(&window);
    column->addWidget(new QPushButton("before"));
    auto* view = new PreflightView;
    column->addWidget(view);
    column->addWidget(new QPushButton("behind"));
    window.show();
    window.activateWindow();
    QSignalSpy asked(view, &PreflightView::checkRequested), stopped(view, &PreflightView::stopRequested);
    auto* button = view->findChild<QPushButton*>();
    button->setFocus();
    ASSERT_TRUE(waitUntil([&] { return button->hasFocus(); }));
    button->click();
    EXPECT_EQ(asked.count(), 1);
    view->setProgress("Measuring n[1-4]");
    EXPECT_TRUE(button->hasFocus());
    EXPECT_EQ(button->text(), "Stop the check");
    button->click();
    EXPECT_EQ(asked.count(), 1);
    EXPECT_EQ(stopped.count(), 1);
    view->setProgress({});
    EXPECT_EQ(button->text(), "Check the nodes");
    EXPECT_TRUE(button->hasFocus());
    view->setCheckEnabled(false);  // the connection is lost
    EXPECT_TRUE(view->hasFocus() || view->isAncestorOf(QApplication::focusWidget()));
}

TEST_F(PreflightViewTest, ReadsTheReportsOfAFolderAndLeavesOutWhatIsNone) {
    const TemporaryFolder folder;
    for (int i = 0; i < 3; ++i)
        writeFileAtomically(folder.path() / (std::to_string(i) + ".json"),
                            toJson(reportOf(2, 1.7e9 + i, false)).dump());
    writeFileAtomically(folder.path() / "half.json", "{\"time\": 1");
    m_view.read(folder.path());
    ASSERT_TRUE(waitUntil([&] { return m_view.isSettled(); }, 20'000));
    EXPECT_EQ(m_view.findChild<QComboBox*>()->count(), 3);
}

}  // namespace
}  // namespace dailies::ui
