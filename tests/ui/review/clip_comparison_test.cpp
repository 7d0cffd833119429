#include "ui/review/clip_comparison.h"

#include "core/base/files.h"
#include "core/tracking/store.h"
#include "tests/core/video/numbered_frames.h"
#include "tests/ui/wall/numbered_store.h"
#include "ui/review/review_page.h"
#include "ui/theme/theme.h"
#include "ui/viewport/clip_viewport.h"
#include "ui/viewport/quality_meter.h"
#include "ui/wall/wall_view.h"

#include <QAbstractButton>
#include <QAbstractSlider>
#include <QTest>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace dailies::ui {
namespace {

using testing::HasSubstr;

constexpr auto clipNumber = NumberedStore::numberOf;

/// Drives the page as a person does, with keys, and reads off the picture which frames it shows.
class ClipComparisonTest : public testing::Test {
protected:
    void open(const NumberedStore& store) {
        Theme::instance().apply(ThemeMode::Dark);
        m_page = std::make_unique<ReviewPage>(store.file);
        m_page->resize(1280, 720);
        m_page->show();
        settle();
    }

    void settle() {
        ASSERT_TRUE(QTest::qWaitFor([&] { return m_page->isSettled(); }, 20'000));
    }
    void press(Qt::Key key, Qt::KeyboardModifiers modifiers = {}) {
        QWidget* focused = comparison().isVisible() ? static_cast<QWidget*>(&viewport()) : wall();
        QTest::keyClick(focused, key, modifiers);
        settle();
    }

    WallView* wall() { return m_page->findChild<WallView*>(); }
    ClipComparison& comparison() { return *m_page->findChild<ClipComparison*>(); }
    ClipViewport& viewport() { return *m_page->findChild<ClipViewport*>(); }

    /// The number in a part of what the viewport shows, as painted.
    int shown() {
        const QSize size = viewport().frames().a.size();
        const QRectF place = viewport().panZoom().rectOf(size, viewport().size());
        const QImage picture =
            viewport().grab(place.toRect()).toImage().convertToFormat(QImage::Format_RGB32);
        video::Frame frame{picture.width(), picture.height(), {}};
        for (int y = 0; y < picture.height(); ++y)
            for (int x = 0; x < picture.width(); ++x)
                for (const int channel :
                     {qRed(picture.pixel(x, y)), qGreen(picture.pixel(x, y)), qBlue(picture.pixel(x, y))})
                    frame.rgb.push_back(static_cast<std::uint8_t>(channel));
        return video::shownNumber(frame);
    }

    TemporaryFolder m_folder;
    std::unique_ptr<ReviewPage> m_page;
};

TEST_F(ClipComparisonTest, LaysTheSelectedClipOverTheOtherRunsOfItsRow) {
    open(makeNumberedStore(m_folder.path()));
    press(Qt::Key_Right, Qt::ShiftModifier);
    press(Qt::Key_C);
    ASSERT_TRUE(comparison().isVisible());
    EXPECT_FALSE(wall()->isVisible());
    press(Qt::Key_B);
    EXPECT_EQ(shown(), clipNumber(0, 0, 2, 0)) << "A";
    press(Qt::Key_B);
    EXPECT_EQ(shown(), clipNumber(1, 0, 2, 0)) << "B";
    press(Qt::Key_S);
    EXPECT_EQ(shown(), clipNumber(0, 0, 2, 0)) << "swapped";
}

TEST_F(ClipComparisonTest, MovesBothThroughFramesAndTrainingSteps) {
    open(makeNumberedStore(m_folder.path()));
    press(Qt::Key_C);
    press(Qt::Key_B);
    press(Qt::Key_Right);
    EXPECT_EQ(shown(), clipNumber(1, 0, 2, 1)) << "A is the other run where the first is selected";
    press(Qt::Key_B);
    EXPECT_EQ(shown(), clipNumber(0, 0, 2, 1));
    press(Qt::Key_Up);
    EXPECT_EQ(shown(), clipNumber(0, 0, 1, 1)) << "the step before, the frame held";
    press(Qt::Key_Down, Qt::ShiftModifier);
    EXPECT_EQ(shown(), clipNumber(0, 1, 1, 1)) << "the prompt below";
}

TEST_F(ClipComparisonTest, ComparesWithThePinnedColumn) {
    open(makeNumberedStore(m_folder.path()));
    press(Qt::Key_Right, Qt::ShiftModifier);
    press(Qt::Key_B);  // the second run's column is the first one now
    wall()->select(1, 1);
    press(Qt::Key_C);
    press(Qt::Key_B);
    EXPECT_EQ(shown(), clipNumber(1, 1, 2, 0)) << "A: the pinned run's";
    press(Qt::Key_B);
    EXPECT_EQ(shown(), clipNumber(0, 1, 2, 0));
}

TEST_F(ClipComparisonTest, EscapeGoesBackToTheWallWhichPlaysItsClipsAgain) {
    open(makeNumberedStore(m_folder.path()));
    press(Qt::Key_C);
    press(Qt::Key_Right);
    press(Qt::Key_Escape);
    ASSERT_TRUE(wall()->isVisible());
    for (const PlayedClip& clip : wall()->visibleClips(wall()->scene()))
        EXPECT_NE(m_page->player().current(clip), nullptr);
    EXPECT_EQ(m_page->player().playhead().frame(), 1) << "at the same frame";
}

TEST_F(ClipComparisonTest, ShowsThePartOfThePicturesThatTheWallShowsAndBack) {
    open(makeNumberedStore(m_folder.path()));
    press(Qt::Key_Plus, Qt::ControlModifier);
    const auto enlarged = wall()->panZoom();
    ASSERT_GT(enlarged.zoom(), 1);
    press(Qt::Key_C);
    EXPECT_EQ(viewport().panZoom(), enlarged);
    press(Qt::Key_Plus, Qt::ControlModifier);
    const auto closer = viewport().panZoom();
    ASSERT_GT(closer.zoom(), enlarged.zoom());
    press(Qt::Key_Escape);
    ASSERT_TRUE(wall()->isVisible());
    EXPECT_EQ(wall()->panZoom(), closer);
}

TEST_F(ClipComparisonTest, EveryModeIsAKeyAndAButtonAway) {
    open(makeNumberedStore(m_folder.path()));
    press(Qt::Key_C);
    for (const auto& [key, mode, name] : {std::tuple(Qt::Key_Y, ViewMode::Difference, "Difference"),
                                          {Qt::Key_E, ViewMode::Overlay, "Overlay"},
                                          {Qt::Key_V, ViewMode::OnionSkin, "Onion skin"},
                                          {Qt::Key_B, ViewMode::Flip, "A / B"},
                                          {Qt::Key_W, ViewMode::Wipe, "Wipe"}}) {
        press(key);
        EXPECT_EQ(viewport().settings().mode, mode);
        const auto buttons = comparison().findChildren<QAbstractButton*>();
        const auto button = std::find_if(
            buttons.begin(), buttons.end(),
            [&, text = QString(name)](const auto* one) { return one->accessibleName() == text; });
        ASSERT_NE(button, buttons.end()) << name;
        EXPECT_TRUE((*button)->isChecked()) << name;
    }
    press(Qt::Key_Y);
    press(Qt::Key_PageUp);
    EXPECT_EQ(viewport().settings().amplification, 8);
    press(Qt::Key_W);
    press(Qt::Key_PageUp, Qt::ShiftModifier);
    EXPECT_EQ(viewport().settings().wipeAngle, 15);
    for (const QWidget* control : comparison().findChildren<QWidget*>())
        if (qobject_cast<const QAbstractButton*>(control) || qobject_cast<const QAbstractSlider*>(control)) {
            EXPECT_FALSE(control->accessibleName().isEmpty()) << control->metaObject()->className();
        }
}

TEST_F(ClipComparisonTest, TheOnionSkinHasTheNeighboursOfB) {
    open(makeNumberedStore(m_folder.path()));
    press(Qt::Key_C);
    press(Qt::Key_Right);
    press(Qt::Key_V);
    ASSERT_EQ(viewport().frames().before.size(), 2u);
    const auto numberIn = [](const QImage& image) {
        video::Frame frame{image.width(), image.height(), {}};
        for (int y = 0; y < image.height(); ++y)
            for (int x = 0; x < image.width(); ++x)
                for (int channel = 0; channel < 3; ++channel)
                    frame.rgb.push_back(static_cast<std::uint8_t>(qGreen(image.pixel(x, y))));
        return video::shownNumber(frame);
    };
    EXPECT_EQ(numberIn(viewport().frames().before[0]), clipNumber(0, 0, 2, 0));
    EXPECT_EQ(numberIn(viewport().frames().after[0]), clipNumber(0, 0, 2, 2));
    EXPECT_EQ(numberIn(viewport().frames().after[1]), clipNumber(0, 0, 2, 3));
}

TEST_F(ClipComparisonTest, MeasuresHowAlikeTheClipsAre) {
    open(makeNumberedStore(m_folder.path()));
    press(Qt::Key_C);
    ASSERT_EQ(comparison().meter().frames().size(), std::size_t{NumberedStore::kFrames});
    for (const auto& frame : comparison().meter().frames()) {
        EXPECT_TRUE(std::isfinite(frame.psnr));
        EXPECT_LT(frame.ssim, 0.99);
    }
}

TEST_F(ClipComparisonTest, KeepsTheFramesByWhichAClipIsShifted) {
    open(makeNumberedStore(m_folder.path()));
    press(Qt::Key_Right, Qt::ShiftModifier);
    press(Qt::Key_Plus);
    press(Qt::Key_C);
    EXPECT_EQ(comparison().meter().frames().size(), std::size_t{NumberedStore::kFrames} - 1)
        << "until the shifted one has ended";
    press(Qt::Key_B);
    EXPECT_EQ(shown(), clipNumber(0, 0, 2, 0)) << "A";
    press(Qt::Key_B);
    EXPECT_EQ(shown(), clipNumber(1, 0, 2, 1)) << "B is a frame ahead";
    press(Qt::Key_Minus);
    EXPECT_EQ(shown(), clipNumber(1, 0, 2, 0)) << "shifted back without leaving";
}

TEST_F(ClipComparisonTest, SaysWhyAClipCannotBeShown) {
    const NumberedStore store = makeNumberedStore(m_folder.path());
    writeFileAtomically(clipFile(store, 1, 0, 300), "not a video");
    open(store);
    press(Qt::Key_Right, Qt::ShiftModifier);
    press(Qt::Key_C);
    EXPECT_FALSE(viewport().frames().a.isNull()) << "the other is shown alone";
    EXPECT_TRUE(viewport().frames().b.isNull());
    EXPECT_THAT(comparison().meter().problem().toStdString(), HasSubstr("0.mp4"));
    press(Qt::Key_S);
    EXPECT_TRUE(viewport().frames().a.isNull()) << "nor when it is the reference";
    EXPECT_FALSE(viewport().frames().b.isNull());
}

TEST_F(ClipComparisonTest, GoesFromFindingToFinding) {
    const NumberedStore store = makeNumberedStore(m_folder.path());
    {
        tracking::Store opened(store.file);
        for (const auto& [run, prompt, frame] : {std::tuple(0, 1, 2), {1, 1, 1}}) {
            const std::string& id = store.runIds[static_cast<std::size_t>(run)];
            const std::string path = "clips/step-300/" + std::to_string(prompt) + ".mp4";
            opened.putFindings({{id,
                                 path,
                                 clipFile(store, run, prompt, 300).string(),
                                 1,
                                 {{{}, {}, "black", 2, frame, frame, "The picture is black."}}}});
        }
    }
    open(store);
    EXPECT_EQ(wall()->scene().tile(0, 1).findings.size(), 1u);
    press(Qt::Key_G);
    EXPECT_EQ(wall()->selectedColumn(), 0);
    EXPECT_EQ(wall()->selectedRow(), 1);
    EXPECT_EQ(m_page->player().playhead().frame(), 2);
    EXPECT_THAT(wall()->accessibleDescription().toStdString(), HasSubstr("The picture is black."));
    press(Qt::Key_G);
    EXPECT_EQ(wall()->selectedColumn(), 1);
    EXPECT_EQ(m_page->player().playhead().frame(), 1);
    press(Qt::Key_G);
    EXPECT_EQ(wall()->selectedColumn(), 0) << "and around";
}

}  // namespace
}  // namespace dailies::ui
