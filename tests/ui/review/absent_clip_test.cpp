// Clips of which only the beginning is here, or nothing, and what comes of opening them.
#include "core/base/files.h"
#include "core/tracking/artifact_root.h"
#include "core/tracking/store.h"
#include "core/video/clip_part.h"
#include "tests/ui/playback/shown_number.h"
#include "tests/ui/wall/numbered_store.h"
#include "ui/playback/frame_service.h"
#include "ui/review/review_page.h"
#include "ui/theme/theme.h"
#include "ui/wall/wall_paint.h"
#include "ui/wall/wall_view.h"

#include <QSignalSpy>
#include <QTest>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dailies::ui {
namespace {

using testing::HasSubstr;

class AbsentClips : public testing::Test {
protected:
    AbsentClips() : m_store(makeNumberedStore(m_folder.path())) {
        m_file = clipFile(m_store, 0, 0, 300);
        m_bytes = readFile(m_file);
    }

    void open() {
        Theme::instance().apply(ThemeMode::Dark);
        m_page = std::make_unique<ReviewPage>(m_store.file);
        m_page->resize(1280, 720);
        m_page->show();
        settle();
        for (int row = 0; row < 2; ++row)
            for (int column = 0; column < 2; ++column)
                if (wall()->scene().tile(column, row).file == m_file.string()) wall()->select(column, row);
    }
    void settle() {
        ASSERT_TRUE(QTest::qWaitFor([&] { return m_page->isSettled(); }, 10'000));
    }
    WallView* wall() { return m_page->findChild<WallView*>(); }
    ClipPlayer& player() { return m_page->player(); }
    std::string absence() { return absenceText(player(), m_file.string()).toStdString(); }
    int framesHere() {
        const auto facts = player().facts(m_file.string());
        return facts ? facts->timing.frames() : -1;
    }
    /// The number on the selected tile, as painted.
    int shown() {
        const QRect tile = wall()->tileRect(wall()->selectedColumn(), wall()->selectedRow());
        QRect rect(QPoint(), displaySize({64, 64}, tile.size()));
        rect.moveCenter(tile.center());
        return shownNumber(wall()->viewport()->grab(rect).toImage().convertToFormat(QImage::Format_RGB32));
    }
    /// All but the file's end has come.
    static void arrive(const std::filesystem::path& file, const std::string& bytes) {
        writeFileAtomically(file.string() + "." + std::to_string(bytes.size()) + "-5.part",
                            bytes.substr(0, bytes.size() - 1));
    }

    TemporaryFolder m_folder;
    NumberedStore m_store;
    std::filesystem::path m_file;
    std::string m_bytes;
    std::shared_ptr<FrameService> m_frames = FrameService::shared();
    std::unique_ptr<ReviewPage> m_page;
};

TEST_F(AbsentClips, AClipThatWasLetGoKeepsItsPictureAndSaysWhereItIs) {
    video::shrinkToHead(m_file);
    ASSERT_FALSE(std::filesystem::exists(m_file));
    QSignalSpy wanted(m_frames.get(), &FrameService::wanted);
    open();
    EXPECT_EQ(shown(), NumberedStore::numberOf(0, 0, 2, 0));
    EXPECT_EQ(framesHere(), 1);
    EXPECT_THAT(absence(), HasSubstr("On the cluster"));
    EXPECT_TRUE(wanted.isEmpty()) << "looking at a wall asks for nothing";
}

TEST_F(AbsentClips, OpeningAClipAsksForItAloneAndItPlaysAsItComes) {
    video::shrinkToHead(m_file);
    video::shrinkToHead(clipFile(m_store, 0, 1, 300));
    open();
    QSignalSpy wanted(m_frames.get(), &FrameService::wanted);
    QTest::keyClick(wall(), Qt::Key_Return);
    ASSERT_TRUE(QTest::qWaitFor([&] { return !wanted.isEmpty(); }));
    settle();
    ASSERT_EQ(wanted.size(), 1) << "the one that was opened, once";
    EXPECT_EQ(wanted[0][0].value<std::string>(), m_file.string());
    EXPECT_THAT(absence(), HasSubstr("Fetching"));

    arrive(m_file, m_bytes);
    m_frames->handlePartFetched(m_file.string());
    ASSERT_TRUE(QTest::qWaitFor([&] { return framesHere() > 1; })) << "what has come can be played";
    EXPECT_LT(framesHere(), NumberedStore::kFrames);
    EXPECT_THAT(absence(), HasSubstr(" of "));
    settle();
    QTest::keyClick(wall(), Qt::Key_Right);
    settle();
    EXPECT_EQ(shown(), NumberedStore::numberOf(0, 0, 2, 1));

    writeFileAtomically(m_file, m_bytes);
    m_frames->settle(m_file.string(), {});
    ASSERT_TRUE(QTest::qWaitFor([&] { return framesHere() == NumberedStore::kFrames; }));
    EXPECT_EQ(absence(), "");
    EXPECT_FALSE(player().isGrowing(m_file.string())) << "it was fetched, nothing writes to it";
    EXPECT_EQ(wanted.size(), 1);
}

TEST_F(AbsentClips, AClipThatDoesNotComeSaysWhyAndIsAskedForWhenItIsOpenedAgain) {
    std::filesystem::remove(m_file);
    open();
    EXPECT_THAT(absence(), HasSubstr("On the cluster"));
    QSignalSpy wanted(m_frames.get(), &FrameService::wanted);
    QTest::keyClick(wall(), Qt::Key_Return);
    ASSERT_TRUE(QTest::qWaitFor([&] { return !wanted.isEmpty(); }));
    EXPECT_EQ(absence(), "Requested from cluster");
    m_frames->settle(m_file.string(), QStringLiteral("It is on lab, which is not connected."));
    settle();
    EXPECT_THAT(absence(), HasSubstr("lab"));
    EXPECT_EQ(wanted.size(), 1) << "it does not ask again and again";
    QTest::keyClick(wall(), Qt::Key_Escape);
    settle();
    QTest::keyClick(wall(), Qt::Key_Return);
    ASSERT_TRUE(QTest::qWaitFor([&] { return wanted.size() == 2; }));
    m_frames->settle(m_file.string(), {});
}

TEST_F(AbsentClips, ABeginningThatCameBeforeItsClipIsShown) {
    {
        tracking::Store store(m_store.file);
        const auto clip = store.clips({m_store.runIds[0]}).back();
        const auto place = tracking::artifactRoot(m_store.file) / clip.runId / clip.path;
        const auto bytes = readFile(clip.localPath);
        std::filesystem::create_directories(place.parent_path());
        arrive(place, bytes);
        store.setClipLocalPath(clip.runId, clip.path, "");
    }
    open();
    int parts = 0;
    for (int row = 0; row < 2; ++row)
        if (const auto facts = player().facts(wall()->scene().tile(0, row).file);
            facts && facts->fullSize > 0)
            parts += facts->timing.frames() > 0;
    for (int row = 0; row < 2; ++row)
        if (const auto facts = player().facts(wall()->scene().tile(1, row).file);
            facts && facts->fullSize > 0)
            parts += facts->timing.frames() > 0;
    EXPECT_EQ(parts, 1);
}

}  // namespace
}  // namespace dailies::ui
