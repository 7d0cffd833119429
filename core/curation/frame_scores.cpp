#include "core/curation/frame_scores.h"

#include "core/curation/picture_samples.h"

#include <algorithm>
#include <cmath>

namespace dailies::curation {

namespace {

constexpr int kBlackLuma = 25, kWhiteLuma = 230;  ///< a tenth of the range from either end
constexpr double kMinJump = 4;                    ///< levels; below it a flash cannot be told from motion
constexpr std::array kReaches{6, 10, 16};
constexpr double kMinContrast = 4;       ///< standard deviation of a tiny picture that has a structure
constexpr double kSameStructure = 0.75;  ///< correlation
/// What a single step on the way of a dissolve may be, of how far its ends differ and in levels: with more
/// there is a cut.
constexpr double kLargestShare = 0.4, kLargestStep = 12;
/// How far two pictures that have nothing in common differ in the mean, in standard deviations (2 / √π for
/// values that are normally distributed).
constexpr double kUnrelated = 1.128;

double rounded(double value) {
    return std::round(value * 100) / 100;
}

double roundedShare(std::uint32_t part, double whole) {
    return std::round(1e4 * part / whole) / 1e4;
}

/// A plane blurred by VMAF's 5 taps in both directions, edges mirrored; 16 times the levels.
void blur(const std::vector<std::uint8_t>& plane, int width, int height, std::vector<std::uint16_t>& scratch,
          std::vector<std::uint16_t>& blurred) {
    constexpr int kOuter = 3571, kInner = 16004, kCentre = 26386;  // 65536ths
    scratch.resize(plane.size());
    blurred.resize(plane.size());
    const auto mirrored = [](int i, int size) {
        if (i < 0) i = -i;
        if (i >= size) i = 2 * size - 2 - i;
        return std::clamp(i, 0, size - 1);
    };
    const auto at = [width](int y) { return static_cast<std::ptrdiff_t>(y) * width; };
    for (int y = 0; y < height; ++y) {
        const std::uint8_t *a = &plane[0] + at(mirrored(y - 2, height)),
                           *b = &plane[0] + at(mirrored(y - 1, height)), *c = &plane[0] + at(y),
                           *d = &plane[0] + at(mirrored(y + 1, height)),
                           *e = &plane[0] + at(mirrored(y + 2, height));
        std::uint16_t* out = &scratch[0] + at(y);
        for (int x = 0; x < width; ++x)
            out[x] = static_cast<std::uint16_t>(
                (kOuter * (a[x] + e[x]) + kInner * (b[x] + d[x]) + kCentre * c[x] + (1 << 11)) >> 12);
    }
    for (int y = 0; y < height; ++y) {
        const std::uint16_t* in = &scratch[0] + at(y);
        std::uint16_t* out = &blurred[0] + at(y);
        const auto sum = [&](int x, int left2, int left, int right, int right2) {
            const std::int64_t total = std::int64_t{kOuter} * (in[left2] + in[right2]) +
                                       std::int64_t{kInner} * (in[left] + in[right]) +
                                       std::int64_t{kCentre} * in[x];
            return static_cast<std::uint16_t>((total + (1 << 15)) >> 16);
        };
        const auto edge = [&](int x) {
            out[x] = sum(x, mirrored(x - 2, width), mirrored(x - 1, width), mirrored(x + 1, width),
                         mirrored(x + 2, width));
        };
        for (int x = 0; x < std::min(2, width); ++x) edge(x);
        for (int x = 2; x < width - 2; ++x) {
            // at most 16 · 255 · 65536 in all, which 32 bits hold
            const auto total = static_cast<std::uint32_t>(kOuter * (in[x - 2] + in[x + 2]) +
                                                          kInner * (in[x - 1] + in[x + 1]) + kCentre * in[x]);
            out[x] = static_cast<std::uint16_t>((total + (1U << 15)) >> 16);
        }
        for (int x = std::max(2, width - 2); x < width; ++x) edge(x);
    }
}

struct Moments {
    double mean = 0, deviation = 0;
};

template <class Values>
Moments momentsOf(const Values& values) {
    std::uint64_t sum = 0, squares = 0;
    for (const std::uint32_t value : values) {
        sum += value;
        squares += value * value;
    }
    if (values.empty()) return {};
    const auto count = static_cast<double>(values.size());
    const double mean = static_cast<double>(sum) / count;
    return {mean, std::sqrt(std::max(0.0, static_cast<double>(squares) / count - mean * mean))};
}

template <class Thumb>
double distance(const Thumb& a, const Thumb& b) {
    return static_cast<double>(absoluteDifference(a.data(), b.data(), a.size())) /
           static_cast<double>(a.size());
}

template <class Thumb>
bool haveOneStructure(const Thumb& a, const Thumb& b) {
    const Moments ofA = momentsOf(a), ofB = momentsOf(b);
    if (ofA.deviation < kMinContrast || ofB.deviation < kMinContrast) return true;
    double products = 0;
    for (std::size_t i = 0; i < a.size(); ++i) products += (a[i] - ofA.mean) * (b[i] - ofB.mean);
    return products / static_cast<double>(a.size()) > kSameStructure * ofA.deviation * ofB.deviation;
}

}  // namespace

void FrameScorer::add(const Picture& picture) {
    scoreAlone(picture);
    m_thumbs[static_cast<std::size_t>(m_count % kRing)] = thumbOf(picture);
    appendRow(false);
    if (m_follows) {
        const auto count = static_cast<double>(picture.pixels());
        m_film.content.back() = rounded(contentScore(m_before.hsv, m_now.hsv));
        m_film.change.back() = rounded(static_cast<double>(absoluteDifference(
                                           m_before.luma.data(), m_now.luma.data(), m_now.luma.size())) /
                                       count);
        m_film.motion.back() =
            rounded(static_cast<double>(absoluteDifference(m_before.blurred.data(), m_now.blurred.data(),
                                                           m_now.blurred.size())) /
                    (16 * count));
    }
    std::swap(m_now, m_before);
    m_follows = true;
}

void FrameScorer::addDamaged() {
    m_film.damaged.push_back(m_count);
    for (auto* column : {&m_film.luma, &m_film.deviation, &m_film.black, &m_film.white}) column->push_back(0);
    m_film.hashes.push_back(0);
    appendRow(true);
    m_follows = false;
}

void FrameScorer::scoreAlone(const Picture& picture) {
    m_now.luma.resize(picture.pixels());
    const std::uint8_t* rgb = picture.rgb;
    for (auto& level : m_now.luma) {
        level = lumaOf(rgb);
        rgb += 3;
    }
    blur(m_now.luma, picture.width, picture.height, m_scratch, m_now.blurred);
    m_now.hsv.assign(picture);
    const auto count = static_cast<double>(picture.pixels());
    const Moments moments = momentsOf(m_now.luma);
    std::uint32_t black = 0, white = 0;
    for (const int level : m_now.luma) {
        black += level <= kBlackLuma;
        white += level >= kWhiteLuma;
    }
    const auto* luma = m_now.luma.data();
    m_film.hashes.push_back(
        differenceHash(luma, picture.width, pictureBox(luma, picture.width, picture.height)));
    m_film.luma.push_back(rounded(moments.mean));
    m_film.deviation.push_back(rounded(moments.deviation));
    m_film.black.push_back(roundedShare(black, count));
    m_film.white.push_back(roundedShare(white, count));
}

void FrameScorer::appendRow(bool isDamaged) {
    for (auto* column : {&m_film.content, &m_film.change, &m_film.motion, &m_film.flash, &m_film.dissolve})
        column->push_back(0);
    m_present[static_cast<std::size_t>(m_count % kRing)] = !isDamaged;
    ++m_count;
    const int flash = m_count - 1 - kFlashFrames;
    if (flash > 0) m_film.flash[static_cast<std::size_t>(flash)] = rounded(flashAt(flash));
    for (const int reach : kReaches) {
        const int middle = m_count - 1 - reach;
        if (middle < reach) continue;
        auto& deepest = m_film.dissolve[static_cast<std::size_t>(middle)];
        deepest = std::max(deepest, rounded(dissolveAt(middle, reach)));
    }
}

FrameScorer::Thumb FrameScorer::thumbOf(const Picture& picture) const {
    Thumb thumb;
    for (int row = 0; row < kThumbRows; ++row) {
        const int top = row * picture.height / kThumbRows;
        const int bottom = std::max((row + 1) * picture.height / kThumbRows, top + 1);
        for (int column = 0; column < kThumbColumns; ++column) {
            const int left = column * picture.width / kThumbColumns;
            const int right = std::max((column + 1) * picture.width / kThumbColumns, left + 1);
            std::uint32_t sum = 0;
            for (int y = top; y < bottom; ++y) {
                const std::uint8_t* line = m_now.luma.data() + static_cast<std::ptrdiff_t>(y) * picture.width;
                for (int x = left; x < right; ++x) sum += line[x];
            }
            thumb[static_cast<std::size_t>(row * kThumbColumns + column)] =
                static_cast<std::uint8_t>(sum / static_cast<std::uint32_t>((bottom - top) * (right - left)));
        }
    }
    return thumb;
}

bool FrameScorer::hasThumb(int frame) const {
    return frame >= 0 && frame < m_count && frame > m_count - 1 - kRing &&
           m_present[static_cast<std::size_t>(frame % kRing)];
}

double FrameScorer::flashAt(int frame) const {
    if (!hasThumb(frame) || !hasThumb(frame - 1)) return 0;
    const Thumb &before = thumb(frame - 1), &now = thumb(frame);
    const double jump = distance(before, now);
    if (jump < kMinJump) return 0;
    double afar = 1;
    // from white all pictures are far: how near two are is measured by their own contrast
    const double ofBefore = std::min(jump, kUnrelated * momentsOf(before).deviation);
    const double ofNow = std::min(jump, kUnrelated * momentsOf(now).deviation);
    const auto compare = [&](const Thumb& picture, double unrelated, int other) {
        if (unrelated > 0 && hasThumb(other))
            afar = std::min(afar, distance(picture, thumb(other)) / unrelated);
    };
    for (int k = 1; k <= kFlashFrames; ++k) {
        compare(before, ofBefore, frame + k);
        compare(now, ofNow, frame - 1 - k);
    }
    return 1 - afar;
}

double FrameScorer::dissolveAt(int frame, int reach) const {
    if (!hasThumb(frame - reach) || !hasThumb(frame) || !hasThumb(frame + reach)) return 0;
    const Thumb &before = thumb(frame - reach), &middle = thumb(frame), &after = thumb(frame + reach);
    const double between = distance(before, after);
    if (between < kMinJump) return 0;
    std::uint32_t twice = 0;  // 2 · |middle − mean of both|
    for (std::size_t i = 0; i < middle.size(); ++i)
        twice += static_cast<std::uint32_t>(std::abs(2 * middle[i] - before[i] - after[i]));
    const double depth = between - static_cast<double>(twice) / static_cast<double>(middle.size());
    if (depth <= 0 || haveOneStructure(before, after)) return 0;
    const double largest = std::min(kLargestShare * between, kLargestStep);
    for (int n = frame - reach + 1; n <= frame + reach; ++n)
        if (!hasThumb(n) || distance(thumb(n - 1), thumb(n)) > largest) return 0;
    return depth;
}

}  // namespace dailies::curation
