#include "tests/ui/review/judging/judged_page.h"

#include <QAbstractButton>
#include <QComboBox>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTimer>
#include <QToolButton>
#include <QWindow>

namespace dailies::ui {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

class JudgingByKeys : public JudgedPage {
protected:
    NotePanel& panel() { return m_page->reviewController().panel(); }
    /// With the mouse, over the middle half of the picture.
    void drawAcross() {
        settle();
        StrokeLayer& pen = m_page->reviewController().pen();
        const QRect picture = wall()->pictureRect(wall()->selectedColumn(), wall()->selectedRow());
        const QPoint from = picture.topLeft() + QPoint(picture.width() / 4, picture.height() / 4),
                     to = picture.bottomRight() - QPoint(picture.width() / 4, picture.height() / 4);
        QTest::mousePress(&pen, Qt::LeftButton, {}, from);
        QTest::mouseMove(&pen, to);
        QTest::mouseRelease(&pen, Qt::LeftButton, {}, to);
    }
    const TileReview& tileReview(int column, int row) { return wall()->scene().tile(column, row).review; }
};

TEST_F(JudgingByKeys, StarsAreShownAtOnceAndStored) {
    open();
    press(Qt::Key_4);
    EXPECT_EQ(tileReview(0, 0).rating, 4);
    EXPECT_EQ(stored(key(0, 0, 300)).of("ana").stars, 4);
    EXPECT_THAT(wall()->accessibleDescription().toStdString(), HasSubstr("4 of 5 stars"));
    EXPECT_EQ(openStore().run(m_store.runIds[0])->metrics.at(judging::mirror::kRating).value, 4);
    press(Qt::Key_0);
    EXPECT_FALSE(tileReview(0, 0).rating);
    EXPECT_EQ(stored(key(0, 0, 300)).of("ana").stars, 0);
}

TEST_F(JudgingByKeys, TheSelectedTileIsTheOneThatIsJudged) {
    open();
    press(Qt::Key_Right, Qt::ShiftModifier);
    press(Qt::Key_Down, Qt::ShiftModifier);
    press(Qt::Key_X);
    EXPECT_TRUE(tileReview(1, 1).rejected);
    EXPECT_TRUE(stored(key(1, 1, 300)).isRejected());
    press(Qt::Key_X);
    EXPECT_FALSE(tileReview(1, 1).rejected) << "again keeps it";
    press(Qt::Key_Up);
    press(Qt::Key_2);
    EXPECT_EQ(stored(key(1, 1, 200)).of("ana").stars, 2) << "of the step on the wall";
}

TEST_F(JudgingByKeys, UndoTakesBackOneJudgementAfterTheOtherAndRedoBringsThemBack) {
    open();
    press(Qt::Key_2);
    press(Qt::Key_5);
    QTest::keyClick(wall(), Qt::Key_3);
    QTest::keyClick(wall(), Qt::Key_Z, Qt::ControlModifier);  // while the rating is still being written
    settle();
    EXPECT_EQ(tileReview(0, 0).rating, 5);
    EXPECT_EQ(stored(key(0, 0, 300)).of("ana").stars, 5);
    press(Qt::Key_Z, Qt::ControlModifier);
    press(Qt::Key_Z, Qt::ControlModifier);
    press(Qt::Key_Z, Qt::ControlModifier);  // there is nothing left
    EXPECT_FALSE(tileReview(0, 0).rating);
    EXPECT_TRUE(stored(key(0, 0, 300)).empty());
    press(Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
    EXPECT_EQ(stored(key(0, 0, 300)).of("ana").stars, 2);
}

TEST_F(JudgingByKeys, NotesAreWrittenAtTheFrameUnderThePlayHeadAndMarkedOnTheTransportBar) {
    open();
    press(Qt::Key_Right);
    press(Qt::Key_Right);
    press(Qt::Key_N);
    ASSERT_TRUE(panel().isVisible());
    auto* text = panel().findChild<QPlainTextEdit*>();
    ASSERT_TRUE(text->hasFocus()) << "one may type at once";
    QTest::keyClicks(text, QStringLiteral("melts 12345"));
    QTest::keyClick(text, Qt::Key_Return, Qt::ControlModifier);
    settle();
    const auto review = stored(key(0, 0, 300));
    ASSERT_THAT(review.notes, SizeIs(1));
    EXPECT_EQ(review.notes[0].text, "melts 12345") << "digits in a note give no stars";
    EXPECT_EQ(review.notes[0].firstFrame, 2);
    EXPECT_EQ(review.of("ana").stars, 0);
    EXPECT_THAT(m_page->reviewController().ticks().spans(), ElementsAre(FrameSpan{2, 2}));
    EXPECT_EQ(tileReview(0, 0).notes, 1);
    EXPECT_TRUE(wall()->hasFocus()) << "the keyboard is the wall's again";

    press(Qt::Key_Home);
    press(Qt::Key_Period);
    EXPECT_EQ(m_page->player().playhead().frame(), 2) << "period goes to the next note";
    press(Qt::Key_End);
    press(Qt::Key_Comma);
    EXPECT_EQ(m_page->player().playhead().frame(), 2);

    auto* notes = panel().findChild<QListWidget*>();
    ASSERT_EQ(notes->count(), 1);
    EXPECT_THAT(notes->item(0)->text().toStdString(), HasSubstr("Frame 3 · ana"));
    notes->setCurrentRow(0);
    QTest::keyClick(notes, Qt::Key_Delete);
    settle();
    EXPECT_TRUE(stored(key(0, 0, 300)).notes.empty());
    EXPECT_TRUE(m_page->reviewController().ticks().spans().empty());
}

TEST_F(JudgingByKeys, TagsAreTypedWithCommas) {
    open();
    press(Qt::Key_T, Qt::ShiftModifier);
    auto* tags = panel().findChild<QLineEdit*>();
    ASSERT_TRUE(tags->hasFocus());
    QTest::keyClicks(tags, QStringLiteral("flicker, warped hands ,"));
    QTest::keyClick(tags, Qt::Key_Return);
    settle();
    EXPECT_THAT(stored(key(0, 0, 300)).tags(), ElementsAre("flicker", "warped hands"));
    EXPECT_EQ(openStore().run(m_store.runIds[0])->tags.at(judging::mirror::kTagsTag),
              "flicker, warped hands");
}

TEST_F(JudgingByKeys, DrawingWithTheKeyboardLandsOnTheFrame) {
    open();
    press(Qt::Key_D);
    StrokeLayer& pen = m_page->reviewController().pen();
    ASSERT_TRUE(pen.isDrawing());
    ASSERT_TRUE(wall()->isZoomed()) << "a tile is too small to draw on";
    QTest::keyClick(&pen, Qt::Key_Space);
    for (int i = 0; i < 4; ++i) QTest::keyClick(&pen, Qt::Key_Right, Qt::ShiftModifier);
    QTest::keyClick(&pen, Qt::Key_Down, Qt::ShiftModifier);
    QTest::keyClick(&pen, Qt::Key_Space);
    QTest::keyClick(&pen, Qt::Key_Return);
    EXPECT_FALSE(pen.isDrawing());
    auto* text = panel().findChild<QPlainTextEdit*>();
    ASSERT_TRUE(text->hasFocus()) << "words are welcome";
    QTest::keyClick(text, Qt::Key_Return, Qt::ControlModifier);
    settle();
    const auto notes = stored(key(0, 0, 300)).notes;
    ASSERT_THAT(notes, SizeIs(1));
    ASSERT_THAT(notes[0].strokes, SizeIs(1));
    const auto& places = notes[0].strokes[0].places;
    ASSERT_THAT(places, SizeIs(6));
    EXPECT_EQ(places.front(), (judging::Place{0.5, 0.5}));
    EXPECT_NEAR(places.back().x, 0.7, 1e-9);
    EXPECT_NEAR(places.back().y, 0.55, 1e-9);

    // seen on the wall, too: red where the pen went, at this frame and at no other
    press(Qt::Key_Escape);
    settle();
    const auto redAt = [&] {
        const QRect picture = wall()->pictureRect(0, 0);
        const QImage shown = wall()->viewport()->grab().toImage();
        const QColor color = shown.pixelColor(picture.left() + static_cast<int>(0.6 * picture.width()),
                                              picture.top() + picture.height() / 2);
        return color.red() - color.green() > 60;
    };
    EXPECT_TRUE(redAt());
    press(Qt::Key_Right);
    EXPECT_FALSE(redAt());
}

TEST_F(JudgingByKeys, DrawingWithTheMouseFollowsIt) {
    open();
    press(Qt::Key_D);
    StrokeLayer& pen = m_page->reviewController().pen();
    settle();
    const QRect picture = wall()->pictureRect(0, 0);
    ASSERT_FALSE(picture.isEmpty());
    const QPoint from = picture.topLeft() + QPoint(picture.width() / 4, picture.height() / 4);
    QTest::mousePress(&pen, Qt::LeftButton, {}, from);
    QTest::mouseMove(&pen, from + QPoint(picture.width() / 4, 0));
    QTest::mouseRelease(&pen, Qt::LeftButton, {}, from + QPoint(picture.width() / 4, 0));
    std::vector<judging::Stroke> drawn;
    QObject::connect(&pen, &StrokeLayer::ended, &pen, [&](auto, const auto& strokes) { drawn = strokes; });
    QTest::keyClick(&pen, Qt::Key_Return);
    ASSERT_THAT(drawn, SizeIs(1));
    EXPECT_NEAR(drawn[0].places.front().x, 0.25, 0.02);
    EXPECT_NEAR(drawn[0].places.front().y, 0.25, 0.02);
}

TEST_F(JudgingByKeys, WordsWaitForTheirClipAndAreNeverAnothers) {
    open();
    press(Qt::Key_Right);
    press(Qt::Key_N);
    auto* text = panel().findChild<QPlainTextEdit*>();
    QTest::keyClicks(text, QStringLiteral("melts"));
    press(Qt::Key_Right, Qt::ShiftModifier);
    EXPECT_EQ(text->toPlainText(), "");
    QTest::keyClicks(text, QStringLiteral("sharp"));
    press(Qt::Key_Right);
    press(Qt::Key_Left, Qt::ShiftModifier);
    EXPECT_EQ(text->toPlainText(), "melts");
    QTest::keyClick(text, Qt::Key_Return, Qt::ControlModifier);
    settle();
    ASSERT_THAT(stored(key(0, 0, 300)).notes, SizeIs(1));
    EXPECT_EQ(stored(key(0, 0, 300)).notes[0].text, "melts");
    EXPECT_EQ(stored(key(0, 0, 300)).notes[0].firstFrame, 1) << "where it was begun";
    EXPECT_TRUE(stored(key(1, 0, 300)).notes.empty());
    press(Qt::Key_Right, Qt::ShiftModifier);
    EXPECT_EQ(text->toPlainText(), "sharp");
    press(Qt::Key_Left, Qt::ShiftModifier);
    EXPECT_EQ(text->toPlainText(), "") << "what was added is no draft";

    QTimer::singleShot(0, m_page.get(), &QWidget::close);
    QApplication::exec();  // ends with its last window
    ASSERT_TRUE(QTest::qWaitFor([&] { return !m_page->reviewController().reviewModel().isWriting(); }));
    ASSERT_THAT(stored(key(1, 0, 300)).notes, SizeIs(1)) << "a draft that was left behind, too, is kept";
    EXPECT_EQ(stored(key(1, 0, 300)).notes[0].text, "sharp");
    EXPECT_THAT(stored(key(0, 0, 300)).notes, SizeIs(1));
}

TEST_F(JudgingByKeys, EscapeThrowsADrawingAway) {
    open();
    press(Qt::Key_D);
    StrokeLayer& pen = m_page->reviewController().pen();
    QTest::keyClick(&pen, Qt::Key_Space);
    QTest::keyClick(&pen, Qt::Key_Right);
    QTest::keyClick(&pen, Qt::Key_Escape);
    EXPECT_FALSE(pen.isDrawing());
    EXPECT_FALSE(panel().hasStrokes());
    EXPECT_TRUE(wall()->hasFocus());
}

TEST_F(JudgingByKeys, LeavingThePageEndsDrawingAndKeepsItForTheNextNote) {
    open();
    press(Qt::Key_D);
    StrokeLayer& pen = m_page->reviewController().pen();
    drawAcross();
    m_page->hide();  // as another page is shown in its place
    m_page->show();
    settle();
    EXPECT_FALSE(pen.isDrawing());
    EXPECT_FALSE(m_page->reviewController().drawingBar().isVisible());
    EXPECT_TRUE(panel().hasStrokes()) << "what was drawn is not lost";
    QTest::keyClick(wall(), Qt::Key_Space);
    EXPECT_TRUE(m_page->player().playhead().isPlaying());
    QTest::keyClick(wall(), Qt::Key_Space);
    press(Qt::Key_Escape);
    EXPECT_FALSE(wall()->isZoomed());
    press(Qt::Key_4);
    EXPECT_EQ(tileReview(0, 0).rating, 4) << "keys judge again";
}

TEST_F(JudgingByKeys, ADrawingStaysOnItsFrameWhateverPlaysMeanwhile) {
    open();
    press(Qt::Key_Right);
    press(Qt::Key_Right);
    press(Qt::Key_D);
    drawAcross();
    Playhead& playhead = m_page->player().playhead();
    playhead.seek(0);  // by the slider, or by playing
    settle();
    EXPECT_FALSE(m_page->reviewController().pen().isDrawing()) << "the picture under the pen is another one";
    EXPECT_TRUE(m_page->reviewController().pen().drawings().empty());
    press(Qt::Key_D);
    EXPECT_EQ(playhead.frame(), 2) << "drawing goes on where it was begun";
    EXPECT_EQ(m_page->reviewController().pen().strokeCount(), 1u);
    QTest::keyClick(&m_page->reviewController().pen(), Qt::Key_Return);
    playhead.seek(1);
    auto* text = panel().findChild<QPlainTextEdit*>();
    QTest::keyClick(text, Qt::Key_Return, Qt::ControlModifier);
    settle();
    const auto notes = stored(key(0, 0, 300)).notes;
    ASSERT_THAT(notes, SizeIs(1));
    EXPECT_EQ(notes[0].firstFrame, 2);
    EXPECT_EQ(notes[0].lastFrame, 2);
    EXPECT_THAT(notes[0].strokes, SizeIs(1));
    EXPECT_FALSE(panel().hasStrokes());
}

TEST_F(JudgingByKeys, ADrawingStaysWithItsClip) {
    open();
    press(Qt::Key_D);
    drawAcross();
    QTest::keyClick(&m_page->reviewController().pen(), Qt::Key_Return);
    press(Qt::Key_Right, Qt::ShiftModifier);
    EXPECT_FALSE(panel().hasStrokes());
    press(Qt::Key_Left, Qt::ShiftModifier);
    EXPECT_TRUE(panel().hasStrokes());
    panel().findChild<QToolButton*>(QStringLiteral("discardDrawing"))->click();
    EXPECT_FALSE(panel().hasStrokes());
    EXPECT_TRUE(m_page->reviewController().pen().drawings().empty());
}

TEST_F(JudgingByKeys, WhatWasDrawnAndNotAddedIsANoteAfterTheProgramEnds) {
    open();
    press(Qt::Key_Right);
    press(Qt::Key_D);
    drawAcross();
    QTest::keyClick(&m_page->reviewController().pen(), Qt::Key_Return);
    press(Qt::Key_Right, Qt::ShiftModifier);  // another clip
    press(Qt::Key_D);
    drawAcross();  // the pen is still out
    panel().findChild<QPlainTextEdit*>()->setPlainText(QStringLiteral("melts"));
    QTimer::singleShot(0, m_page.get(), &QWidget::close);
    QApplication::exec();  // ends with its last window
    ASSERT_TRUE(QTest::qWaitFor([&] { return !m_page->reviewController().reviewModel().isWriting(); }));
    const auto first = stored(key(0, 0, 300)).notes, second = stored(key(1, 0, 300)).notes;
    ASSERT_THAT(first, SizeIs(1));
    EXPECT_EQ(first[0].firstFrame, 1);
    EXPECT_EQ(first[0].lastFrame, 1);
    EXPECT_THAT(first[0].strokes, SizeIs(1));
    EXPECT_EQ(first[0].text, "");
    ASSERT_THAT(second, SizeIs(1)) << "words and drawing of one frame are one note";
    EXPECT_EQ(second[0].text, "melts");
    EXPECT_THAT(second[0].strokes, SizeIs(1));
}

TEST_F(JudgingByKeys, TheWallDoesNotMoveOnFromAClipThatIsDrawnOn) {
    m_store = makeNumberedStore(m_folder.path());
    open();
    press(Qt::Key_D);
    addLaterClips(m_store);
    m_page->reload();
    settle();
    EXPECT_TRUE(m_page->reviewController().pen().isDrawing());
    EXPECT_EQ(wall()->scene().tile(0, 0).step, 300);
}

TEST_F(JudgingByKeys, TheDrawingBarSaysWhatIsDrawnWithAndHowToEnd) {
    open();
    DrawingBar& bar = m_page->reviewController().drawingBar();
    EXPECT_FALSE(bar.isVisible());
    press(Qt::Key_D);
    ASSERT_TRUE(bar.isVisible());
    const auto button = [&](const char* name) {
        for (auto* tool : bar.findChildren<QAbstractButton*>())
            if (tool->toolTip().startsWith(QLatin1String(name))) return tool;
        return static_cast<QAbstractButton*>(nullptr);
    };
    QAbstractButton* draw = nullptr;
    for (auto* found : panel().findChildren<QPushButton*>())
        if (found->isCheckable()) draw = found;
    ASSERT_NE(draw, nullptr);
    EXPECT_TRUE(draw->isChecked());
    EXPECT_TRUE(button("Freehand")->isChecked());
    EXPECT_FALSE(button("Undo")->isEnabled());

    StrokeLayer& pen = m_page->reviewController().pen();
    QTest::mouseClick(button("Rectangle"), Qt::LeftButton);
    QTest::mouseClick(button("Blue"), Qt::LeftButton);
    QTest::mouseClick(button("Thick"), Qt::LeftButton);
    EXPECT_TRUE(pen.hasFocus()) << "the keyboard stays with the pen";
    drawAcross();
    QTest::keyClick(&pen, Qt::Key_A);
    EXPECT_TRUE(button("Arrow")->isChecked());
    EXPECT_FALSE(button("Rectangle")->isChecked());
    drawAcross();
    drawAcross();
    EXPECT_TRUE(button("Undo")->isEnabled());
    QTest::mouseClick(button("Undo"), Qt::LeftButton);
    QTest::mouseClick(button("Keep"), Qt::LeftButton);
    EXPECT_FALSE(bar.isVisible());
    EXPECT_FALSE(draw->isChecked());
    QTest::keyClick(panel().findChild<QPlainTextEdit*>(), Qt::Key_Return, Qt::ControlModifier);
    settle();
    const auto strokes = stored(key(0, 0, 300)).notes.at(0).strokes;
    ASSERT_THAT(strokes, SizeIs(2));
    EXPECT_THAT(strokes[0].places, SizeIs(5)) << "four corners, and back to the first";
    EXPECT_EQ(strokes[0].color, "#56b4e9");
    EXPECT_GT(strokes[0].width, 0.01);
    EXPECT_THAT(strokes[1].places, SizeIs(5)) << "a line with a head";
}

TEST_F(JudgingByKeys, EscapeEndsDrawingWhereverTheKeyboardIs) {
    open();
    m_page->activateWindow();
    ASSERT_TRUE(QTest::qWaitForWindowActive(m_page.get()));
    press(Qt::Key_D);
    auto* text = panel().findChild<QPlainTextEdit*>();
    text->setFocus();
    QTest::keyClick(text, Qt::Key_Escape);
    EXPECT_FALSE(m_page->reviewController().pen().isDrawing());
    EXPECT_TRUE(wall()->hasFocus());
}

TEST_F(JudgingByKeys, ClipsAreUnseenUntilLookedAtLargeJudgedOrMarked) {
    open();
    EXPECT_TRUE(tileReview(0, 0).unseen);
    press(Qt::Key_Return);
    press(Qt::Key_Escape);
    EXPECT_FALSE(tileReview(0, 0).unseen) << "looked at large";
    press(Qt::Key_U, Qt::ShiftModifier);
    EXPECT_TRUE(tileReview(0, 0).unseen);
    press(Qt::Key_3);
    EXPECT_FALSE(tileReview(0, 0).unseen) << "judged";
    EXPECT_TRUE(tileReview(1, 1).unseen);
    press(Qt::Key_A, Qt::ShiftModifier);
    EXPECT_FALSE(tileReview(1, 1).unseen) << "marked with all others";
    m_page = nullptr;
    open();
    EXPECT_FALSE(tileReview(1, 1).unseen) << "and it is remembered";
}

TEST_F(JudgingByKeys, TheFilterLeavesOutRunsWithoutAClipThatPasses) {
    open();
    press(Qt::Key_Right, Qt::ShiftModifier);
    press(Qt::Key_4);
    QComboBox& filter = m_page->reviewController().filterBox();
    const auto choose = [&](ClipFilter wanted) {
        filter.setCurrentIndex(filter.findData(static_cast<int>(wanted)));
        emit filter.activated(filter.currentIndex());
        settle();
    };
    choose(ClipFilter::FourStars);
    ASSERT_THAT(wall()->scene().columns, SizeIs(1));
    EXPECT_EQ(wall()->scene().columns[0].name, "lr=0.01");
    EXPECT_FALSE(tileReview(0, 0).filteredOut);
    EXPECT_TRUE(tileReview(0, 1).filteredOut) << "its other prompt is dim";
    choose(ClipFilter::WithNotes);
    EXPECT_THAT(wall()->scene().columns, SizeIs(2)) << "a filter that nothing passes leaves all, dim";
    EXPECT_TRUE(tileReview(0, 0).filteredOut);
    choose(ClipFilter::All);
    EXPECT_FALSE(tileReview(0, 0).filteredOut);
}

TEST_F(JudgingByKeys, ColumnsAreOrderedByRating) {
    open();
    press(Qt::Key_Right, Qt::ShiftModifier);
    press(Qt::Key_5);
    press(Qt::Key_Left, Qt::ShiftModifier);
    press(Qt::Key_1);
    press(Qt::Key_F5);
    QComboBox* order = nullptr;
    for (auto* box : m_page->findChildren<QComboBox*>())
        if (box->accessibleName() == "Order of the columns") order = box;
    const int best = order->findData(QString::fromLatin1(judging::mirror::kRating));
    ASSERT_GE(best, 0) << "the rating is a metric like any other";
    order->setCurrentIndex(best);
    emit order->activated(best);
    settle();
    EXPECT_EQ(wall()->scene().columns[0].name, "lr=0.01");
}

TEST_F(JudgingByKeys, OffersForARunOnlyWhatSomebodyWillDo) {
    open();
    std::string forked;
    QObject::connect(&m_page->clipActions(), &ClipActions::forkRequested, m_page.get(),
                     [&](const std::string& runId) { forked = runId; });
    QTest::keyClick(wall(), Qt::Key_A);
    auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
    ASSERT_NE(menu, nullptr);
    QStringList texts;
    QAction* fork = nullptr;
    for (QAction* action : menu->actions()) {
        texts << action->text();
        if (action->text().startsWith(QStringLiteral("Fork"))) fork = action;
    }
    ASSERT_NE(fork, nullptr);
    EXPECT_FALSE(texts.join(QLatin1Char(' ')).contains(QStringLiteral("Cancel")))
        << "nobody is connected to it";
    fork->trigger();
    menu->close();
    EXPECT_EQ(forked, m_store.runIds[0]);
}

TEST_F(JudgingByKeys, ARightClickOpensTheMenuOfTheClipThatIsThere) {
    open();
    const auto& tiles = wall()->tileLayout().tiles;
    const auto last =
        std::ranges::find_if(tiles, [](const auto& tile) { return tile.column + tile.row == 2; });
    ASSERT_NE(last, tiles.end());
    const QPoint place = wall()->viewport()->mapTo(m_page.get(), last->rect.center());
    QTest::mousePress(m_page->windowHandle(), Qt::RightButton, {}, place);
    auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
    ASSERT_NE(menu, nullptr);
    EXPECT_EQ(wall()->selectedColumn(), 1);
    EXPECT_EQ(wall()->selectedRow(), 1);
    QStringList texts;
    QAction* compare = nullptr;
    for (QAction* action : menu->actions()) {
        texts << action->text();
        if (action->text().startsWith(QStringLiteral("Compare"))) compare = action;
    }
    const auto all = texts.join(QLatin1Char('|')).toStdString();
    for (const char* entry : {"lr=0.01", "Open clip\tEnter", "Compare", "Rate", "Reject", "Export…\tCtrl+S"})
        EXPECT_THAT(all, HasSubstr(entry));
    ASSERT_NE(compare, nullptr);
    compare->trigger();
    menu->close();
    settle();
    EXPECT_FALSE(wall()->isVisible()) << "the comparison stands in its place";
}

TEST_F(JudgingByKeys, TheSelectedTileSaysWhetherTheKeyboardIsTheWalls) {
    open();
    const auto frameColor = [this] {
        const QRect tile = wall()->tileRect(wall()->selectedColumn(), wall()->selectedRow());
        return wall()->viewport()->grab().toImage().pixelColor(tile.left() + 1, tile.center().y());
    };
    wall()->setFocus();
    ASSERT_TRUE(wall()->hasFocus());
    EXPECT_EQ(frameColor(), colors().accent);
    int paints = 0;
    class Painted : public QObject {
    public:
        explicit Painted(int& count) : m_count(count) {}
        bool eventFilter(QObject*, QEvent* event) override {
            m_count += event->type() == QEvent::Paint;
            return false;
        }
        int& m_count;
    } painted(paints);
    wall()->viewport()->installEventFilter(&painted);
    for (auto* box : m_page->findChildren<QComboBox*>())
        if (box->accessibleName() == "Sweep") box->setFocus();
    ASSERT_FALSE(wall()->hasFocus());
    EXPECT_TRUE(QTest::qWaitFor([&] { return paints > 0; })) << "it is painted anew";
    EXPECT_EQ(frameColor(), colors().borderStrong);
}

TEST_F(JudgingByKeys, EveryControlOfThePanelHasAName) {
    open();
    press(Qt::Key_N);
    for (const QWidget* control : panel().findChildren<QWidget*>()) {
        if (qobject_cast<const QToolButton*>(control) || qobject_cast<const QLineEdit*>(control)) {
            const bool inside = control->parentWidget()->inherits("QAbstractSpinBox");
            EXPECT_TRUE(inside || !control->accessibleName().isEmpty()) << control->metaObject()->className();
        }
    }
}

}  // namespace
}  // namespace dailies::ui
