#include "trainer/data/shapes_judge.h"

#include "core/base/text.h"
#include "trainer/data/moving_shapes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace dailies::trainer {

namespace {

constexpr double kForegroundThreshold = 0.42;  // halfway between the background and the dimmest colour
constexpr double kMinOverlap = 0.6;

struct Blob {
    double area = 0, x = 0, y = 0;
    double rgb[3] = {0, 0, 0};
    std::vector<bool> mask;
};

Blob findBlob(const RgbClip& clip, int frame) {
    Blob blob;
    blob.mask.resize(clip.frameBytes() / 3);
    const auto* pixel = clip.frame(frame);
    for (int y = 0; y < clip.height; ++y)
        for (int x = 0; x < clip.width; ++x, pixel += 3) {
            if (*std::max_element(pixel, pixel + 3) < kForegroundThreshold * 255) continue;
            blob.mask[static_cast<std::size_t>(y * clip.width + x)] = true;
            blob.area += 1;
            blob.x += x + 0.5;
            blob.y += y + 0.5;
            for (int c = 0; c < 3; ++c) blob.rgb[c] += pixel[c] / 255.0;
        }
    if (blob.area > 0) {
        blob.x /= blob.area;
        blob.y /= blob.area;
    }
    return blob;
}

/// Intersection over union of the blob and a shape of its area at its centroid.
double overlap(const Blob& blob, const RgbClip& clip, Shape shape) {
    const double radius = std::sqrt(blob.area / unitArea(shape));
    double both = 0, either = 0;
    for (int y = 0; y < clip.height; ++y)
        for (int x = 0; x < clip.width; ++x) {
            const bool drawn = coverage(shape, radius, x + 0.5 - blob.x, y + 0.5 - blob.y) >= 0.5;
            const bool seen = blob.mask[static_cast<std::size_t>(y * clip.width + x)];
            both += drawn && seen;
            either += drawn || seen;
        }
    return either > 0 ? both / either : 0;
}

bool plausible(const std::vector<Blob>& blobs, double scale) {
    const double least = 0.5 * std::numbers::pi * kSmallestRadius * kSmallestRadius * scale * scale;
    const double most = 1.6 * std::numbers::pi * kLargestRadius * kLargestRadius * scale * scale;
    return !blobs.empty() &&
           std::ranges::all_of(blobs, [&](const Blob& b) { return b.area >= least && b.area <= most; });
}

std::string seenColour(const std::vector<Blob>& blobs) {
    double area = 0, mean[3] = {0, 0, 0};
    for (const auto& blob : blobs) {
        area += blob.area;
        for (int c = 0; c < 3; ++c) mean[c] += blob.rgb[c];
    }
    const auto distance = [&](const ShapeColour& colour) {
        return std::hypot(mean[0] / area - colour.rgb[0], mean[1] / area - colour.rgb[1],
                          mean[2] / area - colour.rgb[2]);
    };
    return std::string(std::ranges::min_element(kShapeColours, {}, distance)->name);
}

std::string seenShape(const std::vector<Blob>& blobs, const RgbClip& clip) {
    std::string best;
    double bestOverlap = kMinOverlap * static_cast<double>(blobs.size());
    for (const auto shape : {Shape::circle, Shape::square, Shape::triangle}) {
        double sum = 0;
        for (const auto& blob : blobs) sum += overlap(blob, clip, shape);
        if (sum < bestOverlap) continue;
        bestOverlap = sum;
        best = kShapeNames[static_cast<int>(shape)];
    }
    return best;
}

std::string seenDirection(const std::vector<Blob>& blobs, double scale) {
    // least-squares slope of the centroid, times the length of the clip
    const double middle = (static_cast<double>(blobs.size()) - 1) / 2;
    double pathX = 0, pathY = 0, spread = 0;
    for (std::size_t t = 0; t < blobs.size(); ++t) {
        const double offset = static_cast<double>(t) - middle;
        pathX += offset * blobs[t].x;
        pathY += offset * blobs[t].y;
        spread += offset * offset;
    }
    if (spread == 0) return "";
    pathX *= 2 * middle / spread;
    pathY *= 2 * middle / spread;
    const double along = std::max(std::abs(pathX), std::abs(pathY));
    const double across = std::min(std::abs(pathX), std::abs(pathY));
    if (along < kSlowestPath * scale / 2 || across > along / 2) return "";
    for (const auto& direction : kShapeDirections)
        if (direction.dx * pathX + direction.dy * pathY == along) return direction.name;
    return "";
}

}  // namespace

std::optional<std::map<std::string, bool>> ShapesJudge::judge(const RgbClip& clip,
                                                              const std::string& caption) const {
    const auto words = split(caption, ' ');
    const auto named = [&](const auto& choices, const auto& name) {
        return words.size() == 3 && std::ranges::any_of(choices, [&](const auto& c) { return name(c); });
    };
    const bool readable = named(kShapeColours, [&](const auto& c) { return words[0] == c.name; }) &&
                          named(kShapeNames, [&](const auto* name) { return words[1] == name; }) &&
                          named(kShapeDirections, [&](const auto& d) { return words[2] == d.name; });
    if (!readable) return std::nullopt;

    std::vector<Blob> blobs;
    for (int t = 0; t < clip.frames; ++t) blobs.push_back(findBlob(clip, t));
    const double scale = std::min(clip.height, clip.width) / 32.0;
    if (!plausible(blobs, scale)) return {{{"colour", false}, {"shape", false}, {"direction", false}}};
    return {{{"colour", seenColour(blobs) == words[0]},
             {"shape", seenShape(blobs, clip) == words[1]},
             {"direction", seenDirection(blobs, scale) == words[2]}}};
}

}  // namespace dailies::trainer
