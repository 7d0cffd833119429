#include "trainer/data/pose_drawing.h"

#include "trainer/data/canvas.h"

namespace dailies::trainer {

namespace {

constexpr double kLimbRadius = 4.0 / 512, kPointRadius = 4.0 / 512;  // of the shorter side
constexpr double kLeastRadius = 1;                                   // pixels
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

Rgb bodyColour(std::size_t number, double brightness) {
    const auto* c = kBodyColours[number];
    return {brightness * c[0] / 255, brightness * c[1] / 255, brightness * c[2] / 255};
}

}  // namespace

void drawBody(RgbClip& clip, int frame, const Body& body) {
    Canvas canvas(clip, frame);
    const double side = std::min(clip.height, clip.width);
    const auto x = [&](std::size_t point) { return body[point].x * clip.width; };
    const auto y = [&](std::size_t point) { return body[point].y * clip.height; };
    for (std::size_t i = 0; i < std::size(kLimbs); ++i) {
        const auto [from, to] = kLimbs[i];
        if (!body[from].seen || !body[to].seen) continue;
        canvas.ellipse(x(from), y(from), x(to), y(to), std::max(kLimbRadius * side, kLeastRadius),
                       bodyColour(i, kLimbBrightness));
    }
    for (std::size_t point = 0; point < kBodyPoints; ++point)
        if (body[point].seen)
            canvas.disc(x(point), y(point), std::max(kPointRadius * side, kLeastRadius),
                        bodyColour(point, 1));
}

}  // namespace dailies::trainer
