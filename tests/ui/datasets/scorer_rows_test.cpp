// What scorers of the user's say of clips, on the Datasets page: a row of rules each, an order, a reason.
#include "core/curation/scorer_answers.h"
#include "tests/ui/datasets/open_datasets_page.h"

#include <QComboBox>
#include <QTest>
#include <gmock/gmock.h>

namespace dailies::ui {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

constexpr auto kAesthetic = static_cast<Measure>(curation::kMeasures);
constexpr auto kWords = static_cast<Measure>(curation::kMeasures + 1);

class ScorerRows : public DatasetsPageTest {
protected:
    /// Of the ten clips all but one have an aesthetic score, -0.4 to 0.4, and three a count of words.
    ScorerRows() {
        m_ids.reserve(10);
        for (const auto& clip : curation::loadCuratedFolder(set()).clips) m_ids.push_back(clip.id);
        curation::ScorerLog log(set());
        for (std::size_t i = 1; i < m_ids.size(); ++i)
            log.add(m_ids[i], "aesthetic",
                    {.values = {{"", 0.1 * static_cast<double>(i) - 0.5}}, .timeMs = 1});
        for (std::size_t i = 0; i < 3; ++i)
            log.add(m_ids[i], "ocr", {.values = {{"words", 10.0 * static_cast<double>(i)}}, .timeMs = 1});
        log.merge();
        curation::saveChanges(set(), {.rules = curation::loadCurationConfig(set()).verdict});
    }
    std::vector<std::string> shown() {
        std::vector<std::string> ids;
        for (const auto clip : wall().order()) ids.push_back(model().clips()[clip].id);
        return ids;
    }
    QComboBox& choice(const QString& name) {
        for (auto* one : page.findChildren<QComboBox*>())
            if (one->accessibleName() == name) return *one;
        throw std::runtime_error("no choice " + name.toStdString());
    }
    void choose(QComboBox& from, const QString& text) {
        for (int i = 0; i < from.count(); ++i)
            if (from.itemText(i).startsWith(text)) {
                from.setCurrentIndex(i);
                emit from.activated(i);
                return;
            }
        FAIL() << "no " << text.toStdString() << " to choose";
    }

    std::vector<std::string> m_ids;
};

TEST_F(ScorerRows, StandAboveTheOthersEachWithItsName) {
    open();
    EXPECT_EQ(model().clips().measures(), curation::kMeasures + 2);
    auto& row = page.panel().row(kAesthetic);
    EXPECT_LT(row.y(), page.panel().row(Measure::Seconds).y());
    EXPECT_TRUE(shows(QStringLiteral("aesthetic")));
    EXPECT_TRUE(shows(QStringLiteral("ocr/words")));
    EXPECT_TRUE(shows(QStringLiteral("1 not scored")));
    EXPECT_TRUE(shows(QStringLiteral("7 not scored")));
    std::uint32_t counted = 0;
    for (const auto count : row.histogram().histogram().all()) counted += count;
    EXPECT_EQ(counted, 9u);
    EXPECT_LT(row.histogram().histogram().axis().begin, -0.4);
    EXPECT_EQ(field(kAesthetic, 0).text(), QStringLiteral("off"));
    EXPECT_EQ(field(kAesthetic, 1).text(), QStringLiteral("off"));
    keepPicture(QStringLiteral("scorers"));
}

TEST_F(ScorerRows, ALimitDropsWhatIsBeyondItAndIsSavedAndReadAgain) {
    open();
    EXPECT_TRUE(shows(QStringLiteral("8 of 10 clips")));
    field(kAesthetic, 0).setValue(0);  // a limit like any other
    EXPECT_EQ(model().rules().scores.at("aesthetic").min, 0);
    EXPECT_TRUE(shows(QStringLiteral("5 of 10 clips")));
    EXPECT_TRUE(shows(QStringLiteral("drops 4")));
    choose(choice(QStringLiteral("Reason")), QStringLiteral("aesthetic 4"));
    EXPECT_EQ(shown().size(), 4u);
    QTest::mouseClick(&button(QStringLiteral("Save")), Qt::LeftButton);
    settle();
    EXPECT_THAT(notes, testing::SizeIs(1));
    EXPECT_EQ(curation::loadCurationConfig(set()).verdict.scores.at("aesthetic").min, 0);
    std::size_t dropped = 0;
    for (const auto& line : lines())
        for (const auto& reason : line.at("reasons")) dropped += reason == "score/aesthetic";
    EXPECT_EQ(dropped, 4u);
    open();
    EXPECT_EQ(field(kAesthetic, 0).value(), 0);
    EXPECT_TRUE(shows(QStringLiteral("5 of 10 clips")));
    EXPECT_THAT(failures, IsEmpty());
}

TEST_F(ScorerRows, ALineIsDraggedAndSwitchedOffAtItsEnd) {
    open();
    auto& histogram = page.panel().row(kAesthetic).histogram();
    const auto at = [&](double x) { return QPoint(static_cast<int>(x), histogram.height() / 2); };
    QTest::mousePress(&histogram, Qt::LeftButton, {}, at(histogram.lineX(1)));
    QTest::mouseMove(&histogram, at(histogram.width() / 2.0));
    ASSERT_TRUE(model().rules().scores.at("aesthetic").max);
    EXPECT_NEAR(*model().rules().scores.at("aesthetic").max, 0, 0.05);
    EXPECT_EQ(page.filter().measure, kAesthetic) << "the clips around the limit are shown";
    QTest::mouseMove(&histogram, at(histogram.width()));
    QTest::mouseRelease(&histogram, Qt::LeftButton, {}, at(histogram.width()));
    EXPECT_THAT(model().rules().scores, IsEmpty());
    EXPECT_EQ(field(kAesthetic, 1).text(), QStringLiteral("off"));
}

TEST_F(ScorerRows, ALimitIsTypedAndClearedAndSteppedFromWhereClipsAre) {
    open();
    auto& least = field(kAesthetic, 0);
    least.setFocus();
    least.selectAll();
    QTest::keyClicks(&least, QStringLiteral("-0.25"));
    EXPECT_EQ(least.text(), QStringLiteral("-0.25")) << "what is typed stays as it is typed";
    EXPECT_EQ(model().rules().scores.at("aesthetic").min, -0.25);
    least.selectAll();
    QTest::keyClick(&least, Qt::Key_Delete);
    QTest::keyClick(&least, Qt::Key_Return);
    EXPECT_THAT(model().rules().scores, IsEmpty());
    EXPECT_EQ(least.text(), QStringLiteral("off"));
    QTest::keyClick(&least, Qt::Key_Up);
    ASSERT_TRUE(least.limit());
    EXPECT_NEAR(*least.limit(), -0.4, 0.02) << "where the first clips are";
    QTest::keyClick(&least, Qt::Key_Up);
    EXPECT_NEAR(*least.limit(), -0.39, 0.02);
}

TEST_F(ScorerRows, OrderTheWallWithWhatHasNoScoreLast) {
    open();
    choose(choice(QStringLiteral("Sort by")), QStringLiteral("By aesthetic"));
    EXPECT_EQ(shown().front(), m_ids[1]);
    EXPECT_EQ(shown().back(), m_ids[0]);
    auto filter = page.filter();
    filter.descending = true;
    page.setFilter(filter);
    EXPECT_EQ(shown().front(), m_ids[9]);
    EXPECT_EQ(shown().back(), m_ids[0]);
    wall().select(0);
    EXPECT_TRUE(shows(QStringLiteral("aesthetic 0.400"))) << "of the selected clip";
}

TEST_F(ScorerRows, AreThoseOfTheFolderThatIsOpen) {
    open();
    choose(choice(QStringLiteral("Sort by")), QStringLiteral("By ocr/words"));
    ASSERT_EQ(page.filter().measure, kWords);
    const auto other = m_folder.path() / "other";
    fs::copy(s_master->path() / "set", other, fs::copy_options::recursive);
    page.open(other);
    settle();
    EXPECT_FALSE(page.filter().measure);
    EXPECT_FALSE(shows(QStringLiteral("ocr/words")));
    EXPECT_EQ(choice(QStringLiteral("Sort by")).count(), 1 + static_cast<int>(curation::kMeasures));
    EXPECT_EQ(choice(QStringLiteral("Reason")).count(), 1 + static_cast<int>(curation::kReasons));
}

}  // namespace
}  // namespace dailies::ui
