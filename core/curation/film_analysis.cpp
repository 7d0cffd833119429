#include "core/curation/film_analysis.h"

#include "core/base/error.h"
#include "core/curation/frame_scores.h"
#include "core/curation/picture_samples.h"
#include "core/video/clip_file.h"
#include "core/video/clip_timing.h"

#include <algorithm>
#include <cmath>

namespace dailies::curation {

namespace {

constexpr int kLongerSide = 256;  ///< PySceneDetect's own downscale
constexpr double kSamplesPerSecond = 2;
constexpr int kMaxDamaged = 250;  ///< in a row: each costs the way from a key frame
constexpr int kReportEvery = 64;

using Layout = video::PixelBuffer::Layout;

struct Canvas {
    Canvas(int w, int h) : width(w), height(h), rgb(std::size_t{3} * w * h) {}

    video::PixelBuffer buffer() {
        return {rgb.data(), width, height, std::ptrdiff_t{3} * width, Layout::Rgb24, true};
    }
    Picture picture() const { return {rgb.data(), width, height}; }

    int width, height;
    std::vector<std::uint8_t> rgb;
};

Canvas smallCanvas(const video::ClipInfo& info) {
    const double factor = std::max(1.0, std::max(info.width, info.height) / static_cast<double>(kLongerSide));
    const auto side = [factor](int own) { return std::max(1, static_cast<int>(std::lround(own / factor))); };
    return {side(info.width), side(info.height)};
}

std::vector<double> variableTimes(const video::ClipReader& reader) {
    const auto timing = video::timingOf(reader);
    std::vector<double> seconds;
    if (timing.isConstantRate()) return seconds;
    for (int n = 0; n < timing.frames(); ++n) seconds.push_back(std::round(timing.secondsOf(n) * 1e6) / 1e6);
    return seconds;
}

}  // namespace

FilmScores analyseFilm(const std::filesystem::path& file, const FramesDecoded& onDecoded,
                       const std::stop_token& stop) {
    video::ClipReader reader(file);
    reader.setInterrupt([&] { return stop.stop_requested(); });
    const auto& info = reader.info();
    FilmScores film;
    film.width = info.width;
    film.height = info.height;
    film.frames = info.frames;
    film.fps = info.fps;
    film.codec = info.codec;
    film.seconds = variableTimes(reader);

    Canvas small = smallCanvas(info), whole(info.width, info.height);
    const int sampleEvery = std::max(1, static_cast<int>(std::lround(info.fps / kSamplesPerSecond)));
    FrameScorer scorer(film);
    int damagedInARow = 0;
    for (int n = 0; n < info.frames; ++n) {
        if (stop.stop_requested()) throw Cancelled();
        try {
            reader.drawFrame(n, small.buffer());
            scorer.add(small.picture());
            damagedInARow = 0;
            if (n % sampleEvery == sampleEvery / 2) {
                reader.drawFrame(n, whole.buffer());
                film.samples.push_back(samplePicture(n, whole.picture()));
            }
        } catch (const Error&) {
            if (++damagedInARow >= std::min(kMaxDamaged, info.frames)) throw;
            scorer.addDamaged();
        }
        if (onDecoded && ((n + 1) % kReportEvery == 0 || n + 1 == info.frames))
            onDecoded((n % kReportEvery) + 1);
    }
    return film;
}

}  // namespace dailies::curation
