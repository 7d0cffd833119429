#include "core/judging/seen_clips.h"
#include "tests/ui/review/judging/judged_page.h"
#include "ui/review/morning/playlist_delegate.h"

#include <QLabel>
#include <QListWidget>
#include <QPushButton>

namespace dailies::ui {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

class MorningByKeys : public JudgedPage {
protected:
    MorningView& view() { return m_page->morning(); }
    void pressThere(Qt::Key key, Qt::KeyboardModifiers modifiers = {}) {
        QTest::keyClick(&view(), key, modifiers);
        settle();
    }
    bool isSeen(const judging::ClipKey& clip) const {
        return judging::seenClips(openStore(), "ana", m_store.runIds).contains(clip);
    }
    judging::ClipKey current() {
        return judging::keyOf(view().morning().playlist.at(static_cast<std::size_t>(view().current())).clip);
    }
};

TEST_F(MorningByKeys, TheEntrySaysHowMuchIsNew) {
    open();
    QPushButton* entry = nullptr;
    for (auto* button : m_page->findChildren<QPushButton*>())
        if (button->text().startsWith(QStringLiteral("Morning dailies"))) entry = button;
    ASSERT_NE(entry, nullptr);
    EXPECT_THAT(entry->text().toStdString(), HasSubstr("4")) << "two runs, two prompts";
}

TEST_F(MorningByKeys, StandsRunByRunAndPromisesNothingOfWhenClipsCame) {
    open();
    press(Qt::Key_M);
    pressThere(Qt::Key_Down);  // one was seen: the others are older than that
    pressThere(Qt::Key_Escape);
    press(Qt::Key_M);
    const auto* list = view().findChild<QListWidget*>();
    ASSERT_EQ(list->count(), 2) << "leaving is having seen the second one";
    EXPECT_EQ(list->item(0)->data(PlaylistDelegate::kRunRole).toString(), "lr=0.01");
    EXPECT_EQ(list->item(0)->data(PlaylistDelegate::kCountRole).toString(), "2 clips");
    EXPECT_FALSE(list->item(1)->data(PlaylistDelegate::kRunRole).isValid()) << "the same run's";
    QStringList words;
    for (const auto* label : view().findChildren<QLabel*>()) words << label->text();
    EXPECT_THAT(words.join(QLatin1Char('\n')).toStdString(), HasSubstr("2 clips not seen yet"));
    EXPECT_THAT(words.join(QLatin1Char('\n')).toStdString(), Not(HasSubstr("since")));
}

TEST_F(MorningByKeys, ShowsEachNewClipBesideItsOwnPast) {
    open();
    press(Qt::Key_M);
    ASSERT_THAT(view().morning().playlist, SizeIs(4));
    ASSERT_THAT(view().stage().clips(), SizeIs(2));
    view().stage().playhead().pause();
    view().stage().playhead().seek(1);
    settle();
    const auto& entry = view().morning().playlist[0];
    const int run = entry.run.id == m_store.runIds[0] ? 0 : 1, prompt = entry.clip.prompt == "a cat" ? 0 : 1;
    EXPECT_EQ(numberAt(view().stage(), view().stage().place(0)), NumberedStore::numberOf(run, prompt, 1, 1));
    EXPECT_EQ(numberAt(view().stage(), view().stage().place(1)), NumberedStore::numberOf(run, prompt, 2, 1));
}

TEST_F(MorningByKeys, WhatOneMovesOnFromIsSeen) {
    open();
    press(Qt::Key_M);
    const auto first = current();
    EXPECT_FALSE(isSeen(first));
    pressThere(Qt::Key_Down);
    EXPECT_TRUE(isSeen(first));
    EXPECT_NE(current(), first);
    const auto second = current();
    pressThere(Qt::Key_4);
    EXPECT_EQ(stored(second).of("ana").stars, 4);
    pressThere(Qt::Key_Escape);
    EXPECT_TRUE(wall()->isVisible());
    press(Qt::Key_M);
    EXPECT_THAT(view().morning().playlist, SizeIs(2)) << "the other two";
    pressThere(Qt::Key_Return);
    pressThere(Qt::Key_Return);
    EXPECT_THAT(view().morning().playlist, SizeIs(0)) << "the end of the playlist";
    for (int run = 0; run < 2; ++run)
        for (int prompt = 0; prompt < 2; ++prompt) EXPECT_TRUE(isSeen(key(run, prompt, 300)));
}

TEST_F(MorningByKeys, FailedChecksComeFirstAtTheFrameThatFailed) {
    m_store = makeNumberedStore(m_folder.path());
    open();
    const auto bad = key(1, 1, 300);
    {
        tracking::Store store(m_store.file);
        for (const auto& clip : store.clips({bad.runId}))
            if (clip.path == bad.path)
                store.putFindings({{.runId = bad.runId,
                                    .path = bad.path,
                                    .localPath = clip.localPath,
                                    .revision = 1,
                                    .findings = {{.check = "frozen",
                                                  .severity = 2,
                                                  .firstFrame = 2,
                                                  .lastFrame = 7,
                                                  .text = "Frozen from frame 3 on."}}}});
    }
    view().refresh(true);
    settle();
    press(Qt::Key_M);
    EXPECT_EQ(current(), bad);
    EXPECT_EQ(view().stage().playhead().frame(), 2);
    EXPECT_FALSE(view().stage().playhead().isPlaying());
}

TEST_F(MorningByKeys, AllCanBeMarkedAsSeenAtOnce) {
    open();
    press(Qt::Key_M);
    pressThere(Qt::Key_A, Qt::ShiftModifier);
    EXPECT_TRUE(isSeen(key(1, 0, 300)));
    EXPECT_FALSE(isSeen(key(1, 0, 200))) << "older clips were not in it";
    EXPECT_THAT(view().morning().playlist, SizeIs(0));
}

TEST_F(MorningByKeys, GoesToTheClipOnTheWall) {
    open();
    press(Qt::Key_Up);
    press(Qt::Key_M);
    pressThere(Qt::Key_W);
    settle();
    EXPECT_TRUE(wall()->isVisible());
    EXPECT_EQ(wall()->scene().tile(0, 0).step, 300);
}

}  // namespace
}  // namespace dailies::ui
