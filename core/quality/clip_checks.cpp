#include "core/quality/clip_checks.h"

#include "core/base/error.h"
#include "core/video/clip_file.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>

namespace dailies::quality {

namespace {

constexpr double kBlankShare = 0.98;
constexpr double kVividShare = 0.4;
constexpr double kFlatDeviation = 1.5;
constexpr double kStill = 0.001 * 255;
constexpr int kStillFrames = 4;
constexpr double kStillSeconds = 0.5;
constexpr double kFlickering = 3, kStrobing = 12;
constexpr double kFlickeringShare = 0.25;
constexpr double kCutScore = 10;
constexpr double kJump = 2;
constexpr double kJumpAmongOthers = 2.5, kJumpAlone = 5;
constexpr int kJumpReach = 3;
constexpr double kQuiet = 0.25;  ///< motion below this is coding noise
constexpr double kMaxOfClip = 0.75;
constexpr int kSeamFrames = 24;

struct Range {
    int first, last;
    int length() const { return last - first + 1; }
};

/// The stretches of [0, count) where `holds` does.
std::vector<Range> rangesWhere(int count, const std::function<bool(int)>& holds) {
    std::vector<Range> ranges;
    for (int n = 0; n < count; ++n) {
        if (!holds(n)) continue;
        if (!ranges.empty() && ranges.back().last == n - 1)
            ranges.back().last = n;
        else
            ranges.push_back({n, n});
    }
    return ranges;
}

std::string framesText(const Range& range) {
    const std::string first = std::to_string(range.first + 1);
    return range.length() == 1 ? "frame " + first
                               : "frames " + first + " to " + std::to_string(range.last + 1);
}

/// "4, 12 and 20"
std::string listText(const std::vector<int>& numbers) {
    std::string text;
    for (std::size_t i = 0; i < numbers.size(); ++i)
        text += (i == 0 ? "" : i + 1 == numbers.size() ? " and " : ", ") + std::to_string(numbers[i]);
    return text;
}

std::string oneDigit(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.1f", value);
    return text;
}

/// The frames that FFmpeg's `scdet` calls a new scene: min(mafd, |mafd − that of the frame before|), the mean
/// absolute difference in percent. The first change has none before it and is held against the next.
std::vector<int> cutsIn(const std::vector<double>& motion) {
    std::vector<int> cuts;
    const auto percent = [&](std::size_t n) { return motion[n] * 100 / 255; };
    for (std::size_t n = 1; n < motion.size(); ++n) {
        const double other = n > 1 ? percent(n - 1) : motion.size() > 2 ? percent(2) : 0;
        if (std::min(percent(n), std::abs(percent(n) - other)) >= kCutScore)
            cuts.push_back(static_cast<int>(n));
    }
    return cuts;
}

/// How often the motion into frame n is that of the liveliest of its neighbours.
double jumpAt(const std::vector<double>& motion, int n) {
    double around = kQuiet;
    for (int other = std::max(n - kJumpReach, 1);
         other <= std::min(n + kJumpReach, static_cast<int>(motion.size()) - 1); ++other)
        if (other != n) around = std::max(around, motion[static_cast<std::size_t>(other)]);
    return motion[static_cast<std::size_t>(n)] / around;
}

bool evenlySpaced(const std::vector<int>& frames) {
    int least = frames[1] - frames[0];
    for (std::size_t i = 1; i < frames.size(); ++i) least = std::min(least, frames[i] - frames[i - 1]);
    return least > kJumpReach && std::all_of(frames.begin(), frames.end(),
                                             [&](int frame) { return (frame - frames[0]) % least == 0; });
}

/// The frames at which chunks meet.
std::vector<int> chunkBorders(const std::vector<double>& motion, const std::vector<int>& cuts) {
    std::vector<int> jumps;
    if (motion.size() < 2 * kJumpReach + 1) return jumps;
    for (int n = 1; n < static_cast<int>(motion.size()); ++n)
        if (motion[static_cast<std::size_t>(n)] >= kJump && jumpAt(motion, n) >= kJumpAmongOthers &&
            std::find(cuts.begin(), cuts.end(), n) == cuts.end())
            jumps.push_back(n);
    const bool chunked = jumps.size() > 1 && evenlySpaced(jumps);
    if (!chunked) std::erase_if(jumps, [&](int n) { return jumpAt(motion, n) < kJumpAlone; });
    return jumps;
}

}  // namespace

ClipChecks::ClipChecks(int frames, double fps) : m_frames(frames), m_fps(fps) {}

void ClipChecks::add(const PictureView& picture) {
    Luma luma = lumaOf(picture);
    LumaBlocks blocks = blocksOf(luma);
    const auto n = m_facts.size();
    if (n > 0 && (luma.width != m_lastLuma.width || luma.height != m_lastLuma.height))
        throw std::invalid_argument("The frames of a clip are of one size.");
    m_facts.push_back(frameStats(picture, luma));
    m_motion.push_back(n > 0 ? motion(m_lastLuma, luma) : 0);
    m_flicker.push_back(0);
    if (n > 1) m_flicker[n - 1] = flicker(m_blocksBefore, m_lastBlocks, blocks);
    if (const auto frame = static_cast<int>(n); frame % std::max(m_frames / kSeamFrames, 1) == 0)
        m_seams.add(luma, std::min(frame * TileSeamDetector::kThirds / std::max(m_frames, 1),
                                   TileSeamDetector::kThirds - 1));
    m_blocksBefore = std::exchange(m_lastBlocks, std::move(blocks));
    m_lastLuma = std::move(luma);
}

bool ClipChecks::isBlank(std::size_t frame) const {
    const FrameStats& facts = m_facts[frame];
    return facts.dark >= kBlankShare || facts.white >= kBlankShare || facts.deviation < kFlatDeviation;
}

std::vector<Finding> ClipChecks::findings() const {
    std::vector<Finding> found;
    const int count = static_cast<int>(m_facts.size());
    const auto severityOf = [&](const Range& range) {
        return range.length() >= kMaxOfClip * count ? Severity::Failure : Severity::Warning;
    };
    const auto report = [&](Check check, const std::vector<Range>& ranges, const std::string& what) {
        for (const Range& range : ranges)
            found.push_back(
                {check, severityOf(range), range.first, range.last, what + framesText(range) + "."});
    };
    const auto where = [&](auto holds) {
        return rangesWhere(count, [&](int n) { return holds(m_facts[static_cast<std::size_t>(n)]); });
    };

    const auto noise = where([](const FrameStats& facts) { return facts.noise; });
    report(Check::Noise, noise, "Nothing but noise in ");
    report(Check::Black, where([](const FrameStats& facts) { return facts.dark >= kBlankShare; }),
           "The picture is black in ");
    report(Check::Flat, where([](const FrameStats& facts) {
               return facts.deviation < kFlatDeviation && facts.dark < kBlankShare &&
                      facts.white < kBlankShare;
           }),
           "The picture is one flat colour in ");
    report(Check::Saturated, where([](const FrameStats& facts) { return facts.white >= kBlankShare; }),
           "The picture is blown out to white in ");
    report(Check::Saturated, where([](const FrameStats& facts) { return facts.vivid >= kVividShare; }),
           "Colours are saturated, as after too much guidance, in ");

    const int stillLongest = std::max(kStillFrames, static_cast<int>(std::ceil(kStillSeconds * m_fps)));
    const int stillNeeded = std::max(std::min(stillLongest, count - 1), 1);
    for (const Range& changes : rangesWhere(count, [&](int n) {
             const auto frame = static_cast<std::size_t>(n);
             return n > 0 && m_motion[frame] <= kStill && !isBlank(frame);
         })) {
        if (changes.length() < stillNeeded) continue;
        const Range frames{changes.first - 1, changes.last};
        found.push_back({Check::Frozen, severityOf(frames), frames.first, frames.last,
                         "The picture stands still in " + framesText(frames) + "."});
    }

    int noisy = 0;
    for (const Range& range : noise) noisy += range.length();
    if (2 * noisy < count) {
        const auto flickering =
            rangesWhere(count, [&](int n) { return m_flicker[static_cast<std::size_t>(n)] >= kFlickering; });
        int frames = 0;
        for (const Range& range : flickering) frames += range.length();
        if (frames > 0 && frames >= kFlickeringShare * count) {
            const Range whole{flickering.front().first, flickering.back().last};
            const double worst = *std::max_element(m_flicker.begin(), m_flicker.end());
            found.push_back({Check::Flicker,
                             worst >= kStrobing && severityOf(whole) == Severity::Failure ? Severity::Failure
                                                                                          : Severity::Warning,
                             whole.first, whole.last,
                             "Brightness flickers by up to " + oneDigit(worst) + " of 255 levels in " +
                                 framesText(whole) + "."});
        }
        const std::vector<int> cuts = cutsIn(m_motion);
        for (const int cut : cuts)
            found.push_back(
                {Check::Cut, Severity::Warning, cut, cut, "Scene cut at " + std::to_string(cut + 1) + "."});
        if (std::vector<int> borders = chunkBorders(m_motion, cuts); !borders.empty()) {
            const Range range{borders.front(), borders.back()};
            for (int& frame : borders) ++frame;
            found.push_back({Check::Seam, Severity::Warning, range.first, range.last,
                             "The picture jumps at frame " + listText(borders) +
                                 ", as where chunks of a long video meet."});
        }
        const TileSeamDetector::Lines lines = m_seams.find();
        const auto addLines = [&](const std::vector<int>& at, const char* what) {
            if (!at.empty())
                found.push_back({Check::Seam, Severity::Warning, 0, std::max(count - 1, 0),
                                 std::string("A straight line runs through the picture at ") + what + " " +
                                     listText(at) + ", as where tiles meet."});
        };
        addLines(lines.columns, "x =");
        addLines(lines.rows, "y =");
    }
    std::stable_sort(found.begin(), found.end(), [](const Finding& a, const Finding& b) {
        return a.severity != b.severity ? a.severity > b.severity : a.firstFrame < b.firstFrame;
    });
    return found;
}

std::vector<Finding> checkClip(const std::filesystem::path& file, const std::stop_token& stop) {
    int frame = 0, frames = 0;
    std::optional<ClipChecks> checks;
    std::string problem;
    try {
        video::ClipReader reader(file);
        const video::ClipInfo& info = reader.info();
        frames = info.frames;
        checks.emplace(info.frames, info.fps);
        std::vector<std::uint32_t> pixels(static_cast<std::size_t>(info.width) * info.height);
        for (; frame < info.frames; ++frame) {
            if (stop.stop_requested()) throw Cancelled();
            reader.drawFrame(frame, {reinterpret_cast<std::uint8_t*>(pixels.data()), info.width, info.height,
                                     std::ptrdiff_t{4} * info.width, video::PixelBuffer::Layout::Rgb32});
            checks->add({pixels.data(), info.width, info.height, info.width});
        }
    } catch (const Error& error) {
        problem = error.what();
    }
    std::vector<Finding> found = checks ? checks->findings() : std::vector<Finding>{};
    if (!problem.empty())
        found.insert(found.begin(),
                     {Check::Unreadable, Severity::Failure, frame, std::max(frames - 1, frame), problem});
    return found;
}

}  // namespace dailies::quality
