#include "tests/ui/review/judging/judged_page.h"

#include <QAbstractButton>
#include <QPlainTextEdit>

#include <algorithm>
#include <cmath>

namespace dailies::ui {
namespace {

using testing::SizeIs;

constexpr double kPlaceSlack = 0.01;  ///< of the picture: the pointer's places are whole pixels
constexpr int kColorSlack = 48;

/// What is chosen on the bar, what a drag over the middle half of the picture makes of it, and where of the
/// picture its colour is to be seen and where not.
struct Drawn {
    const char* shape;  ///< as the tooltips begin
    DrawColor color;
    DrawWidth width;
    std::size_t places;
    judging::Place on, off;
};

void PrintTo(const Drawn& drawn, std::ostream* out) {
    *out << drawn.shape << ", " << drawn.color.name << ", " << drawn.width.name;
}

const Drawn kDrawn[] = {{"Freehand", kDrawColors[0], kDrawWidths[0], 3, {0.4, 0.25}, {0.4, 0.6}},
                        {"Line", kDrawColors[1], kDrawWidths[1], 2, {0.5, 0.5}, {0.5, 0.3}},
                        {"Arrow", kDrawColors[2], kDrawWidths[2], 5, {0.5, 0.5}, {0.5, 0.3}},
                        {"Rectangle", kDrawColors[3], kDrawWidths[1], 5, {0.5, 0.25}, {0.5, 0.5}},
                        {"Ellipse", kDrawColors[4], kDrawWidths[2], 49, {0.5, 0.25}, {0.27, 0.27}}};

class DrawingByMouse : public JudgedPage {
protected:
    StrokeLayer& pen() { return m_page->reviewController().pen(); }
    QRect picture() { return wall()->pictureRect(wall()->selectedColumn(), wall()->selectedRow()); }
    QPoint pointAt(const judging::Place& place) {
        const QRect rect = picture();
        return {rect.left() + static_cast<int>(std::lround(place.x * rect.width())),
                rect.top() + static_cast<int>(std::lround(place.y * rect.height()))};
    }
    void press(const char* tool) {
        for (auto* button : m_page->reviewController().drawingBar().findChildren<QAbstractButton*>())
            if (button->toolTip().startsWith(QLatin1String(tool)))
                return QTest::mouseClick(button, Qt::LeftButton);
        ADD_FAILURE() << "no tool " << tool;
    }
    /// Over two sides of the middle half of the picture: across, then down.
    void drag() {
        QTest::mousePress(&pen(), Qt::LeftButton, {}, pointAt({0.25, 0.25}));
        QTest::mouseMove(&pen(), pointAt({0.75, 0.25}));
        QTest::mouseMove(&pen(), pointAt({0.75, 0.75}));
        QTest::mouseRelease(&pen(), Qt::LeftButton, {}, pointAt({0.75, 0.75}));
    }
    bool isSeenAt(const judging::Place& place, const char* color) {
        const QColor seen = wall()->viewport()->grab().toImage().pixelColor(pointAt(place)), wanted(color);
        return std::abs(seen.red() - wanted.red()) < kColorSlack &&
               std::abs(seen.green() - wanted.green()) < kColorSlack &&
               std::abs(seen.blue() - wanted.blue()) < kColorSlack;
    }
};

class EachTool : public DrawingByMouse, public testing::WithParamInterface<Drawn> {};

TEST_P(EachTool, IsSavedAsItWasChosenAndDrawn) {
    const Drawn& drawn = GetParam();
    open();
    JudgedPage::press(Qt::Key_D);
    ASSERT_FALSE(picture().isEmpty());
    press(drawn.shape);
    press(drawn.color.name);
    press(drawn.width.name);
    drag();
    press("Keep");
    auto* text = m_page->reviewController().panel().findChild<QPlainTextEdit*>();
    QTest::keyClick(text, Qt::Key_Return, Qt::ControlModifier);
    settle();

    const auto notes = stored(key(0, 0, 300)).notes;
    ASSERT_THAT(notes, SizeIs(1));
    ASSERT_THAT(notes[0].strokes, SizeIs(1));
    const judging::Stroke& stroke = notes[0].strokes[0];
    EXPECT_EQ(stroke.color, drawn.color.value);
    EXPECT_DOUBLE_EQ(stroke.width, drawn.width.value);
    ASSERT_THAT(stroke.places, SizeIs(drawn.places));
    EXPECT_TRUE(isSeenAt(drawn.on, drawn.color.value)) << "the note is shown on its frame";
    EXPECT_FALSE(isSeenAt(drawn.off, "#ff5a52") || isSeenAt(drawn.off, "#f0e442") ||
                 isSeenAt(drawn.off, "#56b4e9"));

    const auto expectAt = [](const judging::Place& place, double x, double y) {
        EXPECT_NEAR(place.x, x, kPlaceSlack);
        EXPECT_NEAR(place.y, y, kPlaceSlack);
    };
    const QLatin1String shape(drawn.shape);
    if (shape == QLatin1String("Ellipse")) {
        for (const judging::Place& place : stroke.places)
            EXPECT_NEAR(std::hypot((place.x - 0.5) / 0.25, (place.y - 0.5) / 0.25), 1, 4 * kPlaceSlack)
                << place.x << ", " << place.y;
        expectAt(stroke.places.front(), 0.75, 0.5);
        expectAt(stroke.places.back(), 0.75, 0.5);
        return;
    }
    expectAt(stroke.places[0], 0.25, 0.25);
    if (shape == QLatin1String("Freehand")) {
        expectAt(stroke.places[1], 0.75, 0.25);
        expectAt(stroke.places[2], 0.75, 0.75);
    } else if (shape == QLatin1String("Rectangle")) {
        expectAt(stroke.places[1], 0.75, 0.25);
        expectAt(stroke.places[2], 0.75, 0.75);
        expectAt(stroke.places[3], 0.25, 0.75);
        EXPECT_EQ(stroke.places[4], stroke.places[0]);
    } else {
        expectAt(stroke.places[1], 0.75, 0.75);  // the line, and its head where it has one
    }
}

INSTANTIATE_TEST_SUITE_P(DrawingByMouse, EachTool, testing::ValuesIn(kDrawn),
                         [](const auto& drawn) { return std::string(drawn.param.shape); });

TEST_F(DrawingByMouse, AClickWithoutADragMakesNoShapeButADot) {
    open();
    JudgedPage::press(Qt::Key_D);
    press("Line");
    QTest::mouseClick(&pen(), Qt::LeftButton, {}, pointAt({0.5, 0.5}));
    EXPECT_EQ(pen().strokeCount(), 0u);
    press("Freehand");
    QTest::mouseClick(&pen(), Qt::LeftButton, {}, pointAt({0.5, 0.5}));
    EXPECT_EQ(pen().strokeCount(), 1u);
}

TEST_F(DrawingByMouse, APenOfThePicturesColorIsSeen) {
    open();
    JudgedPage::press(Qt::Key_D);
    press("Black");
    for (int i = 0; i < 4; ++i) QTest::keyClick(&pen(), Qt::Key_Right, Qt::ShiftModifier);
    const QPoint place = pointAt({0.7, 0.5});
    const QImage shown = wall()->viewport()->grab().toImage();
    ASSERT_LT(shown.pixelColor(place + QPoint(20, 0)).lightness(), kColorSlack) << "black there";
    int lightest = 0;
    for (int x = 0; x < 10; ++x)
        lightest = std::max(lightest, shown.pixelColor(place + QPoint(x, 0)).lightness());
    EXPECT_GT(lightest, kColorSlack);
}

}  // namespace
}  // namespace dailies::ui
