#pragma once

#include "core/config/shape_colours.h"
#include "trainer/data/data_source.h"
#include "trainer/data/shapes_judge.h"

#include <string_view>

namespace dailies::trainer {

enum class Shape { circle, square, triangle };

/// How much of the pixel at (x, y), relative to the shape's centre, a shape of this radius covers: 0 … 1,
/// antialiased over one pixel. The three shapes of one radius differ in area by less than a third, so that
/// area alone does not tell them apart.
double coverage(Shape shape, double radius, double x, double y);

/// Area of the shape in units of radius².
double unitArea(Shape shape);

/// The words of the captions "red square left", in the order in which they stand, and the colours as people
/// see them (0 … 1).
struct ShapeColour {
    std::string_view name;
    double rgb[3];
};
struct ShapeDirection {
    const char* name;
    int dx, dy;
};
inline constexpr ShapeColour kShapeColours[] = {{config::kShapeColourNames[0], {0.90, 0.15, 0.15}},
                                                {config::kShapeColourNames[1], {0.15, 0.80, 0.20}},
                                                {config::kShapeColourNames[2], {0.20, 0.30, 0.95}},
                                                {config::kShapeColourNames[3], {0.95, 0.85, 0.15}}};
inline constexpr const char* kShapeNames[] = {"circle", "square", "triangle"};
inline constexpr ShapeDirection kShapeDirections[] = {
    {"right", 1, 0}, {"left", -1, 0}, {"down", 0, 1}, {"up", 0, -1}};
inline constexpr double kShapesBackground = 0.06;

/// Radius and speed for 8 frames of 32 × 32 pixels; other sizes scale them, so that the task looks the same.
inline constexpr double kSmallestRadius = 6.2, kLargestRadius = 7.8;
inline constexpr double kSlowestPath = 1.2 * 7, kLongestPath = 1.6 * 7;

/// Captioned clips made on the fly: one shape in one colour moves in one direction over a dark background.
/// Every index is another clip (radius, speed and place vary), with one of 48 captions, or of those that name
/// one of `data.colours`; `captions` are all 48. A model of 0.2 M parameters learns it in a minute on one
/// core, and its clips can be read back, which is what makes it a good first run.
class MovingShapes : public DataSource {
public:
    MovingShapes(const config::TrainConfig::Data& data, std::int64_t seed);

    std::int64_t size() const override { return 0; }
    Example example(std::int64_t index) override;
    std::vector<std::string> captions() const override;
    ValueScale valueScale() const override { return {{-0.78}, {0.5}}; }
    const Judge* judge() const override { return &m_judge; }

private:
    int m_frames, m_height, m_width;
    std::int64_t m_seed;
    std::vector<ShapeColour> m_colours;
    ShapesJudge m_judge;
};

}  // namespace dailies::trainer
