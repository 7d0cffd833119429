#include "core/quality/tile_seam_detector.h"

#include <algorithm>
#include <cmath>

namespace dailies::quality {

namespace {

constexpr float kMinStep = 1.5f;
constexpr double kGreatestMeanStep = 40;
constexpr double kCoverage = 0.7;
constexpr double kEndCoverage = 0.5;  ///< of the first and the last tenth
constexpr double kBlack = 20;         ///< luma of a black bar, at most
constexpr double kEdge = 0.04;
constexpr std::size_t kMaxLines = 6;

using MeanPicture = std::vector<float>;

/// A mean picture, read along its columns or along its rows.
struct LineOrder {
    int count;            ///< how many lines there are
    int length;           ///< of each
    std::ptrdiff_t next;  ///< from a pixel to that of the next line
    std::ptrdiff_t down;  ///< from a pixel to the next of its line

    float at(const MeanPicture& mean, int line, int place) const {
        return mean[static_cast<std::size_t>(line * next + place * down)];
    }
    float step(const MeanPicture& mean, int line, int place) const {
        return line > 0 && line < count ? at(mean, line, place) - at(mean, line - 1, place) : 0;
    }
    /// 1 or −1 where brightness steps up or down into the line and not beside it; else 0.
    int lonelyStep(const MeanPicture& mean, int line, int place) const {
        const float size = step(mean, line, place);
        const float beside =
            std::max(std::abs(step(mean, line - 1, place)), std::abs(step(mean, line + 1, place)));
        if (std::abs(size) < kMinStep || std::abs(size) < 2 * beside) return 0;
        return size > 0 ? 1 : -1;
    }
    /// The same step in all means.
    bool keepsStep(const std::vector<MeanPicture>& means, int line, int place) const {
        const int first = lonelyStep(means.front(), line, place);
        return first != 0 && std::all_of(means.begin() + 1, means.end(), [&](const MeanPicture& mean) {
                   return lonelyStep(mean, line, place) == first;
               });
    }
};

/// Which share of a line is a step that stays; 0 where it is no seam for another reason.
double stepShare(const std::vector<MeanPicture>& means, const LineOrder& lines, int line) {
    int kept = 0, atBegin = 0, atEnd = 0;
    double size = 0, before = 0, after = 0;
    const int tenth = std::max(lines.length / 10, 1);
    for (int place = 0; place < lines.length; ++place) {
        size += std::abs(lines.step(means.front(), line, place));
        before += lines.at(means.front(), line - 1, place);
        after += lines.at(means.front(), line, place);
        if (!lines.keepsStep(means, line, place)) continue;
        ++kept;
        atBegin += place < tenth;
        atEnd += place >= lines.length - tenth;
    }
    const bool fromEdgeToEdge = std::min(atBegin, atEnd) >= kEndCoverage * tenth;
    const bool ofThePicture =
        size > kGreatestMeanStep * lines.length || std::min(before, after) <= kBlack * lines.length;
    return fromEdgeToEdge && !ofThePicture ? static_cast<double>(kept) / lines.length : 0;
}

std::vector<int> seamsOf(const std::vector<MeanPicture>& means, const LineOrder& lines) {
    std::vector<int> seams;
    double greatestOther = 0;
    const int edge = std::max(static_cast<int>(std::ceil(kEdge * lines.count)), 2);
    for (int line = edge; line < lines.count - edge; ++line) {
        const double share = stepShare(means, lines, line);
        if (share >= kCoverage)
            seams.push_back(line);
        else
            greatestOther = std::max(greatestOther, share);
    }
    const bool isPattern = seams.size() > kMaxLines || greatestOther > kCoverage / 2;
    return isPattern ? std::vector<int>{} : seams;
}

}  // namespace

void TileSeamDetector::add(const Luma& luma, int third) {
    m_width = luma.width;
    m_height = luma.height;
    Sum& sum = m_thirds[static_cast<std::size_t>(third)];
    sum.levels.resize(luma.values.size());
    ++sum.frames;
    for (std::size_t i = 0; i < sum.levels.size(); ++i) sum.levels[i] += luma.values[i];
}

TileSeamDetector::Lines TileSeamDetector::find() const {
    std::vector<MeanPicture> means;
    for (const Sum& sum : m_thirds) {
        if (sum.frames == 0) continue;
        MeanPicture& mean = means.emplace_back(sum.levels.size());
        for (std::size_t i = 0; i < mean.size(); ++i)
            mean[i] = static_cast<float>(sum.levels[i]) / static_cast<float>(sum.frames);
    }
    if (means.empty()) return {};
    return {seamsOf(means, {m_width, m_height, 1, m_width}), seamsOf(means, {m_height, m_width, m_width, 1})};
}

}  // namespace dailies::quality
