// Clips a second from WebDataset shards, against PyAV + webdataset on the same shards in the same run, and
// how long a step waits for its clips.
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/json.h"
#include "core/base/process.h"
#include "core/video/clip_file.h"
#include "tests/support/folders.h"
#include "tests/trainer/data/shards.h"
#include "trainer/data/batch_order.h"
#include "trainer/data/prefetch.h"
#include "trainer/data/webdataset.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <sys/resource.h>
#include <thread>

namespace {

using namespace dailies;
using namespace dailies::trainer;

constexpr int kShards = 4, kVideos = 12, kFrames = 96, kBatch = 8;
constexpr int kClips = 3 * kShards * kVideos;  // of 16 frames at 12 a second, three a video

double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// User and system, all threads.
double cpuSeconds() {
    rusage used{};
    ::getrusage(RUSAGE_SELF, &used);
    const auto seconds = [](const timeval& t) {
        return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
    };
    return seconds(used.ru_utime) + seconds(used.ru_stime);
}

/// Moving bands with some texture: no flat colour, which would decode for nothing.
std::string videoOf(int number) {
    constexpr int kWidth = 320, kHeight = 240;
    std::vector<video::Frame> frames;
    for (int t = 0; t < kFrames; ++t) {
        video::Frame frame{kWidth, kHeight, std::vector<std::uint8_t>(std::size_t{3} * kWidth * kHeight)};
        std::array<double, 3 * kWidth> across;
        for (int i = 0; i < 3 * kWidth; ++i)
            across[static_cast<std::size_t>(i)] = 128 + 60 * std::sin(0.05 * (i / 3 + 2 * t + 40 * (i % 3)));
        for (int y = 0; y < kHeight; ++y) {
            const double down = 50 * std::sin(0.07 * (y - t) + number);
            for (int i = 0; i < 3 * kWidth; ++i)
                frame.rgb[static_cast<std::size_t>(y * 3 * kWidth + i)] = static_cast<std::uint8_t>(
                    across[static_cast<std::size_t>(i)] + down + (i / 3 * 7 + y * 13 + t * 5) % 11);
        }
        frames.push_back(std::move(frame));
    }
    const TemporaryFolder folder;
    return readFile(
        video::writeClip(folder.path() / "a.mp4", frames, {.fps = 24, .crf = 23, .gopFrames = 24}));
}

config::TrainConfig configOf(const std::filesystem::path& shards, const std::string& bucket) {
    config::TrainConfig config;
    config.data.source = "webdataset";
    config.data.shards = {shards.string()};
    config.data.buckets = {bucket};
    config.data.batch_size = kBatch;
    return config;
}

struct Rate {
    double clipsPerSecond = 0, cpuSecondsPerClip = 0;
};

Rate ours(const config::TrainConfig& config, WebDataset& source) {
    const auto order = makeBatchOrder(config, source.bucketSizes(), bucketTokens(config), 1);
    Prefetch prefetch(
        source, [&](std::int64_t step) { return order->batch(step); }, 0);
    const double began = now(), cpu = cpuSeconds();
    for (std::int64_t step = 1; step <= kClips / kBatch; ++step) prefetch.take(step);
    return {kClips / (now() - began), (cpuSeconds() - cpu) / kClips};
}

Rate theirs(const std::filesystem::path& shards) {
    const auto result = runProcess(
        {DAILIES_SOURCE_FOLDER "/tests/interop/trainer/with_torch.sh",
         DAILIES_SOURCE_FOLDER "/tests/bench/loader_peer.py", shards.string(), std::to_string(kClips)},
        {.timeout = std::chrono::minutes(10)});
    if (!result.ok()) throw Error("PyAV's side failed: " + result.err + result.out);
    const auto json = parseJson(result.out, "loader_peer.py");
    return {json.at("clips_per_second"), json.at("cpu_seconds_per_clip")};
}

void compareRates(const std::filesystem::path& shards, const std::filesystem::path& cache) {
    const auto config = configOf(shards, "16x128x128@12");
    const double began = now();
    WebDataset source(config.data, {cache, 0, 1, {}});
    std::printf("index of %d videos: %.2f s; kept: ", kShards * kVideos, now() - began);
    const double again = now();
    WebDataset(config.data, {cache, 0, 1, {}});
    std::printf("%.2f s (both with 64 clips decoded for the pixel scale)\n", now() - again);
    std::vector<double> byTime, byCpu;
    for (int i = 0; i < 3; ++i) {
        const auto we = ours(config, source), they = theirs(shards);
        byTime.push_back(we.clipsPerSecond / they.clipsPerSecond);
        byCpu.push_back(they.cpuSecondsPerClip / we.cpuSecondsPerClip);
        std::printf(
            "clips a second, one thread: ours %.1f (%.1f ms of CPU a clip), PyAV + webdataset %.1f (%.1f "
            "ms)\n",
            we.clipsPerSecond, 1e3 * we.cpuSecondsPerClip, they.clipsPerSecond, 1e3 * they.cpuSecondsPerClip);
    }
    std::ranges::sort(byTime);
    std::ranges::sort(byCpu);
    std::printf("ours / PyAV + webdataset: x%.2f by the clock, x%.2f by CPU time (medians of 3)\n", byTime[1],
                byCpu[1]);
}

/// Steps that compute for a while, as the demo's do, on clips of the demo's size.
void measureWait(const std::filesystem::path& shards, const std::filesystem::path& cache) {
    constexpr double kStep = 0.15;  // seconds; the demo's step on one core
    constexpr int kSteps = 40;
    auto config = configOf(shards, "8x32x32@8");
    config.data.batch_size = 16;
    WebDataset source(config.data, {cache, 0, 1, {}});
    for (const std::int64_t workers : {0, 1, 2}) {
        const auto order = makeBatchOrder(config, source.bucketSizes(), bucketTokens(config), 1);
        Prefetch prefetch(
            source, [&](std::int64_t step) { return order->batch(step); }, workers);
        prefetch.take(1);
        double waited = 0;
        const double began = now();
        for (std::int64_t step = 2; step < 2 + kSteps; ++step) {
            // asleep like the thread that waits for a GPU; on CPUs the workers give way to it
            std::this_thread::sleep_for(std::chrono::duration<double>(kStep));
            prefetch.take(step);
            waited += prefetch.waited();
        }
        std::printf(
            "data wait of a step of %.0f ms, 16 clips of 8x32x32, %lld workers: %.2f %% of the step\n",
            1e3 * kStep, static_cast<long long>(workers), 100 * waited / (now() - began));
    }
}

}  // namespace

int main() {
    const TemporaryFolder shards, cache;
    for (int s = 0; s < kShards; ++s) {
        Members members;
        for (int v = 0; v < kVideos; ++v) {
            const auto key = std::to_string(s * kVideos + v);
            members.emplace_back(key + ".mp4", videoOf(s * kVideos + v));
            members.emplace_back(key + ".txt", "video " + key);
        }
        writeFileAtomically(shards.path() / ("s" + std::to_string(s) + ".tar"), tarOf(members));
    }
    try {
        compareRates(shards.path(), cache.path());
        measureWait(shards.path(), cache.path());
        return 0;
    } catch (const Error& error) {
        std::fprintf(stderr, "%s\n", error.full().c_str());
        return 1;
    }
}
