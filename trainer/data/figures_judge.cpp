#include "trainer/data/figures_judge.h"

#include "trainer/data/figures.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace dailies::trainer {

namespace {

constexpr double kSameColour = 0.22;      // distance of two colours, 0 … √3
constexpr double kLeastOfMarker = 0.25;   // of a marker's area
constexpr double kLeastOfGarment = 0.01;  // of a frame

double distance(const std::uint8_t* pixel, const Rgb& colour) {
    const double r = pixel[0] / 255.0 - colour.r, g = pixel[1] / 255.0 - colour.g,
                 b = pixel[2] / 255.0 - colour.b;
    return std::sqrt(r * r + g * g + b * b);
}

/// All colours that a figure may have, markers first.
std::vector<Rgb> palette() {
    std::vector<Rgb> colours;
    for (const auto& marker : kFigureMarkers) colours.push_back(marker.rgb);
    for (const auto& shirt : kShirts) colours.push_back(shirt.rgb);
    for (const auto& trousers : kTrousers) colours.push_back(trousers.rgb);
    return colours;
}

struct Seen {
    double count = 0, x = 0, y = 0;
};

/// Of each colour of the palette: the pixels that are nearest to it, and near.
std::vector<Seen> seenIn(const RgbClip& clip, int frame) {
    static const auto colours = palette();
    std::vector<Seen> seen(colours.size());
    const auto* pixel = clip.frame(frame);
    for (int y = 0; y < clip.height; ++y)
        for (int x = 0; x < clip.width; ++x, pixel += 3) {
            std::size_t nearest = 0;
            double least = kSameColour;
            for (std::size_t i = 0; i < colours.size(); ++i)
                if (const double apart = distance(pixel, colours[i]); apart < least) {
                    least = apart;
                    nearest = i + 1;
                }
            if (nearest == 0) continue;
            auto& of = seen[nearest - 1];
            of.count += 1;
            of.x += x + 0.5;
            of.y += y + 0.5;
        }
    for (auto& each : seen)
        if (each.count > 0) {
            each.x /= each.count;
            each.y /= each.count;
        }
    return seen;
}

/// Which of the colours from `first` on has most pixels in the clip; nullopt where none has enough.
std::optional<std::size_t> mostOf(const std::vector<std::vector<Seen>>& frames, std::size_t first,
                                  std::size_t count, double least) {
    std::vector<double> sums(count);
    for (const auto& frame : frames)
        for (std::size_t i = 0; i < count; ++i) sums[i] += frame[first + i].count;
    const auto most = std::ranges::max_element(sums);
    if (*most < least * static_cast<double>(frames.size())) return {};
    return static_cast<std::size_t>(most - sums.begin());
}

double poseError(const RgbClip& clip, int frame, const Body& body) {
    const double side = std::min(clip.height, clip.width);
    const auto seen = seenIn(clip, frame);
    double sum = 0;
    for (std::size_t i = 0; i < std::size(kFigureMarkers); ++i) {
        const auto& marker = kFigureMarkers[i];
        const auto& point = body[marker.point];
        const double radius = marker.radius * side, area = std::numbers::pi * radius * radius;
        const double apart =
            seen[i].count < kLeastOfMarker * area
                ? FiguresJudge::kFarthest
                : std::hypot(seen[i].x - point.x * clip.width, seen[i].y - point.y * clip.height) / side;
        sum += std::min(apart, FiguresJudge::kFarthest);
    }
    return sum / static_cast<double>(std::size(kFigureMarkers));
}

/// Mean over the pixels for which `counts`, of their three channels, 0 … 1.
template <class Counts>
double meanDifference(const std::uint8_t* one, const std::uint8_t* other, std::size_t pixels, Counts counts) {
    double sum = 0, counted = 0;
    for (std::size_t i = 0; i < pixels; ++i) {
        if (!counts(i)) continue;
        for (std::size_t c = 0; c < 3; ++c) sum += std::abs(one[3 * i + c] - other[3 * i + c]) / 255.0;
        counted += 3;
    }
    return counted > 0 ? sum / counted : 0;
}

}  // namespace

std::optional<std::map<std::string, bool>> FiguresJudge::judge(const RgbClip& clip,
                                                               const std::string& caption) const {
    const auto isNamed = [&](const char* colour, const char* garment) {
        return caption.find(std::string(colour) + " " + garment) != std::string::npos;
    };
    const auto shirt = std::ranges::find_if(kShirts, [&](const auto& c) { return isNamed(c.name, "shirt"); });
    const auto trousers =
        std::ranges::find_if(kTrousers, [&](const auto& c) { return isNamed(c.name, "trousers"); });
    if (shirt == std::end(kShirts) || trousers == std::end(kTrousers)) return {};
    std::vector<std::vector<Seen>> frames;
    for (int t = 0; t < clip.frames; ++t) frames.push_back(seenIn(clip, t));
    const double least = kLeastOfGarment * clip.height * clip.width;
    constexpr auto kFirstShirt = std::size(kFigureMarkers), kFirstTrousers = kFirstShirt + std::size(kShirts);
    const auto isMost = [&](std::size_t first, std::size_t count, std::ptrdiff_t wanted) {
        const auto most = mostOf(frames, first, count, least);
        return most && *most == static_cast<std::size_t>(wanted);
    };
    return std::map<std::string, bool>{
        {"shirt", isMost(kFirstShirt, std::size(kShirts), shirt - std::begin(kShirts))},
        {"trousers", isMost(kFirstTrousers, std::size(kTrousers), trousers - std::begin(kTrousers))}};
}

std::map<std::string, std::vector<double>> FiguresJudge::errors(const RgbClip& clip,
                                                                const std::string& prompt,
                                                                std::int64_t seed) const {
    const auto truth = figureClip(prompt, promptedFigure(prompt, seed), clip.frames, clip.height, clip.width);
    const auto pixels = clip.frameBytes() / 3;
    // the background is what stays as it is in the true clip, whose figure moves, and in no row but its own
    std::vector<bool> still(pixels, true);
    for (int t = 0; t < clip.frames; ++t)
        for (std::size_t i = 0; i < pixels; ++i) {
            const auto corner =
                i / static_cast<std::size_t>(clip.width) * static_cast<std::size_t>(clip.width);
            for (std::size_t c = 0; c < 3; ++c)
                if (truth.clip.frame(t)[3 * i + c] != truth.clip.frame(t)[3 * corner + c]) still[i] = false;
        }
    const auto isStill = [&](std::size_t i) { return still[i]; };
    std::map<std::string, std::vector<double>> errors;
    for (int t = 0; t < clip.frames; ++t) {
        errors["pose_error"].push_back(poseError(clip, t, truth.bodies[static_cast<std::size_t>(t)]));
        errors["background_error"].push_back(
            meanDifference(clip.frame(t), truth.clip.frame(t), pixels, isStill));
        if (clip.frames > 1)
            errors["flicker"].push_back(
                t > 0 ? meanDifference(clip.frame(t), clip.frame(t - 1), pixels, isStill)
                      : std::numeric_limits<double>::quiet_NaN());
    }
    return errors;
}

}  // namespace dailies::trainer
