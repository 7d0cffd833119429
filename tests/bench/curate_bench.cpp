// Frames of film a second that curation scores, against PySceneDetect's AdaptiveDetector, which finds nothing
// but cuts, on the same films in the same run.
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/curation/curate.h"
#include "core/video/clip_writer.h"
#include "tests/bench/peer.h"
#include "tests/core/curation/made_film.h"

#include <algorithm>
#include <cstdio>
#include <string>
#include <thread>

namespace {

using namespace dailies;

constexpr int kFilms = 2, kShots = 4, kShotFrames = 60;

/// Shots of moving texture, enlarged smoothly to the wanted size.
void writeFilm(const std::filesystem::path& file, int number, int width, int height) {
    video::ClipWriter writer(file, {.fps = 24, .crf = 23, .gopFrames = 48, .quick = false});
    for (int shot = 0; shot < kShots; ++shot) {
        const curation::Scene scene(10 * number + shot);
        for (int t = 0; t < kShotFrames; ++t) {
            const auto small = scene.frame(t, 1.5, 3);
            video::Frame large{width, height, std::vector<std::uint8_t>(std::size_t{3} * width * height)};
            for (int y = 0; y < height; ++y) {
                const double v = static_cast<double>(y) * (small.height - 1) / height;
                const int top = static_cast<int>(v), down = static_cast<int>(256 * (v - top));
                for (int x = 0; x < width; ++x) {
                    const double u = static_cast<double>(x) * (small.width - 1) / width;
                    const int left = static_cast<int>(u), across = static_cast<int>(256 * (u - left));
                    const std::uint8_t* a =
                        &small.rgb[static_cast<std::size_t>(3 * (top * small.width + left))];
                    const std::uint8_t* b = a + std::ptrdiff_t{3} * small.width;
                    for (int c = 0; c < 3; ++c)
                        large.rgb[static_cast<std::size_t>(3 * (y * width + x) + c)] =
                            static_cast<std::uint8_t>(
                                ((a[c] * (256 - across) + a[c + 3] * across) * (256 - down) +
                                 (b[c] * (256 - across) + b[c + 3] * across) * down) >>
                                16);
                }
            }
            writer.add(large);
        }
    }
    writer.finish();
}

struct Rate {
    double frames = 0, seconds = 0, cpuSeconds = 0;
};

Rate ours(const std::filesystem::path& films, unsigned threads) {
    const TemporaryFolder out;
    curation::CurateOptions options;
    options.films = {films};
    options.out = out.path();
    options.threads = threads;
    std::int64_t frames = 0;
    const double cpu = test::cpuSeconds();
    const auto began = std::chrono::steady_clock::now();
    curation::curate(options, [&](const auto& progress) { frames = progress.framesDecoded; });
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
    return {static_cast<double>(frames), took.count(), test::cpuSeconds() - cpu};
}

Rate theirs(const std::filesystem::path& films) {
    const auto json = test::mlflowPeer("curate_peer.py", {films.string()});
    return {json.at("frames"), json.at("seconds"), json.at("cpu_seconds")};
}

void compare(int width, int height) {
    const TemporaryFolder films;
    for (int i = 0; i < kFilms; ++i) writeFilm(films.path() / (std::to_string(i) + ".mp4"), i, width, height);
    const unsigned cores = std::thread::hardware_concurrency();
    std::vector<double> byClock, byCpu;
    for (int i = 0; i < 3; ++i) {
        const Rate we = ours(films.path(), cores), alone = ours(films.path(), 1), they = theirs(films.path());
        if (we.frames != they.frames) throw Error("PySceneDetect decoded another number of frames.");
        std::printf(
            "%dx%d: ours %.0f frames a second on %u threads, %.0f on one, %.2f ms of CPU a frame; "
            "PySceneDetect %.0f, %.2f ms\n",
            width, height, we.frames / we.seconds, cores, alone.frames / alone.seconds,
            1e3 * we.cpuSeconds / we.frames, they.frames / they.seconds, 1e3 * they.cpuSeconds / they.frames);
        byClock.push_back(they.seconds / we.seconds);
        byCpu.push_back(they.cpuSeconds / we.cpuSeconds);
    }
    std::ranges::sort(byClock);
    std::ranges::sort(byCpu);
    std::printf("%dx%d: ours / PySceneDetect: x%.2f by the clock, x%.2f by CPU time (medians of 3)\n", width,
                height, byClock[1], byCpu[1]);
}

}  // namespace

int main() {
    try {
        compare(1920, 1080);
        compare(640, 360);
        return 0;
    } catch (const Error& error) {
        std::fprintf(stderr, "%s\n", error.full().c_str());
        return 1;
    }
}
