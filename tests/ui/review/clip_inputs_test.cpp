// What clips were made from, on the wall of the Review page, and what is known of their frames.
#include "core/tracking/store.h"
#include "core/video/clip_file.h"
#include "tests/core/video/numbered_frames.h"
#include "tests/ui/wall/numbered_store.h"
#include "ui/playback/frame_curve_strip.h"
#include "ui/review/review_page.h"
#include "ui/theme/theme.h"
#include "ui/wall/wall_view.h"

#include <QAction>
#include <QImage>
#include <QTest>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace dailies::ui {
namespace {

constexpr int kSide = 64;

/// The upper half of that colour, the rest black.
video::Frame halfOf(std::uint8_t red, std::uint8_t green, std::uint8_t blue) {
    video::Frame frame{kSide, kSide, std::vector<std::uint8_t>(std::size_t{kSide} * kSide * 3)};
    for (std::size_t i = 0; i < frame.rgb.size() / 2; i += 3) {
        frame.rgb[i] = red;
        frame.rgb[i + 1] = green;
        frame.rgb[i + 2] = blue;
    }
    return frame;
}

bool isRed(QRgb pixel) {
    return qRed(pixel) > 200 && qGreen(pixel) < 60 && qBlue(pixel) < 60;
}
bool isGreen(QRgb pixel) {
    return qGreen(pixel) > 200 && qRed(pixel) < 60 && qBlue(pixel) < 60;
}

class ReviewInputsTest : public testing::Test {
protected:
    /// The first run's clip of the first prompt was made from a red picture and green poses, the others were
    /// not.
    ReviewInputsTest() : m_numbered(makeNumberedStore(m_folder.path())) {
        qputenv("XDG_CONFIG_HOME", (m_folder.path() / "config").c_str());
        tracking::Store store(m_numbered.file);
        const auto& run = m_numbered.runIds[0];
        const auto inputs = clipFile(m_numbered, 0, 0, 300).parent_path().parent_path() / "inputs";
        std::filesystem::create_directories(inputs);
        const auto red = halfOf(255, 0, 0);  // a picture, as programs of people's own have it
        QImage(red.rgb.data(), red.width, red.height, QImage::Format_RGB888)
            .save(QString::fromStdString((inputs / "reference.png").string()));
        video::writeClip(inputs / "poses.mp4",
                         std::vector<video::Frame>(NumberedStore::kFrames, halfOf(0, 255, 0)), {.fps = 24});
        const auto clips = store.clips(m_numbered.runIds);
        for (const auto& known : clips) {
            if (known.step != 300 || known.prompt != "a cat") continue;
            events::Clip clip{known.step,   known.prompt, known.seed, known.path, known.frames,
                              known.height, known.width,  known.fps,  {}};
            const double first = known.runId == run ? 0.25 : 0.75;
            clip.perFrame["pose_error"] = {first, 0.5, std::nan(""), 0.125};
            clip.perFrame["flicker"] = {std::nan(""), 1, 2, 3};
            if (known.runId == run)
                clip.inputs = {{"reference", "clips/inputs/reference.png"},
                               {"dwpose", "clips/inputs/poses.mp4"}};
            const auto seq = store.ingestState(known.runId).lastSeq + 1;
            store.ingest(known.runId, {events::Event{seq, 1, 1000, clip}}, seq);
            store.setClipLocalPath(known.runId, known.path, known.localPath);
        }
        store.setClipLocalPath(run, "clips/inputs/reference.png", (inputs / "reference.png").string());
        store.setClipLocalPath(run, "clips/inputs/poses.mp4", (inputs / "poses.mp4").string());
        Theme::instance().apply(ThemeMode::Dark);
        m_page = std::make_unique<ReviewPage>(m_numbered.file);
        m_page->resize(1280, 720);
        m_page->show();
        settle();
    }

    void settle() {
        ASSERT_TRUE(QTest::qWaitFor([&] { return m_page->isSettled(); }, 10'000));
    }
    WallView* wall() { return m_page->findChild<WallView*>(); }
    FrameCurveStrip* strip() { return m_page->findChild<FrameCurveStrip*>(); }
    void press(Qt::Key key, Qt::KeyboardModifiers modifiers = {}) {
        QTest::keyClick(wall(), key, modifiers);
        settle();
    }

    /// As shares of the tile in that column of the first row.
    double shareOf(int column, const std::function<bool(QRgb)>& isSought) {
        const QImage tile = wall()->viewport()->grab(wall()->tileRect(column, 0)).toImage();
        double found = 0;
        for (int y = 0; y < tile.height(); ++y)
            for (int x = 0; x < tile.width(); ++x) found += isSought(tile.pixel(x, y));
        return found / (tile.width() * tile.height());
    }
    double green(int column) { return shareOf(column, isGreen); }
    double red(int column) { return shareOf(column, isRed); }

    /// The column of the first run: the better one stands first.
    int madeFromInputs() {
        const auto& columns = wall()->scene().columns;
        return static_cast<int>(std::ranges::find(columns, m_numbered.runIds[0], &WallScene::Heading::runId) -
                                columns.begin());
    }

    TemporaryFolder m_folder;
    NumberedStore m_numbered;
    std::unique_ptr<ReviewPage> m_page;
};

TEST_F(ReviewInputsTest, AKeyShowsThemBesideTheClipThenOverItThenNotAtAll) {
    const int made = madeFromInputs(), other = 1 - made;
    EXPECT_EQ(green(made), 0);
    EXPECT_EQ(red(made), 0);

    press(Qt::Key_E);
    EXPECT_EQ(wall()->inputView(), InputView::Beside);
    const double small = green(made);
    EXPECT_GT(small, 0.01) << "the upper half of a small picture";
    EXPECT_LT(small, 0.06);
    EXPECT_NEAR(red(made), small, 0.01);
    EXPECT_EQ(green(other) + red(other), 0) << "nothing says what that one was made from";

    press(Qt::Key_E);
    EXPECT_EQ(wall()->inputView(), InputView::Over);
    EXPECT_GT(green(made), 0.2) << "poses lie over the clip: green where it is black";
    EXPECT_GT(shareOf(made, [](QRgb pixel) { return qRed(pixel) > 200 && qBlue(pixel) > 200; }), 0.05)
        << "and the clip shines through";
    EXPECT_NEAR(red(made), small, 0.01) << "a picture lies over nothing";

    press(Qt::Key_E);
    EXPECT_EQ(green(made) + red(made), 0);
}

TEST_F(ReviewInputsTest, FollowTheClipIntoTheOpenedTileAndTheZoom) {
    wall()->select(madeFromInputs(), 0);
    press(Qt::Key_E);
    press(Qt::Key_E);
    press(Qt::Key_Return);
    ASSERT_TRUE(wall()->isZoomed());
    const double whole = green(madeFromInputs());
    EXPECT_GT(whole, 0.05);
    press(Qt::Key_Plus, Qt::ControlModifier);
    EXPECT_GT(green(madeFromInputs()), whole) << "the drawing is enlarged with the clip";
}

TEST_F(ReviewInputsTest, TheErrorOfEachFrameIsACurveUnderThePlayHead) {
    wall()->select(madeFromInputs(), 0);
    settle();
    ASSERT_TRUE(strip()->isVisible());
    ASSERT_NE(strip()->shown(), nullptr);
    EXPECT_EQ(strip()->shown()->name, QStringLiteral("pose error")) << "what a character is judged by";
    EXPECT_EQ(strip()->shown()->curves.size(), 2u) << "the other run's beside it";
    EXPECT_EQ(strip()->valueUnderPlayhead(), 0.25);
    press(Qt::Key_Right);
    EXPECT_EQ(strip()->valueUnderPlayhead(), 0.5);
    press(Qt::Key_Right);
    EXPECT_TRUE(std::isnan(strip()->valueUnderPlayhead()));
    press(Qt::Key_Home);
    wall()->select(1 - madeFromInputs(), 0);
    EXPECT_EQ(strip()->valueUnderPlayhead(), 0.75);
    wall()->select(0, 1);
    EXPECT_FALSE(strip()->isVisible()) << "nothing is known of that prompt's frames";
}

TEST_F(ReviewInputsTest, TheKeySaysWhyThereIsNothingToShow) {
    const auto reasonOf = [](ReviewPage& page) {
        for (const QAction* action : page.actions())
            if (action->text().contains(QStringLiteral("made from"))) return action->isEnabled();
        ADD_FAILURE() << "there is no such action";
        return false;
    };
    EXPECT_TRUE(reasonOf(*m_page));
    TemporaryFolder folder;
    ReviewPage plain(makeNumberedStore(folder.path()).file);
    plain.show();
    ASSERT_TRUE(QTest::qWaitFor([&] { return plain.isSettled(); }, 10'000));
    EXPECT_FALSE(reasonOf(plain));
}

}  // namespace
}  // namespace dailies::ui
