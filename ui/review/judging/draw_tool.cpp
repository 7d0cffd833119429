#include "ui/review/judging/draw_tool.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace dailies::ui {

namespace {

constexpr int kEllipseCorners = 48;
constexpr double kHeadAngle = std::numbers::pi / 7;
constexpr double kHeadPart = 0.3, kLongestHead = 0.06;  ///< of the arrow's length; of the picture's height

}  // namespace

std::vector<judging::Place> outlineOf(DrawShape shape, const judging::Place& from, const judging::Place& to,
                                      const QSizeF& picture) {
    switch (shape) {
        case DrawShape::Freehand:
        case DrawShape::Line:
            break;
        case DrawShape::Arrow: {
            // Angles are those on the screen: a part of the width is not as long as one of the height.
            const double width = std::max(picture.width(), 1.0), height = std::max(picture.height(), 1.0);
            const double dx = (to.x - from.x) * width, dy = (to.y - from.y) * height;
            const double head = std::min(kHeadPart * std::hypot(dx, dy), kLongestHead * height);
            const double back = std::atan2(-dy, -dx);
            const auto barb = [&](double turn) {
                return judging::Place{to.x + head * std::cos(back + turn) / width,
                                      to.y + head * std::sin(back + turn) / height};
            };
            return {from, to, barb(kHeadAngle), to, barb(-kHeadAngle)};
        }
        case DrawShape::Rectangle:
            return {from, {to.x, from.y}, to, {from.x, to.y}, from};
        case DrawShape::Ellipse: {
            std::vector<judging::Place> places;
            for (int i = 0; i <= kEllipseCorners; ++i) {
                const double angle = 2 * std::numbers::pi * i / kEllipseCorners;
                places.push_back({(from.x + to.x) / 2 + (to.x - from.x) / 2 * std::cos(angle),
                                  (from.y + to.y) / 2 + (to.y - from.y) / 2 * std::sin(angle)});
            }
            return places;
        }
    }
    return {from, to};
}

}  // namespace dailies::ui
