// Clips that show the same, side by side.
#include "core/curation/clip_list.h"
#include "tests/ui/datasets/open_datasets_page.h"

#include <QTest>
#include <gmock/gmock.h>

namespace dailies::ui {
namespace {

using testing::ElementsAre;

class AlikeClips : public DatasetsPageTest {
protected:
    /// The first two clips and the last show the same; the second has the most pixels.
    AlikeClips() {
        auto clips = curation::loadCuratedFolder(set()).clips;
        for (const auto i : {std::size_t{0}, clips.size() - 1}) clips[i].duplicateOf = clips[1].id;
        last = static_cast<std::uint32_t>(clips.size() - 1);
        curation::writeClipList(set(), clips, curation::loadCurationConfig(set()).verdict, {}, {}, {});
    }
    QPushButton& alike() {
        for (auto* one : page.findChildren<QPushButton*>())
            if (one->text().startsWith(QStringLiteral("Alike"))) return *one;
        throw std::runtime_error("no button");
    }
    std::uint32_t last = 0;
};

TEST_F(AlikeClips, StandSideBySideAndAreJudgedThere) {
    open();
    wall().select(2);
    EXPECT_FALSE(alike().isVisible()) << "no other shows the same";
    wall().select(0);
    EXPECT_TRUE(alike().isVisible());
    EXPECT_EQ(alike().text(), QStringLiteral("Alike 3"));
    const int width = wall().tileRect(0).width();
    QTest::keyClick(&wall(), Qt::Key_D);
    EXPECT_THAT(wall().order(), ElementsAre(0U, 1U, last));
    EXPECT_EQ(wall().selected(), 0U) << "the one that was selected";
    EXPECT_TRUE(alike().isChecked());
    EXPECT_GT(wall().tileRect(0).width(), width);
    EXPECT_TRUE(waitUntil([&] { return page.isSettled(); }, 20'000));
    keepPicture(QStringLiteral("alike"));

    // the rules keep the second alone; a person wants the first instead
    QTest::keyClick(&wall(), Qt::Key_K);
    wall().select(1);
    QTest::keyClick(&wall(), Qt::Key_X);
    EXPECT_TRUE(model().isKept(0));
    EXPECT_FALSE(model().isKept(1));
    EXPECT_THAT(wall().order(), ElementsAre(0U, 1U, last)) << "all of them stay in view";
    QTest::keyClick(&wall(), Qt::Key_D);
    EXPECT_EQ(wall().order().size(), last + 1U);
    EXPECT_EQ(wall().selected(), 1U);
    EXPECT_EQ(wall().tileRect(0).width(), width);
}

TEST_F(AlikeClips, AreLeftByAskingForOthers) {
    open();
    wall().select(1);
    QTest::mouseClick(&alike(), Qt::LeftButton);
    ASSERT_EQ(wall().order().size(), 3U);
    QTest::mouseClick(&button(QStringLiteral("Kept 7")), Qt::LeftButton);
    EXPECT_EQ(wall().order().size(), 7U);
    EXPECT_FALSE(alike().isChecked());
}

}  // namespace
}  // namespace dailies::ui
