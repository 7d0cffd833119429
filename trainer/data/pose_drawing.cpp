#include "trainer/data/pose_drawing.h"

#include "trainer/data/canvas.h"

#include <algorithm>
#include <cmath>

namespace dailies::trainer {

namespace {

constexpr double kLimbRadius = 4.0 / 512, kPointRadius = 4.0 / 512;  // of the shorter side
constexpr double kBoneRadius = 1.0 / 512, kFacePointRadius = 3.0 / 512;
constexpr double kSureOfHand = 0.5, kHandMargin = 0.15;     // of the longer side of its box
constexpr double kLeastRadius = 1, kLeastBoneRadius = 0.5;  // pixels
constexpr double kLimbBrightness = 0.6;

struct Limb {
    std::size_t from, to;
};
constexpr Limb kLimbs[] = {{1, 2},  {1, 5},   {2, 3},   {3, 4}, {5, 6},  {6, 7},   {1, 8},  {8, 9},  {9, 10},
                           {1, 11}, {11, 12}, {12, 13}, {1, 0}, {0, 14}, {14, 16}, {0, 15}, {15, 17}};

constexpr int kBodyColours[kBodyPoints][3] = {
    {255, 0, 0}, {255, 85, 0}, {255, 170, 0}, {255, 255, 0}, {170, 255, 0}, {85, 255, 0},
    {0, 255, 0}, {0, 255, 85}, {0, 255, 170}, {0, 255, 255}, {0, 170, 255}, {0, 85, 255},
    {0, 0, 255}, {85, 0, 255}, {170, 0, 255}, {255, 0, 255}, {255, 0, 170}, {255, 0, 85}};

constexpr Limb kBones[] = {{0, 1},   {1, 2},   {2, 3},  {3, 4},   {0, 5},   {5, 6},  {6, 7},
                           {7, 8},   {0, 9},   {9, 10}, {10, 11}, {11, 12}, {0, 13}, {13, 14},
                           {14, 15}, {15, 16}, {0, 17}, {17, 18}, {18, 19}, {19, 20}};

/// Of the colour circle, 0 … 1, at full strength.
Rgb hue(double turn) {
    const auto part = [turn](double shift) {
        const double around = std::fmod(turn + shift, 1.0) * 6;
        return std::clamp(std::abs(around - 3) - 1, 0.0, 1.0);
    };
    return {part(0), part(2.0 / 3), part(1.0 / 3)};
}

Rgb dimmed(const Rgb& colour, double strength) {
    return {colour.r * strength, colour.g * strength, colour.b * strength};
}

Rgb bodyColour(std::size_t number, double brightness) {
    const auto* c = kBodyColours[number];
    return {brightness * c[0] / 255, brightness * c[1] / 255, brightness * c[2] / 255};
}

/// Paints points of a picture into a frame of a part of it.
class Painter {
public:
    Painter(RgbClip& clip, int frame, const PicturePlace& place, const PoseStyle& style)
        : m_canvas(clip, frame),
          m_place(place),
          m_side(std::min(place.height, place.width)),
          m_style(style) {}

    void limb(const BodyPoint& from, const BodyPoint& to, const Rgb& colour) {
        if (!from.seen || !to.seen) return;
        m_canvas.ellipse(x(from), y(from), x(to), y(to), radius(kLimbRadius),
                         dimmed(colour, strength(from, to)));
    }
    void bone(const BodyPoint& from, const BodyPoint& to, const Rgb& colour) {
        if (!from.seen || !to.seen) return;
        m_canvas.capsule(x(from), y(from), x(to), y(to), std::max(kBoneRadius * m_side, kLeastBoneRadius),
                         dimmed(colour, strength(from, to)));
    }
    void point(const BodyPoint& point, double share, const Rgb& colour) {
        if (point.seen)
            m_canvas.disc(x(point), y(point), radius(share),
                          dimmed(colour, m_style.fades ? point.confidence : 1));
    }

private:
    double x(const BodyPoint& point) const { return m_place.left + point.x * m_place.width; }
    double y(const BodyPoint& point) const { return m_place.top + point.y * m_place.height; }
    double radius(double share) const { return std::max(share * m_side, kLeastRadius); }
    double strength(const BodyPoint& from, const BodyPoint& to) const {
        return m_style.fades ? from.confidence * to.confidence : 1;
    }

    Canvas m_canvas;
    PicturePlace m_place;
    double m_side;
    PoseStyle m_style;
};

void drawBody(Painter& painter, const Body& body) {
    for (std::size_t i = 0; i < std::size(kLimbs); ++i)
        painter.limb(body[kLimbs[i].from], body[kLimbs[i].to], bodyColour(i, kLimbBrightness));
    for (std::size_t point = 0; point < kBodyPoints; ++point)
        painter.point(body[point], kPointRadius, bodyColour(point, 1));
}

}  // namespace

void drawBody(RgbClip& clip, int frame, const Body& body) {
    Painter painter(clip, frame, {0, 0, double(clip.width), double(clip.height)}, {});
    drawBody(painter, body);
}

void drawPerson(RgbClip& clip, int frame, const Person& person, const PicturePlace& place,
                const PoseStyle& style) {
    Painter painter(clip, frame, place, style);
    drawBody(painter, person.body);
    for (const auto& hand : person.hands) {
        for (std::size_t i = 0; i < std::size(kBones); ++i)
            painter.bone(hand[kBones[i].from], hand[kBones[i].to],
                         hue(static_cast<double>(i) / static_cast<double>(std::size(kBones))));
        for (const auto& point : hand) painter.point(point, kPointRadius, {0, 0, 1});
    }
    for (const auto& point : person.face) painter.point(point, kFacePointRadius, {1, 1, 1});
}

void fillSureHands(RgbClip& clip, int frame, const Person& person, const PicturePlace& place) {
    Canvas canvas(clip, frame);
    for (const auto& hand : person.hands) {
        const auto isSure = [](const BodyPoint& point) {
            return point.seen && point.confidence > kSureOfHand;
        };
        if (!std::ranges::all_of(hand, isSure)) continue;
        const auto [left, right] = std::ranges::minmax(hand, {}, &BodyPoint::x);
        const auto [top, bottom] = std::ranges::minmax(hand, {}, &BodyPoint::y);
        const double x0 = place.left + left.x * place.width, x1 = place.left + right.x * place.width,
                     y0 = place.top + top.y * place.height, y1 = place.top + bottom.y * place.height,
                     margin = kHandMargin * std::max(x1 - x0, y1 - y0);
        canvas.paint(x0 - margin, y0 - margin, x1 + margin, y1 + margin, {1, 1, 1}, [&](double x, double y) {
            return std::min({x - x0, x1 - x, y - y0, y1 - y}) + margin;
        });
    }
}

}  // namespace dailies::trainer
