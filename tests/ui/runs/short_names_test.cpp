#include "core/base/files.h"
#include "tests/support/demo_store.h"
#include "tests/ui/wait_until.h"
#include "ui/link/cluster_worker.h"
#include "ui/runs/filter_box.h"
#include "ui/runs/runs_page.h"
#include "ui/runs/view_state.h"

#include <QLabel>
#include <QRegularExpression>
#include <QTest>
#include <gtest/gtest.h>

#include <memory>

// `params.lr` for `params.optimizer.lr` in the filter above the table.

namespace dailies::ui {
namespace {

VocabularyPtr vocabulary(std::vector<std::string> params) {
    auto known = std::make_shared<query::Vocabulary>();
    known->params = std::move(params);
    return known;
}

tracking::Run runWith(const std::string& param, const std::string& value) {
    tracking::Run run;
    run.params[param] = value;
    return run;
}

class ShortNamesInTheFilterBox : public testing::Test {
protected:
    void SetUp() override {
        QObject::connect(&m_box, &FilterBox::matcherChanged,
                         [this](const RunMatcher& matcher) { m_matcher = matcher; });
    }

    FilterBox m_box;
    RunMatcher m_matcher;
};

TEST_F(ShortNamesInTheFilterBox, MeanTheirKeyAsSoonAsKeysAreKnown) {
    m_box.setText("params.lr > 0.005");
    const auto run = runWith("optimizer.lr", "0.01");
    EXPECT_FALSE(m_matcher.matches(run));
    EXPECT_TRUE(m_box.wantsVocabulary());
    m_box.setVocabulary(vocabulary({"optimizer.lr"}));
    EXPECT_TRUE(m_matcher.matches(run));
    EXPECT_TRUE(m_box.problem().isEmpty());
    EXPECT_FALSE(m_box.wantsVocabulary());
}

TEST_F(ShortNamesInTheFilterBox, OfSeveralKeysAreExplainedAndTheTableStaysAsItWas) {
    m_box.setVocabulary(vocabulary({"optimizer.lr", "scheduler.lr"}));
    m_box.setText("params.optimizer.lr > 1");
    m_box.setText("params.lr > 0");
    EXPECT_TRUE(m_box.problem().contains("params.optimizer.lr or params.scheduler.lr?"));
    EXPECT_FALSE(m_matcher.matches(runWith("optimizer.lr", "0.5")));
}

TEST_F(ShortNamesInTheFilterBox, ThatNoRunHasAreAnsweredWithTheNearestAndFindNothing) {
    m_box.setVocabulary(vocabulary({"optimizer.lr"}));
    m_box.setText("params.optimizr.lr > 0");
    EXPECT_TRUE(m_box.problem().contains("did you mean params.optimizer.lr?"));
    EXPECT_FALSE(m_matcher.matches(runWith("optimizer.lr", "0.5")));
}

TEST_F(ShortNamesInTheFilterBox, WhatWasMeantIsAClickAway) {
    m_box.setVocabulary(vocabulary({"optimizer.lr", "scheduler.lr"}));
    m_box.show();
    struct Case {
        QString typed, meant, text;
    };
    for (const auto& [typed, meant, text] :
         {Case{"params.optimizr.lr > 0", "params.optimizer.lr", "params.optimizer.lr > 0"},
          Case{"params.lr > 0.1 and status = 'FINISHED'", "params.scheduler.lr",
               "params.scheduler.lr > 0.1 and status = 'FINISHED'"},
          Case{"optimiser.lr < 1", "params.optimizer.lr", "params.optimizer.lr < 1"},
          Case{"Params.optimizer.lr < 1", "params", "params.optimizer.lr < 1"},
          Case{"params.optimizer.lr > 0 and statsu = 'x'", "status",
               "params.optimizer.lr > 0 and status = 'x'"}}) {
        m_box.setText(typed);
        QTest::keyClick(&m_box, Qt::Key_Return);  // says at once what is wrong
        auto* message = m_box.window()->findChild<QLabel*>("filterProblem");
        ASSERT_NE(message, nullptr);
        ASSERT_TRUE(message->isVisible());
        ASSERT_TRUE(message->text().contains(">" + meant + "</a>")) << message->text().toStdString();
        const QRegularExpression link("href=\"(\\d+)\"[^>]*>" + QRegularExpression::escape(meant) + "</a>");
        emit message->linkActivated(link.match(message->text()).captured(1));
        EXPECT_EQ(m_box.text(), text);
        EXPECT_EQ(m_box.problem(), "");
        EXPECT_FALSE(message->isVisible());
    }
}

TEST(ShortNamesOnTheRunsPage, AreUnderstoodWithoutAnybodyTyping) {
    TemporaryFolder folder;
    const auto demo = test::makeDemoStore(folder.path(), {.samples = 2});
    const QString filter = "params.lr > 0.005";
    const auto showsSome = [&](RunsPage& page) {
        return waitUntil([&] { return page.model().rowCount() > 0 && page.model().rowCount() < 4; }, 20'000);
    };
    {
        ClusterWorker worker(demo.file);
        RunsPage page(demo.file, worker);
        page.show();
        ASSERT_TRUE(waitUntil([&] { return page.isSettled(); }, 20'000));
        page.filterBox().setText(filter);
        EXPECT_TRUE(showsSome(page));
        ASSERT_TRUE(waitUntil(
            [&] { return readViews(tracking::Store(demo.file)).last.filter == filter.toStdString(); }));
    }
    ClusterWorker worker(demo.file);
    RunsPage page(demo.file, worker);
    page.show();
    EXPECT_TRUE(showsSome(page)) << "the filter was there before the runs";
    EXPECT_EQ(page.filterBox().text(), filter);
}

}  // namespace
}  // namespace dailies::ui
