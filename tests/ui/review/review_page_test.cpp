#include "ui/review/review_page.h"

#include "core/base/files.h"
#include "core/tracking/sampled_run.h"
#include "core/tracking/scored_run.h"
#include "core/tracking/store.h"
#include "tests/core/video/numbered_frames.h"
#include "tests/ui/playback/shown_number.h"
#include "tests/ui/wall/numbered_store.h"
#include "ui/review/last_viewed_sweep.h"
#include "ui/theme/theme.h"
#include "ui/wall/wall_view.h"
#include "ui/widgets/widgets.h"

#include <QAction>
#include <QApplication>
#include <QComboBox>
#include <QDialog>
#include <QScreen>
#include <QScrollArea>
#include <QSlider>
#include <QTest>
#include <QTimer>
#include <QToolButton>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

namespace dailies::ui {
namespace {

constexpr auto numberOf = NumberedStore::numberOf;

/// Drives the page as a person does, with keys, and reads what the tiles show off a picture of it.
class ReviewPageTest : public testing::Test {
protected:
    ReviewPageTest() { qputenv("XDG_CONFIG_HOME", (m_folder.path() / "config").c_str()); }

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

    void choose(const char* box, const char* entry) {
        for (auto* choice : m_page->findChildren<QComboBox*>()) {
            if (choice->accessibleName() != QLatin1String(box)) continue;
            const int index = choice->findText(QLatin1String(entry));
            ASSERT_GE(index, 0) << entry;
            choice->setCurrentIndex(index);
            emit choice->activated(index);
        }
        settle();
    }

    WallView* wall() { return m_page->findChild<WallView*>(); }

    EmptyState* shownEmptyState() {
        for (auto* empty : m_page->findChildren<EmptyState*>())
            if (empty->isVisible()) return empty;
        return nullptr;
    }

    void press(Qt::Key key, Qt::KeyboardModifiers modifiers = {}) {
        QTest::keyClick(wall(), key, modifiers);
        settle();
    }

    /// The number on the tile at a place of the layout, as painted.
    int shownAt(std::size_t place) {
        const QRect tile = wall()->tileLayout().tiles.at(place).rect;
        QRect rect(QPoint(),
                   displaySize({64, 64}, tile.size()));  // small clips grow by whole factors, in the middle
        rect.moveCenter(tile.center());
        const QImage picture = wall()->viewport()->grab(rect).toImage().convertToFormat(QImage::Format_RGB32);
        return shownNumber(picture);
    }

    /// What all four tiles must show: rows are prompts, columns are runs.
    void expectTiles(int stepIndex, int frame, int secondRunStep = -1) {
        const auto& tiles = wall()->tileLayout().tiles;
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

TEST_F(ReviewPageTest, LeavesTheWayToOtherSweepsOpenWhereOneHasNothingToShow) {
    const NumberedStore numbered = makeNumberedStore(m_folder.path());
    {
        tracking::Store store(numbered.file);
        tracking::SweepRecord sweep;
        sweep.id = std::string(32, 'd');
        sweep.name = "scores";
        sweep.createdMs = 2000;
        tracking::Run run;
        run.id = std::string(32, 'e');
        run.experimentId = sweep.experimentId = store.ensureExperiment("numbers");
        run.tags = {{tracking::tag::kScoredRun, numbered.runIds[0]}};
        store.createSweep(sweep, {run});
    }
    open(numbered.file);
    expectTiles(2, 0);
    const auto chooser = [this] {
        const auto boxes = m_page->findChildren<QComboBox*>();
        return *std::ranges::find_if(boxes, [](auto* box) { return box->accessibleName() == "Sweep"; });
    };
    EXPECT_EQ(chooser()->currentText(), "numbers") << "scoring makes no clips";
    choose("Sweep", "scores");
    ASSERT_NE(shownEmptyState(), nullptr);
    EXPECT_TRUE(chooser()->isVisible());
    tracking::Store(numbered.file).deleteRuns({std::string(32, 'e')});
    m_page->reload();
    settle();
    ASSERT_NE(shownEmptyState(), nullptr);
    EXPECT_TRUE(chooser()->isVisible()) << "also where all of its runs are archived";
    choose("Sweep", "numbers");
    EXPECT_EQ(shownEmptyState(), nullptr);
}

TEST_F(ReviewPageTest, StaysWithItsSweepWhicheverOthersComeAndRemembersIt) {
    const NumberedStore numbered = makeNumberedStore(m_folder.path());
    open(numbered.file);
    const auto addSweep = [&](char id, const char* name, std::int64_t createdMs) {
        tracking::Store store(numbered.file);
        tracking::SweepRecord sweep;
        sweep.id = std::string(32, id);
        sweep.name = name;
        sweep.createdMs = createdMs;
        tracking::Run run;
        run.id = std::string(32, static_cast<char>(id + 1));
        run.experimentId = sweep.experimentId = store.ensureExperiment("numbers");
        run.tags = {{tracking::tag::kSweep, sweep.id}};
        store.createSweep(sweep, {run});
        addClipOf(numbered, run.id, "a cat");
    };
    const auto chosen = [this] {
        const auto boxes = m_page->findChildren<QComboBox*>();
        return (*std::ranges::find_if(boxes, [](auto* box) { return box->accessibleName() == "Sweep"; }))
            ->currentText();
    };
    ASSERT_EQ(chosen(), "numbers");
    addSweep('d', "later", 2000);
    m_page->reload();
    settle();
    EXPECT_EQ(chosen(), "numbers") << "a newer sweep with clips changes nothing under somebody's eyes";
    expectTiles(2, 0);
    choose("Sweep", "later");
    EXPECT_EQ(chosen(), "later");
    addSweep('1', "latest", 3000);
    m_page->reload();
    settle();
    EXPECT_EQ(chosen(), "later");
    ASSERT_TRUE(QTest::qWaitFor([&] { return lastViewedSweep(numbered.file) == std::string(32, 'd'); }));
    m_page = nullptr;
    open(numbered.file);
    EXPECT_EQ(chosen(), "later") << "also the next time";
}

TEST_F(ReviewPageTest, OffersEverythingThatItDoesAsActions) {
    open(makeNumberedStore(m_folder.path()).file);
    const auto find = [this](const QString& beginning) {
        for (QAction* action : m_page->actions())
            if (action->text().startsWith(beginning)) return action;
        return static_cast<QAction*>(nullptr);
    };
    ASSERT_EQ(m_page->actions().size(), static_cast<qsizetype>(m_page->keys().actions().size()));
    for (const QAction* action : m_page->actions()) EXPECT_FALSE(action->text().isEmpty());
    for (const char* name : {"Blind arena", "Morning dailies", "Export a contact sheet", "Export a reel",
                             "Export a page", "Score clips", "Sample clips", "Run actions", "Frame cache"}) {
        ASSERT_NE(find(QLatin1String(name)), nullptr) << name;
        EXPECT_TRUE(find(QLatin1String(name))->isEnabled()) << name;
    }
    for (const char* name : {"Open clip", "Compare with reference", "Reject", "Show labels", "Ping-pong",
                             "Reset offsets", "Undo", "Redo", "Back 1 s", "Forward 1 s"})
        EXPECT_NE(find(QLatin1String(name)), nullptr) << name << ", as other programs call it";
    EXPECT_EQ(find("Sample clips")->shortcut(), QKeySequence(Qt::CTRL | Qt::Key_G));
    EXPECT_FALSE(find("Undo")->isEnabled()) << "there is none";
    find("Next frame")->trigger();
    settle();
    expectTiles(2, 1);
    find("Morning dailies")->trigger();
    settle();
    EXPECT_FALSE(wall()->isVisible());
    EXPECT_FALSE(find("Next frame")->isEnabled()) << "of the wall, which is not on show";

    m_page = nullptr;
    open(m_folder.path() / "nothing.db");
    EXPECT_FALSE(find("Export a reel")->isEnabled());
    EXPECT_FALSE(find("Sample clips")->isEnabled());
}

TEST_F(ReviewPageTest, NewSamplesOfTheRunsJoinThemAsTheyArrive) {
    const NumberedStore numbered = makeNumberedStore(m_folder.path());
    open(numbered.file);
    tracking::SweepRecord sweep;
    sweep.id = std::string(32, 'd');
    sweep.name = "samples of lr=0.01";
    sweep.createdMs = 2000;
    tracking::Run sampling;
    sampling.id = std::string(32, 'e');
    sampling.name = "lr=0.01 at 300";
    sampling.tags = {{tracking::tag::kSampledRun, numbered.runIds[0]}};
    tracking::Run other = sampling;
    other.id = std::string(32, 'f');
    other.tags = {{tracking::tag::kSampledRun, std::string(32, '9')}};
    {
        tracking::Store store(numbered.file);
        sampling.experimentId = other.experimentId = sweep.experimentId = store.ensureExperiment("numbers");
        store.createSweep(sweep, {sampling, other});
    }
    const auto differing = wall()->scene().tile(0, 0).params;
    m_page->addLaunched({sampling.id, other.id});
    settle();
    ASSERT_EQ(wall()->scene().columns.size(), 2u) << "it is in its run's column";
    EXPECT_EQ(wall()->scene().columns[0].resamples, 1) << "not the job that samples a run of another sweep";
    EXPECT_EQ(wall()->scene().tile(0, 0).params, differing)
        << "what a sampling job is told is no param of runs";
    addClipOf(numbered, sampling.id, "a new prompt");
    m_page->reload();
    settle();
    ASSERT_EQ(wall()->scene().rows.size(), 3u) << "the new prompt";
    EXPECT_EQ(wall()->scene().tile(0, 2).runId, sampling.id);
    EXPECT_EQ(wall()->scene().tile(0, 0).runId, numbered.runIds[0]) << "its own clips are on top";
}

TEST_F(ReviewPageTest, AKeyExpandsAndCollapsesTheStackOfARunsResamples) {
    const NumberedStore numbered = makeNumberedStore(m_folder.path());
    addResample(numbered, 0, 'e', {{"sampling.guidance", "3"}}, 300);
    addResample(numbered, 0, 'f', {{"sampling.guidance", "5"}}, 200);
    open(numbered.file);
    ASSERT_EQ(wall()->scene().columns.size(), 2u);
    EXPECT_EQ(wall()->scene().columns[0].resamples, 2);
    EXPECT_THAT(wall()->tipAt(wall()->tileLayout().headers[0].rect.center()).toStdString(),
                testing::HasSubstr("guidance 3"));
    expectTiles(2, 0);

    press(Qt::Key_S);
    ASSERT_EQ(wall()->scene().columns.size(), 4u);
    std::vector<std::string> names;
    for (const auto& column : wall()->scene().columns) names.push_back(column.name.toStdString());
    EXPECT_THAT(names,
                testing::ElementsAre("lr=0.001", "step 300, guidance 3", "step 200, guidance 5", "lr=0.01"))
        << "named by what differs, beside their run";
    EXPECT_EQ(wall()->scene().columns[0].resamples, 0);
    press(Qt::Key_Right, Qt::ShiftModifier);
    press(Qt::Key_Right, Qt::ShiftModifier);
    press(Qt::Key_S);
    EXPECT_EQ(wall()->scene().columns.size(), 2u);
    EXPECT_EQ(wall()->selectedColumn(), 0) << "on the run whose stack it was";
}

TEST_F(ReviewPageTest, ARunThatEndedKeepsItsNewestClipsWhenAnotherIsExtended) {
    const NumberedStore numbered = makeNumberedStore(m_folder.path());
    {
        tracking::Store store(numbered.file);
        const auto seq = store.ingestState(numbered.runIds[1]).lastSeq + 1;
        store.ingest(numbered.runIds[1], {events::Event{seq, 1, 2000, events::End{"finished", 300, {}}}},
                     seq);
    }
    addLaterClips(numbered, {0});
    open(numbered.file);
    EXPECT_EQ(shownAt(0), 200) << "step 400";
    const auto& tile = wall()->scene().tile(1, 0);
    EXPECT_EQ(tile.step, 300);
    EXPECT_FALSE(tile.earlier) << "it is no earlier clip than the run has";
    EXPECT_EQ(tile.adherence, 1);
    press(Qt::Key_Up);
    press(Qt::Key_Up);
    EXPECT_EQ(wall()->scene().tile(1, 0).step, 200) << "what it showed at that step";
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
    ASSERT_EQ(wall()->tileLayout().tiles.size(), 1u);
    ASSERT_TRUE(wall()->isZoomed());
    EXPECT_EQ(wall()->tileLayout().tiles[0].column, 1);
    EXPECT_EQ(wall()->tileLayout().tiles[0].row, 1);
    EXPECT_THAT(wall()->accessibleDescription().toStdString(),
                testing::HasSubstr("lr=0.01, a dog, step 300"));
    EXPECT_EQ(shownAt(0), numberOf(1, 1, 2, 0));
    press(Qt::Key_Left, Qt::ShiftModifier);
    EXPECT_EQ(wall()->tileLayout().tiles[0].column, 0) << "the neighbour, still large";
    press(Qt::Key_Escape);
    expectTiles(2, 0);
}

TEST_F(ReviewPageTest, ZoomsByDoubleClick) {
    open(makeNumberedStore(m_folder.path()).file);
    const QPoint place = wall()->tileLayout().tiles.back().rect.center();
    QTest::mouseDClick(wall()->viewport(), Qt::LeftButton, {}, place);
    EXPECT_TRUE(wall()->isZoomed());
    EXPECT_EQ(wall()->selectedColumn(), 1);
    QTest::mouseDClick(wall()->viewport(), Qt::LeftButton, {}, wall()->viewport()->rect().center());
    EXPECT_FALSE(wall()->isZoomed());
}

TEST_F(ReviewPageTest, AllTilesShowTheSamePartOfTheirPictures) {
    open(makeNumberedStore(m_folder.path()).file);
    const auto tile = [&](std::size_t place) {
        const auto& at = wall()->tileLayout().tiles.at(place);
        return wall()->viewport()->grab(at.rect.adjusted(8, 60, -8, -60)).toImage();
    };
    const auto whole = tile(0);
    const QRect fit = wall()->pictureRect(0, 0);
    press(Qt::Key_Plus, Qt::ControlModifier);
    press(Qt::Key_Plus, Qt::ControlModifier);
    EXPECT_NE(tile(0), whole);
    for (std::size_t place = 0; place < 4; ++place) {
        const auto& at = wall()->tileLayout().tiles.at(place);
        const QRect picture = wall()->pictureRect(at.column, at.row);
        EXPECT_NEAR(picture.width(), fit.width() * 1.25 * 1.25, 2);
        EXPECT_EQ(picture.center() - wall()->tileRect(at.column, at.row).center(),
                  wall()->pictureRect(0, 0).center() - wall()->tileRect(0, 0).center());
    }
    press(Qt::Key_F);
    EXPECT_EQ(wall()->pictureRect(0, 0), fit);
    EXPECT_EQ(tile(0), whole);
}

TEST_F(ReviewPageTest, TilesAreAsLargeAsAPersonWants) {
    open(makeNumberedStore(m_folder.path()).file);
    const int fitting = wall()->tileRect(0, 0).width();
    const auto sliders = m_page->findChildren<QSlider*>();
    QSlider* slider =
        *std::ranges::find_if(sliders, [](auto* one) { return one->accessibleName() == "Tile size"; });
    ASSERT_TRUE(slider->isVisible());
    const int place = slider->value();
    slider->setValue(place - 20);
    settle();
    EXPECT_LT(wall()->tileRect(0, 0).width(), fitting);
    expectTiles(2, 0);
    const int smaller = wall()->tileRect(0, 0).width();

    const QPoint over = wall()->tileRect(1, 1).center();
    QWheelEvent wheel(over, wall()->viewport()->mapToGlobal(over), {}, {0, 120}, Qt::NoButton,
                      Qt::ControlModifier, Qt::NoScrollPhase, false);
    QApplication::sendEvent(wall()->viewport(), &wheel);
    settle();
    EXPECT_GT(wall()->tileRect(0, 0).width(), smaller) << "the wheel with Ctrl";
    EXPECT_GT(slider->value(), place - 20) << "the slider goes with it";
    press(Qt::Key_Minus, Qt::ControlModifier | Qt::AltModifier);
    EXPECT_NEAR(wall()->tileRect(0, 0).width(), smaller, 2);
    m_page->resize(1000, 600);
    settle();
    EXPECT_NEAR(wall()->tileRect(0, 0).width(), smaller, 2) << "whatever the window's size";
    m_page->resize(1280, 720);
    press(Qt::Key_F, Qt::ShiftModifier);
    EXPECT_EQ(wall()->tileRect(0, 0).width(), fitting);
    EXPECT_EQ(slider->value(), place);
}

TEST_F(ReviewPageTest, TellsTheChosenTileSizeAndTakesItBackInAWindowThatHasRoom) {
    const auto store = makeNumberedStore(m_folder.path()).file;
    open(store);
    std::vector<int> told;
    QObject::connect(m_page.get(), &ReviewPage::tileWidthChosen, m_page.get(),
                     [&](int width) { told.push_back(width); });
    press(Qt::Key_Minus, Qt::ControlModifier | Qt::AltModifier);
    const int chosen = wall()->tileRect(0, 0).width();
    ASSERT_FALSE(told.empty());
    EXPECT_EQ(told.back(), chosen);
    press(Qt::Key_F, Qt::ShiftModifier);
    EXPECT_EQ(told.back(), 0) << "given back to the room";

    m_page = std::make_unique<ReviewPage>(store);
    m_page->resize(200, 150);  // as it is before it is laid out
    m_page->restoreTileWidth(chosen);
    m_page->resize(1280, 720);
    m_page->show();
    settle();
    EXPECT_EQ(wall()->tileRect(0, 0).width(), chosen);
}

TEST_F(ReviewPageTest, SaysOnHoverWhatTheMarksOnATileMean) {
    open(makeNumberedStore(m_folder.path()).file);
    const std::string tip = wall()->tipAt(wall()->tileRect(0, 0).center()).toStdString();
    EXPECT_THAT(tip, testing::HasSubstr("25 % adherence"));
    EXPECT_THAT(tip, testing::HasSubstr("Blue dot: not seen yet"));
    EXPECT_THAT(tip, testing::HasSubstr("Step 300"));
    const QRect row = wall()->tileLayout().labels.front().rect;
    EXPECT_THAT(wall()->tipAt(row.center()).toStdString(), testing::HasSubstr("a cat"));
}

TEST_F(ReviewPageTest, AFrameTellsADarkClipFromTheWall) {
    open(makeNumberedStore(m_folder.path()).file);
    press(Qt::Key_Right, Qt::ShiftModifier);  // the selected tile has a frame of its own
    const QImage picture = wall()->viewport()->grab(wall()->tileRect(0, 0)).toImage();
    EXPECT_EQ(picture.pixelColor(0, picture.height() / 2), colors().borderStrong);
}

TEST_F(ReviewPageTest, NamesOfColumnsTakeTheLinesThatTheyNeed) {
    const NumberedStore numbered = makeNumberedStore(m_folder.path());
    open(numbered.file);
    const int usual = wall()->tileLayout().headers.front().rect.height();
    const std::string name = "optimizer.lr=0.001, model.layers=12, schedule.warmup=2000, data.crop=256";
    tracking::Store(numbered.file).setTag(numbered.runIds[0], "mlflow.runName", name);
    m_page->reload();
    settle();
    ASSERT_EQ(wall()->scene().columns[0].name.toStdString(), name);
    EXPECT_GT(wall()->tileLayout().headers.front().rect.height(), usual);
    expectTiles(2, 0);
}

TEST_F(ReviewPageTest, TheWheelEnlargesWhatIsUnderThePointerAndTheMouseMovesIt) {
    open(makeNumberedStore(m_folder.path()).file);
    const QRect seen = wall()->tileRect(0, 0);
    const QPoint corner = wall()->pictureRect(0, 0).topLeft() + QPoint(4, 4);
    QWheelEvent wheel(corner, wall()->viewport()->mapToGlobal(corner), {}, {0, 960}, Qt::NoButton,
                      Qt::ControlModifier | Qt::ShiftModifier, Qt::NoScrollPhase, false);
    QApplication::sendEvent(wall()->viewport(), &wheel);
    settle();
    const QRect enlarged = wall()->pictureRect(0, 0);
    EXPECT_GT(enlarged.width(), 5 * seen.width() / 2);
    EXPECT_LE((enlarged.topLeft() - seen.topLeft()).manhattanLength(), 40) << "the corner is still there";
    QTest::mousePress(wall()->viewport(), Qt::LeftButton, {}, seen.center());
    QTest::mouseMove(wall()->viewport(), seen.center() - QPoint(40, 30));
    QTest::mouseRelease(wall()->viewport(), Qt::LeftButton, {}, seen.center() - QPoint(40, 30));
    settle();
    EXPECT_EQ(wall()->pictureRect(0, 0).topLeft(), enlarged.topLeft() - QPoint(40, 30));
    EXPECT_EQ(wall()->pictureRect(1, 1).size(), enlarged.size());
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

TEST_F(ReviewPageTest, PlaysThroughTheTrainingStepsWithTheFrameHeld) {
    open(makeNumberedStore(m_folder.path()).file);
    press(Qt::Key_Right);
    press(Qt::Key_Up, Qt::ControlModifier);
    expectTiles(0, 1);
    QTest::keyClick(wall(), Qt::Key_T);
    for (const int step : {1, 2, 0, 1})
        EXPECT_TRUE(QTest::qWaitFor([&] { return shownAt(0) == numberOf(0, 0, step, 1); })) << step;
    QTest::keyClick(wall(), Qt::Key_T);
    settle();
    expectTiles(1, 1);
}

TEST_F(ReviewPageTest, LoopsBetweenInAndOutPoints) {
    open(makeNumberedStore(m_folder.path()).file);
    press(Qt::Key_Right);
    press(Qt::Key_I);
    press(Qt::Key_Right);
    press(Qt::Key_BracketRight);
    std::set<int> frames;
    int ticks = 0;
    QObject::connect(&m_page->player().playhead(), &Playhead::frameChanged, m_page.get(), [&](int frame) {
        ++ticks;
        frames.insert(frame);
        expectTiles(2, frame);
    });
    QTest::keyClick(wall(), Qt::Key_L);
    ASSERT_TRUE(QTest::qWaitFor([&] { return ticks >= 8; }));
    QTest::keyClick(wall(), Qt::Key_K);
    EXPECT_THAT(frames, testing::ElementsAre(1, 2));
    press(Qt::Key_Backslash);
    EXPECT_FALSE(m_page->player().playhead().hasLoopPoints());
    press(Qt::Key_P, Qt::ShiftModifier);
    EXPECT_EQ(m_page->player().playhead().loopMode(), LoopMode::PingPong);
}

TEST_F(ReviewPageTest, ShiftsTheSelectedClipAgainstTheOthers) {
    open(makeNumberedStore(m_folder.path()).file);
    press(Qt::Key_Plus);
    press(Qt::Key_Plus, Qt::ShiftModifier);  // where "+" needs Shift
    EXPECT_EQ(shownAt(0), numberOf(0, 0, 2, 2));
    EXPECT_EQ(shownAt(1),
              numberOf(wall()->tileLayout().tiles[1].column, wall()->tileLayout().tiles[1].row, 2, 0));
    press(Qt::Key_Up);
    EXPECT_EQ(shownAt(0), numberOf(0, 0, 1, 2)) << "in every step of its run";
    press(Qt::Key_Minus);
    EXPECT_EQ(shownAt(0), numberOf(0, 0, 1, 1));
    press(Qt::Key_0, Qt::ControlModifier);
    expectTiles(1, 0);
}

TEST_F(ReviewPageTest, GoesToTheSameFrameOfTheNeighbouringClip) {
    open(makeNumberedStore(m_folder.path()).file);
    press(Qt::Key_Right);
    press(Qt::Key_Return);
    for (const auto& [column, row] : {std::pair(1, 0), std::pair(0, 1), std::pair(1, 1), std::pair(0, 0)}) {
        press(Qt::Key_Greater);
        EXPECT_EQ(shownAt(0), numberOf(column, row, 2, 1));
    }
    press(Qt::Key_Less, Qt::ShiftModifier);
    EXPECT_EQ(shownAt(0), numberOf(1, 1, 2, 1));
}

TEST_F(ReviewPageTest, PinsAColumnAsTheReference) {
    open(makeNumberedStore(m_folder.path()).file);
    press(Qt::Key_Right, Qt::ShiftModifier);
    press(Qt::Key_B);
    EXPECT_EQ(wall()->scene().columns[0].name, "lr=0.01");
    EXPECT_TRUE(wall()->scene().columns[0].pinned);
    EXPECT_EQ(wall()->selectedColumn(), 0) << "the selection went with it";
    EXPECT_EQ(shownAt(0), numberOf(1, 0, 2, 0));
    press(Qt::Key_B);
    expectTiles(2, 0);
}

TEST_F(ReviewPageTest, AnyTwoAxesCanBeColumnsAndRows) {
    open(makeNumberedStore(m_folder.path()).file);
    press(Qt::Key_Right, Qt::ShiftModifier);
    choose("Columns of the wall", "Training step");
    ASSERT_EQ(wall()->scene().columns.size(), 3u);
    EXPECT_EQ(wall()->scene().rows.size(), 2u);
    EXPECT_EQ(wall()->scene().tile(1, 1).step, 200);
    const auto& tiles = wall()->tileLayout().tiles;
    for (std::size_t i = 0; i < tiles.size(); ++i)
        EXPECT_EQ(shownAt(i), numberOf(1, tiles[i].row, tiles[i].column, 0)) << "the selected run is held";
    choose("Run that is shown", "lr=0.001");
    for (std::size_t i = 0; i < tiles.size(); ++i)
        EXPECT_EQ(shownAt(i), numberOf(0, tiles[i].row, tiles[i].column, 0));
    choose("Rows of the wall", "Run");
    EXPECT_EQ(wall()->scene().tile(2, 1).runId, wall()->scene().rows[1].runId);
    press(Qt::Key_X, Qt::AltModifier);
    EXPECT_EQ(wall()->scene().columns.size(), 2u);
    EXPECT_EQ(wall()->scene().rows.size(), 3u);
    choose("Rows of the wall", "Run");
    EXPECT_EQ(wall()->scene().columns[0].name, "Step 100") << "they changed places";
}

TEST_F(ReviewPageTest, SaysMoreOrLessOverTheClips) {
    open(makeNumberedStore(m_folder.path()).file);
    const QRect tile = wall()->tileLayout().tiles[0].rect;
    const QRect top(tile.topLeft(), QSize(tile.width(), 40)),
        bottom(tile.bottomLeft() - QPoint(0, 40), QSize(tile.width(), 40));
    const auto picture = [&](const QRect& rect) { return wall()->viewport()->grab(rect).toImage(); };
    const QImage everythingTop = picture(top), everythingBottom = picture(bottom);
    press(Qt::Key_H);
    EXPECT_NE(picture(top), everythingTop) << "without the params";
    EXPECT_EQ(picture(bottom), everythingBottom) << "with the step";
    press(Qt::Key_H);
    EXPECT_NE(picture(bottom), everythingBottom);
    press(Qt::Key_H);
    EXPECT_EQ(picture(top), everythingTop);
}

TEST_F(ReviewPageTest, SaysWhyAClipCannotBeShownAndPlaysOn) {
    const NumberedStore store = makeNumberedStore(m_folder.path());
    const auto damaged = clipFile(store, 0, 0, 300);
    const std::string whole = readFile(damaged);
    writeFileAtomically(damaged, whole.substr(0, whole.size() / 20));
    open(store.file);
    const auto& tiles = wall()->tileLayout().tiles;
    for (std::size_t i = 0; i < tiles.size(); ++i)
        if (tiles[i].column != 0 || tiles[i].row != 0) {
            EXPECT_EQ(shownAt(i), numberOf(tiles[i].column, tiles[i].row, 2, 0));
        }
    const WallScene::Tile& clip = wall()->scene().tile(0, 0);
    const DecodedFrame* frame =
        m_page->player().current({clip.file, clip.frames, tiles[0].rect.size(), clip.fps});
    ASSERT_NE(frame, nullptr);
    EXPECT_THAT(frame->error.toStdString(), testing::HasSubstr("truncated"));

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
    choose("Order of the columns", "Best loss");
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
    auto* empty = shownEmptyState();
    ASSERT_NE(empty, nullptr);
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
    auto* empty = shownEmptyState();
    ASSERT_NE(empty, nullptr);
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

TEST_F(ReviewPageTest, TheKeysFitOnTheScreenAndScrollThere) {
    open(makeNumberedStore(m_folder.path()).file);
    bool looked = false;
    QTimer::singleShot(50, m_page.get(), [&] {
        auto* sheet = qobject_cast<QDialog*>(QApplication::activeModalWidget());
        ASSERT_NE(sheet, nullptr);
        EXPECT_LE(sheet->frameGeometry().height(), sheet->screen()->availableSize().height());
        EXPECT_LE(sheet->frameGeometry().width(), sheet->screen()->availableSize().width());
        auto* scroll = sheet->findChild<QScrollArea*>();
        ASSERT_NE(scroll, nullptr);
        EXPECT_LE(scroll->widget()->width(), scroll->viewport()->width()) << "never sideways";
        const auto buttons = scroll->findChildren<QPushButton*>();
        QPushButton* last = *std::ranges::max_element(
            buttons, {}, [&](auto* one) { return one->mapTo(scroll->widget(), QPoint()).y(); });
        scroll->ensureWidgetVisible(last);
        EXPECT_TRUE(scroll->viewport()->rect().contains(last->mapTo(scroll->viewport(), QPoint(4, 4))));
        std::set<int> columns;
        for (auto* button : buttons) columns.insert(button->mapTo(scroll->widget(), QPoint()).x());
        EXPECT_EQ(columns.size(), 2u);
        looked = true;
        QTest::keyClick(sheet, Qt::Key_Escape);
    });
    QTest::keyClick(wall(), Qt::Key_Question);
    EXPECT_TRUE(looked);
}

TEST_F(ReviewPageTest, TheCheatSheetNamesEveryActionAndChangesItsKey) {
    const TemporaryFolder home;
    qputenv("XDG_CONFIG_HOME", home.path().c_str());
    open(makeNumberedStore(m_folder.path()).file);
    QTimer::singleShot(50, m_page.get(), [&] {
        auto* sheet = qobject_cast<QDialog*>(QApplication::activeModalWidget());
        ASSERT_NE(sheet, nullptr);
        std::set<QString> named;
        for (const QLabel* label : sheet->findChildren<QLabel*>()) named.insert(label->text());
        for (const auto& action : m_page->keys().actions()) EXPECT_TRUE(named.contains(action.name));
        for (auto* button : sheet->findChildren<QPushButton*>()) {
            if (!button->accessibleName().startsWith("Next frame")) continue;
            button->setFocus();
            QTest::keyClick(button, Qt::Key_Space);
            QTest::keyClick(button, Qt::Key_N);
        }
        QTest::keyClick(sheet, Qt::Key_Escape);
    });
    QTest::keyClick(wall(), Qt::Key_Question);
    press(Qt::Key_N);
    expectTiles(2, 1);
    press(Qt::Key_Right);
    expectTiles(2, 1);
    EXPECT_TRUE(
        QTest::qWaitFor([&] { return std::filesystem::exists(home.path() / "dailies" / "keys.json"); }));
    qunsetenv("XDG_CONFIG_HOME");
}

TEST_F(ReviewPageTest, NoTwoActionsShareAKey) {
    open(makeNumberedStore(m_folder.path()).file);
    std::map<std::string, std::string> owner;
    for (const auto& action : m_page->keys().actions())
        for (const QKeySequence& key : action.defaults) {
            const auto [other, isNew] = owner.emplace(key.toString().toStdString(), action.id.toStdString());
            EXPECT_TRUE(isNew) << other->second << " and " << action.id.toStdString() << ": " << other->first;
        }
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
