#include "trainer/data/moving_shapes.h"

#include "trainer/tensors/random.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>

namespace dailies::trainer {

namespace {

// Sizes in units of the radius; chosen so that the shapes have nearly one area.
constexpr double kSquareHalfSide = 0.89;
constexpr double kTriangleInradius = 0.75;  // of an equilateral triangle that points up

}  // namespace

double coverage(Shape shape, double radius, double x, double y) {
    double inside = 0;  // distance to the outline, positive inside
    switch (shape) {
        case Shape::circle:
            inside = radius - std::hypot(x, y);
            break;
        case Shape::square:
            inside = kSquareHalfSide * radius - std::max(std::abs(x), std::abs(y));
            break;
        case Shape::triangle: {
            const double edge = kTriangleInradius * radius;
            const double slope = std::abs(x) * std::numbers::sqrt3 / 2 - y / 2;  // both slanted sides
            inside = edge - std::max(y, slope);
            break;
        }
    }
    return std::clamp(inside + 0.5, 0.0, 1.0);
}

double unitArea(Shape shape) {
    switch (shape) {
        case Shape::circle:
            return std::numbers::pi;
        case Shape::square:
            return 4 * kSquareHalfSide * kSquareHalfSide;
        case Shape::triangle:
            return 3 * std::numbers::sqrt3 * kTriangleInradius * kTriangleInradius;
    }
    return 0;
}

MovingShapes::MovingShapes(const config::TrainConfig::Data& data, std::int64_t seed)
    : m_frames(static_cast<int>(data.frames)),
      m_height(static_cast<int>(data.height)),
      m_width(static_cast<int>(data.width)),
      m_seed(seed) {
    std::ranges::copy_if(kShapeColours, std::back_inserter(m_colours), [&](const auto& colour) {
        return data.colours.empty() || std::ranges::count(data.colours, colour.name) > 0;
    });
}

std::vector<std::string> MovingShapes::captions() const {
    std::vector<std::string> captions;
    for (const auto& colour : kShapeColours)
        for (const auto* shape : kShapeNames)
            for (const auto& direction : kShapeDirections)
                captions.push_back(std::string(colour.name) + " " + shape + " " + direction.name);
    return captions;
}

Example MovingShapes::example(std::int64_t index) {
    Random random(randomKey(m_seed, Stream::data_clip, static_cast<std::uint64_t>(index)));
    const auto& colour = m_colours[random.below(m_colours.size())];
    const auto shape = static_cast<Shape>(random.below(std::size(kShapeNames)));
    const auto& direction = kShapeDirections[random.below(std::size(kShapeDirections))];
    const double scale = std::min(m_height, m_width) / 32.0;
    const double radius = scale * random.uniform(kSmallestRadius, kLargestRadius);
    const double path = scale * random.uniform(kSlowestPath, kLongestPath);
    const double centreX = m_width / 2.0 + scale * random.uniform(-3, 3);
    const double centreY = m_height / 2.0 + scale * random.uniform(-3, 3);

    Example example{
        {m_frames, m_height, m_width, {}},
        std::string(colour.name) + " " + kShapeNames[static_cast<int>(shape)] + " " + direction.name};
    example.clip.rgb.resize(example.clip.frameBytes() * static_cast<std::size_t>(m_frames));
    auto* pixel = example.clip.rgb.data();
    for (int t = 0; t < m_frames; ++t) {
        const double progress = m_frames > 1 ? t / (m_frames - 1.0) - 0.5 : 0;
        const double shapeX = centreX + direction.dx * path * progress;
        const double shapeY = centreY + direction.dy * path * progress;
        for (int y = 0; y < m_height; ++y)
            for (int x = 0; x < m_width; ++x) {
                const double covered = coverage(shape, radius, x + 0.5 - shapeX, y + 0.5 - shapeY);
                for (const double channel : colour.rgb)
                    *pixel++ = static_cast<std::uint8_t>(
                        std::lround(255 * (kShapesBackground + covered * (channel - kShapesBackground))));
            }
    }
    return example;
}

}  // namespace dailies::trainer
