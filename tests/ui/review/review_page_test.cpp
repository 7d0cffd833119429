#include "ui/review/review_page.h"

#include "core/base/files.h"
#include "core/tracking/store.h"
#include "tests/core/video/numbered_frames.h"
#include "tests/ui/review/numbered_store.h"
#include "ui/review/wall_view.h"
#include "ui/theme/theme.h"
#include "ui/widgets/widgets.h"

#include <QApplication>
#include <QComboBox>
#include <QDialog>
#include <QSlider>
#include <QTest>
#include <QTimer>
#include <QToolButton>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dailies::ui {
namespace {

constexpr auto numberOf = NumberedStore::numberOf;

/// Drives the page as a person does, with keys, and reads what the tiles show off a picture of it.
class ReviewPageTest : public testing::Test {
protected:
    void open(const std::filesystem::path& store) {
        Theme::instance().apply(ThemeMode::Dark);
        m_page = std::make_unique<ReviewPage>(store);
        m_page->resize(1280, 720);
        m_page->show();
        settle();
    }

    void settle() {
        ASSERT_TRUE(QTest::qWaitFor([&] { return m_page->isSettled(); }, 10'000));
    }

    WallView* wall() { return m_page->findChild<WallView*>(); }

    void press(Qt::Key key, Qt::KeyboardModifiers modifiers = {}) {
        QTest::keyClick(wall(), key, modifiers);
        settle();
    }

    /// The number on the tile at a place of the layout, as painted.
    int shownAt(std::size_t place) {
        const QRect tile = wall()->layoutOfTiles().tiles.at(place).rect;
        QRect rect(QPoint(),
                   shownSize({64, 64}, tile.size()));  // small clips grow by whole factors, in the middle
        rect.moveCenter(tile.center());
        const QImage picture = wall()->viewport()->grab(rect).toImage().convertToFormat(QImage::Format_RGB32);
        video::Frame frame{picture.width(), picture.height(), {}};
        for (int y = 0; y < picture.height(); ++y)
            for (int x = 0; x < picture.width(); ++x) {
                const QRgb pixel = picture.pixel(x, y);
                frame.rgb.insert(frame.rgb.end(), {static_cast<std::uint8_t>(qRed(pixel)),
                                                   static_cast<std::uint8_t>(qGreen(pixel)),
                                                   static_cast<std::uint8_t>(qBlue(pixel))});
            }
        return video::shownNumber(frame);
    }

    /// What all four tiles must show: rows are prompts, columns are runs.
    void expectTiles(int stepIndex, int frame, int secondRunStep = -1) {
        const auto& tiles = wall()->layoutOfTiles().tiles;
        ASSERT_EQ(tiles.size(), 4u);
        for (std::size_t i = 0; i < tiles.size(); ++i) {
            const int step = tiles[i].column == 1 && secondRunStep >= 0 ? secondRunStep : stepIndex;
            EXPECT_EQ(shownAt(i), numberOf(tiles[i].column, tiles[i].row, step, frame))
                << "run " << tiles[i].column << " prompt " << tiles[i].row;
        }
    }

    TemporaryFolder m_folder;
    std::unique_ptr<ReviewPage> m_page;
};

TEST_F(ReviewPageTest, OpensAtTheNewestStepAndItsFirstFrame) {
    open(makeNumberedStore(m_folder.path()).file);
    expectTiles(2, 0);
}

TEST_F(ReviewPageTest, StepsAllTilesThroughFramesAndTrainingStepsByKeys) {
    open(makeNumberedStore(m_folder.path()).file);
    press(Qt::Key_Right);
    expectTiles(2, 1);
    press(Qt::Key_Up);
    expectTiles(1, 1);  // the frame is kept while the training step moves
    press(Qt::Key_Up);
    press(Qt::Key_Up);  // the first step is the end of the way
    expectTiles(0, 1);
    press(Qt::Key_End);
    expectTiles(0, 3);
    press(Qt::Key_Right);
    expectTiles(0, 0);
    press(Qt::Key_Left);
    expectTiles(0, 3);
    press(Qt::Key_Home);
    press(Qt::Key_Down, Qt::ControlModifier);
    expectTiles(2, 0);
}

TEST_F(ReviewPageTest, ShowsTheNearestEarlierClipOfARunThatLacksTheStep) {
    open(makeNumberedStore(m_folder.path(), 200).file);
    expectTiles(2, 0, 1);
    press(Qt::Key_Up);
    expectTiles(1, 0);
}

TEST_F(ReviewPageTest, PlaysAllTilesFrameLocked) {
    open(makeNumberedStore(m_folder.path()).file);
    int frames = 0;
    QObject::connect(&m_page->player().playhead(), &Playhead::frameChanged, m_page.get(), [&](int frame) {
        ++frames;
        expectTiles(2, frame);
    });
    QTest::keyClick(wall(), Qt::Key_Space);
    ASSERT_TRUE(QTest::qWaitFor([&] { return frames >= 9; }));
    QTest::keyClick(wall(), Qt::Key_Space);
    const int stopped = frames;
    QTest::qWait(150);
    EXPECT_EQ(frames, stopped) << "Space pauses";
    QTest::keyClick(wall(), Qt::Key_J);
    EXPECT_EQ(m_page->player().playhead().direction(), -1);
    QTest::keyClick(wall(), Qt::Key_K);
    EXPECT_FALSE(m_page->player().playhead().isPlaying());
}

TEST_F(ReviewPageTest, ShowsTheSelectedTileLargeAndComesBack) {
    open(makeNumberedStore(m_folder.path()).file);
    press(Qt::Key_Right, Qt::ShiftModifier);
    press(Qt::Key_Down, Qt::ShiftModifier);
    press(Qt::Key_Return);
    ASSERT_EQ(wall()->layoutOfTiles().tiles.size(), 1u);
    ASSERT_TRUE(wall()->isZoomed());
    EXPECT_EQ(wall()->layoutOfTiles().tiles[0].column, 1);
    EXPECT_EQ(wall()->layoutOfTiles().tiles[0].row, 1);
    EXPECT_THAT(wall()->accessibleDescription().toStdString(),
                testing::HasSubstr("lr=0.01, a dog, step 300"));
    EXPECT_EQ(shownAt(0), numberOf(1, 1, 2, 0));
    press(Qt::Key_Left, Qt::ShiftModifier);
    EXPECT_EQ(wall()->layoutOfTiles().tiles[0].column, 0) << "the neighbour, still large";
    press(Qt::Key_Escape);
    expectTiles(2, 0);
}

TEST_F(ReviewPageTest, ZoomsByDoubleClick) {
    open(makeNumberedStore(m_folder.path()).file);
    const QPoint place = wall()->layoutOfTiles().tiles.back().rect.center();
    QTest::mouseDClick(wall()->viewport(), Qt::LeftButton, {}, place);
    EXPECT_TRUE(wall()->isZoomed());
    EXPECT_EQ(wall()->selectedColumn(), 1);
    QTest::mouseDClick(wall()->viewport(), Qt::LeftButton, {}, wall()->viewport()->rect().center());
    EXPECT_FALSE(wall()->isZoomed());
}

TEST_F(ReviewPageTest, NewClipsArriveWithoutMovingAnyoneWhoLooksElsewhere) {
    const NumberedStore store = makeNumberedStore(m_folder.path());
    open(store.file);
    press(Qt::Key_Right);
    press(Qt::Key_Up);
    addLaterClips(store);
    m_page->reload();
    settle();
    expectTiles(1, 1);
    press(Qt::Key_Down);
    press(Qt::Key_Down);
    EXPECT_EQ(shownAt(0), 201) << "step 400, frame 1";
}

TEST_F(ReviewPageTest, FollowsTheNewestStepForThoseWhoAreThere) {
    const NumberedStore store = makeNumberedStore(m_folder.path());
    open(store.file);
    addLaterClips(store);
    m_page->reload();
    settle();
    EXPECT_EQ(shownAt(0), 200);
}

TEST_F(ReviewPageTest, SaysWhyAClipCannotBeShownAndPlaysOn) {
    const NumberedStore store = makeNumberedStore(m_folder.path());
    const auto damaged = clipFile(store, 0, 0, 300);
    const std::string whole = readFile(damaged);
    writeFileAtomically(damaged, whole.substr(0, whole.size() / 20));
    open(store.file);
    const auto& tiles = wall()->layoutOfTiles().tiles;
    for (std::size_t i = 0; i < tiles.size(); ++i)
        if (tiles[i].column != 0 || tiles[i].row != 0) {
            EXPECT_EQ(shownAt(i), numberOf(tiles[i].column, tiles[i].row, 2, 0));
        }
    const WallScene::Tile& clip = wall()->scene().tile(0, 0);
    const DecodedFrame* frame = m_page->player().current({clip.file, clip.frames, tiles[0].rect.size()});
    ASSERT_NE(frame, nullptr);
    EXPECT_THAT(frame->error.toStdString(), testing::HasSubstr("cut short"));

    int frames = 0;
    QObject::connect(&m_page->player().playhead(), &Playhead::frameChanged, m_page.get(), [&] { ++frames; });
    QTest::keyClick(wall(), Qt::Key_Space);
    EXPECT_TRUE(QTest::qWaitFor([&] { return frames >= 5; })) << "one bad clip does not stop the wall";
    QTest::keyClick(wall(), Qt::Key_Space);

    writeFileAtomically(damaged, whole);  // copied again
    press(Qt::Key_F5);
    press(Qt::Key_Home);
    expectTiles(2, 0);
}

TEST_F(ReviewPageTest, OrdersColumnsByAMetricAndKeepsTheSelectedRun) {
    open(makeNumberedStore(m_folder.path()).file);
    QComboBox* order = nullptr;
    for (auto* box : m_page->findChildren<QComboBox*>())
        if (box->accessibleName() == "Order of the columns") order = box;
    ASSERT_NE(order, nullptr);
    const int best = order->findData(QStringLiteral("loss"));
    ASSERT_GE(best, 0);
    order->setCurrentIndex(best);
    emit order->activated(best);
    settle();
    EXPECT_EQ(wall()->scene().columns[0].name, "lr=0.01") << "the lower loss";
    EXPECT_TRUE(wall()->scene().columns[0].best);
    EXPECT_EQ(wall()->selectedColumn(), 1) << "the selection went with its run";
    EXPECT_EQ(shownAt(0), numberOf(1, 0, 2, 0));
}

TEST_F(ReviewPageTest, EmptyStoreSaysWhatToDoNext) {
    bool asked = false;
    Theme::instance().apply(ThemeMode::Light);
    m_page = std::make_unique<ReviewPage>(m_folder.path() / "none.db");
    QObject::connect(m_page.get(), &ReviewPage::launchRequested, m_page.get(), [&] { asked = true; });
    m_page->resize(900, 600);
    m_page->show();
    settle();
    auto* empty = m_page->findChild<EmptyState*>();
    ASSERT_TRUE(empty->isVisible());
    auto* button = empty->findChild<QPushButton*>();
    ASSERT_NE(button, nullptr);
    QTest::mouseClick(button, Qt::LeftButton);
    EXPECT_TRUE(asked);
    QTest::keyClick(m_page.get(), Qt::Key_Space);  // nothing to play: nothing happens
    QTest::keyClick(m_page.get(), Qt::Key_Down);
}

TEST_F(ReviewPageTest, StoreThatCannotBeReadSaysWhy) {
    const auto file = m_folder.path() / "broken.db";
    writeFileAtomically(file, std::string(5000, 'x'));
    open(file);
    auto* empty = m_page->findChild<EmptyState*>();
    ASSERT_TRUE(empty->isVisible());
    bool named = false;
    for (const QLabel* label : empty->findChildren<QLabel*>()) named |= label->text().contains("broken.db");
    EXPECT_TRUE(named);
}

TEST_F(ReviewPageTest, QuestionMarkShowsTheKeys) {
    open(makeNumberedStore(m_folder.path()).file);
    bool shown = false;
    QTimer::singleShot(50, m_page.get(), [&] {
        auto* dialog = qobject_cast<QDialog*>(QApplication::activeModalWidget());
        ASSERT_NE(dialog, nullptr);
        shown = dialog->findChildren<QLabel*>().size() > 10;
        QTest::keyClick(dialog, Qt::Key_Escape);
    });
    QTest::keyClick(wall(), Qt::Key_Question);
    EXPECT_TRUE(shown);
}

TEST_F(ReviewPageTest, EveryControlHasAName) {
    open(makeNumberedStore(m_folder.path()).file);
    for (const QWidget* control : m_page->findChildren<QWidget*>()) {
        const bool reachable = control->focusPolicy() & Qt::TabFocus && control->isVisible();
        const bool isControl =
            qobject_cast<const QToolButton*>(control) || qobject_cast<const QComboBox*>(control) ||
            qobject_cast<const QSlider*>(control) || qobject_cast<const WallView*>(control);
        if (reachable && isControl) {
            EXPECT_FALSE(control->accessibleName().isEmpty()) << control->metaObject()->className();
        }
    }
}

}  // namespace
}  // namespace dailies::ui
