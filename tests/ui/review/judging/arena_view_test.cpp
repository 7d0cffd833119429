#include "core/base/json.h"
#include "tests/ui/review/judging/judged_page.h"

#include <QFileDialog>
#include <QLabel>
#include <QProgressBar>
#include <QSignalSpy>

#include <algorithm>
#include <sstream>

namespace dailies::ui {
namespace {

using testing::SizeIs;

class BlindArena : public JudgedPage {
protected:
    void enter() {
        open();
        press(Qt::Key_B, Qt::ShiftModifier);
        ASSERT_TRUE(m_page->arena().arena());
    }
    void answer(Qt::Key key) {
        QTest::keyClick(&m_page->arena(), key);
        settle();
    }
    const judging::Match& match() { return *m_page->arena().arena()->next(); }
    int runOf(int contestant) {
        const auto& id =
            m_page->arena().arena()->roster().contestants[static_cast<std::size_t>(contestant)].runId;
        return id == m_store.runIds[0] ? 0 : 1;
    }
    /// Answers until the names are revealed, always for the first run.
    void preferTheFirstRun() {
        for (int i = 0; i < 10 && !m_page->arena().isRevealed(); ++i)
            answer(runOf(match().left) == 0 ? Qt::Key_1 : Qt::Key_Right);
    }
};

TEST_F(BlindArena, ShowsTheTwoClipsOfTheBoutAtOneFrame) {
    enter();
    ClipStage& stage = m_page->arena().stage();
    ASSERT_TRUE(stage.playhead().isPlaying()) << "they loop";
    ASSERT_TRUE(stage.playhead().loopMode() == LoopMode::Loop);
    QTest::keyClick(&m_page->arena(), Qt::Key_K);
    QTest::keyClick(&m_page->arena(), Qt::Key_Period);
    settle();
    const int frame = stage.playhead().frame();
    const int prompt =
        m_page->arena().arena()->roster().subjects[static_cast<std::size_t>(match().subject)].prompt ==
                "a cat"
            ? 0
            : 1;
    EXPECT_EQ(numberAt(stage, stage.place(0)),
              NumberedStore::numberOf(runOf(match().left), prompt, 2, frame));
    EXPECT_EQ(numberAt(stage, stage.place(1)),
              NumberedStore::numberOf(runOf(match().right), prompt, 2, frame));
}

TEST_F(BlindArena, NamesNobodyBeforeTheEnd) {
    enter();
    for (const QLabel* label : m_page->arena().findChildren<QLabel*>())
        if (label->isVisible()) {
            EXPECT_FALSE(label->text().contains(QStringLiteral("lr="))) << label->text().toStdString();
        }
    for (const auto& clip : m_page->arena().stage().clips()) EXPECT_EQ(clip.caption.size(), 1);
}

TEST_F(BlindArena, RevealsTheRankingWithIntervalsWhenAllWasAsked) {
    enter();
    preferTheFirstRun();
    ASSERT_TRUE(m_page->arena().isRevealed());
    const auto& lines = m_page->arena().ranking().lines();
    ASSERT_THAT(lines, SizeIs(2));
    EXPECT_EQ(lines[0].name, "lr=0.001");
    EXPECT_EQ(lines[0].wins, 2);
    EXPECT_EQ(lines[1].losses, 2);
    EXPECT_LT(lines[0].low, lines[0].strength);
    EXPECT_GT(lines[0].high, lines[0].strength);
    EXPECT_TRUE(lines[1].isContender) << "two answers decide nothing";
    const auto store = openStore();
    EXPECT_GT(store.run(m_store.runIds[0])->metrics.at(judging::mirror::kArena).value, 0);
    EXPECT_LT(store.run(m_store.runIds[1])->metrics.at(judging::mirror::kArena).value, 0);
}

TEST_F(BlindArena, SavesWhatWasPreferredOnceItIsRevealed) {
    enter();
    QTest::keyClick(&m_page->arena(), Qt::Key_S);
    EXPECT_EQ(m_page->arena().findChild<QFileDialog*>(), nullptr) << "names are still hidden";
    preferTheFirstRun();
    ASSERT_TRUE(m_page->arena().isRevealed());
    if (const QString kept = qEnvironmentVariable("DAILIES_PICTURES"); !kept.isEmpty())
        m_page->grab().save(kept + QStringLiteral("/arena-revealed.png"));
    QSignalSpy saved(m_page.get(), &ReviewPage::saved), told(m_page.get(), &ReviewPage::notification);
    QTest::keyClick(&m_page->arena(), Qt::Key_S);
    auto* dialog = m_page->arena().findChild<QFileDialog*>();
    ASSERT_NE(dialog, nullptr);
    const auto file = m_folder.path() / "pairs.jsonl";
    emit dialog->fileSelected(QString::fromStdString(file.string()));
    ASSERT_TRUE(saved.wait(10'000));
    EXPECT_EQ(told.back().front().toString(), "2 pairs of clips.");
    int lines = 0;
    std::istringstream all(readFile(file));
    for (std::string line; std::getline(all, line); ++lines)
        EXPECT_EQ(parseJson(line, "a pair").at("votes"), 1) << line;
    EXPECT_EQ(lines, 2);
}

TEST_F(BlindArena, TheLeadingRunIsTrainedOnWhatWasPreferredOnceItIsRevealed) {
    enter();
    QSignalSpy asked(m_page.get(), &ReviewPage::trainOnPreferencesRequested);
    QTest::keyClick(&m_page->arena(), Qt::Key_T);
    EXPECT_EQ(asked.count(), 0) << "names are still hidden";
    preferTheFirstRun();
    QTest::keyClick(&m_page->arena(), Qt::Key_T);
    ASSERT_EQ(asked.count(), 1);
    EXPECT_EQ(asked[0][0].value<std::string>(), m_store.runIds[0]);
    EXPECT_EQ(asked[0][1].toLongLong(), 300) << "as it was when its clips were compared";
    EXPECT_THAT(asked[0][2].value<std::vector<std::string>>(),
                testing::UnorderedElementsAreArray(m_store.runIds));
}

TEST_F(BlindArena, GoesOnWhereItWasLeft) {
    enter();
    answer(Qt::Key_Space);
    const judging::Match next = match();
    answer(Qt::Key_Escape);
    EXPECT_TRUE(wall()->isVisible());
    m_page = nullptr;
    enter();
    EXPECT_THAT(m_page->arena().arena()->choices(), SizeIs(1));
    EXPECT_EQ(match(), next);
    EXPECT_EQ(m_page->arena().arena()->choices()[0].outcome, judging::Outcome::Tie);
}

TEST_F(BlindArena, TakesAnswersBackAlsoAfterTheReveal) {
    enter();
    preferTheFirstRun();
    ASSERT_TRUE(m_page->arena().isRevealed());
    answer(Qt::Key_Backspace);
    EXPECT_FALSE(m_page->arena().isRevealed());
    answer(Qt::Key_Backspace);
    answer(Qt::Key_Backspace);
    EXPECT_THAT(m_page->arena().arena()->choices(), SizeIs(0));
    EXPECT_FALSE(openStore().run(m_store.runIds[0])->metrics.contains(judging::mirror::kArena));
    answer(Qt::Key_X);
    EXPECT_EQ(m_page->arena().arena()->choices()[0].outcome, judging::Outcome::BothBad);
}

TEST_F(BlindArena, CanBeRevealedEarlyAndGoneOnWith) {
    enter();
    answer(Qt::Key_2);
    answer(Qt::Key_R);
    ASSERT_TRUE(m_page->arena().isRevealed());
    answer(Qt::Key_1);
    EXPECT_THAT(m_page->arena().arena()->choices(), SizeIs(1)) << "who knows the names does not answer";
    answer(Qt::Key_Return);
    EXPECT_FALSE(m_page->arena().isRevealed());
}

TEST_F(BlindArena, ARunDoesNotMeetItsOwnResamples) {
    m_store = makeNumberedStore(m_folder.path());
    addResample(m_store, 0, 'e', {}, 300);
    addResample(m_store, 0, 'f', {{"sampling.guidance", "3"}}, 300);
    enter();
    EXPECT_THAT(m_page->arena().arena()->roster().contestants, SizeIs(3))
        << "two runs, and the resample with another guidance";
    answer(Qt::Key_1);
    answer(Qt::Key_R);
    std::vector<std::string> names;
    for (const auto& line : m_page->arena().ranking().lines()) names.push_back(line.name.toStdString());
    EXPECT_THAT(names, testing::UnorderedElementsAre("lr=0.001", "lr=0.01", "lr=0.001 · guidance 3"));
}

TEST_F(BlindArena, SaysHowFarItIs) {
    enter();
    const auto* bar = m_page->arena().findChild<QProgressBar*>();
    const auto says = [&](const QString& words) {
        const auto labels = m_page->arena().findChildren<QLabel*>();
        return std::ranges::any_of(
            labels, [&](const QLabel* label) { return label->isVisible() && label->text().contains(words); });
    };
    EXPECT_EQ(bar->value(), 0);
    EXPECT_TRUE(says("0 answers · at most 2 left"));
    answer(Qt::Key_Space);
    EXPECT_EQ(bar->value(), 1);
    EXPECT_EQ(bar->maximum(), 2);
    EXPECT_TRUE(says("1 answer · at most 1 left"));
}

TEST_F(BlindArena, EstimatesNothingWithoutAnswers) {
    enter();
    answer(Qt::Key_R);
    const auto labels = m_page->arena().findChildren<QLabel*>();
    EXPECT_TRUE(std::ranges::any_of(labels, [](const QLabel* label) {
        return label->isVisible() && label->text() == "No estimate yet";
    })) << "nobody leads";
}

TEST_F(BlindArena, OneRunAloneHasNobodyToMeet) {
    open();
    m_page->setRuns({m_store.runIds[0]});
    settle();
    std::string why;
    QObject::connect(m_page.get(), &ReviewPage::failed, m_page.get(),
                     [&](const Error& error) { why = error.what(); });
    press(Qt::Key_B, Qt::ShiftModifier);
    EXPECT_THAT(why, testing::HasSubstr("no two clips"));
    EXPECT_TRUE(wall()->isVisible());
}

}  // namespace
}  // namespace dailies::ui
