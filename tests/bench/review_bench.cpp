// How smoothly the Review page plays a wall of 25 clips of 512×512 at 24 frames a second, and how fast it
// seeks. The rival is the clock: 24 pictures a second on every tile, none of them late.
#include "core/base/files.h"
#include "core/base/text.h"
#include "core/tracking/store.h"
#include "tests/bench/peer.h"
#include "ui/bridge/stall_meter.h"
#include "ui/review/review_page.h"
#include "ui/review/wall_view.h"
#include "ui/theme/theme.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QTest>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <random>

namespace {

using namespace dailies;

constexpr int kClips = 25;
constexpr int kFrames = 240;
constexpr int kSize = 512;
constexpr double kFps = 24;
constexpr int kPlaySeconds = 5;
constexpr int kSeeks = 40;

/// Three kinds of motion, as in the reference measurement: flat colours, a zoom, and noise-like cells (the
/// hardest).
std::vector<std::filesystem::path> makeClips(const std::filesystem::path& folder) {
    const std::string size = std::to_string(kSize) + "x" + std::to_string(kSize);
    const std::vector<std::string> sources{"testsrc2=s=" + size + ":r=24", "mandelbrot=s=" + size + ":r=24",
                                           "life=s=" + size + ":r=24:mold=10:ratio=0.1"};
    std::vector<std::filesystem::path> files;
    for (std::size_t i = 0; i < sources.size(); ++i) {
        files.push_back(folder / (std::to_string(i) + ".mp4"));
        const std::string command = "ffmpeg -nostdin -y -v error -f lavfi -i " + shellQuote(sources[i]) +
                                    " -t 10 -c:v libx264 " + "-preset veryfast -g 24 -pix_fmt yuv420p " +
                                    shellQuote(files.back().string());
        if (std::system(command.c_str()) != 0) std::exit(1);
    }
    return files;
}

std::filesystem::path makeStore(const std::filesystem::path& folder) {
    const auto files = makeClips(folder);
    tracking::Store store(folder / "dailies.db");
    const std::int64_t experiment = store.ensureExperiment("bench");
    for (int i = 0; i < kClips; ++i) {
        tracking::Run run;
        char id[33];
        std::snprintf(id, sizeof id, "%032x", i + 1);
        run.id = id;
        run.name = "run " + std::to_string(i);
        run.experimentId = experiment;
        run.startMs = i;
        store.createRun(run);
        events::Clip clip;
        clip.step = 100;
        clip.prompt = "prompt";
        clip.path = "clip.mp4";
        clip.frames = kFrames;
        clip.width = clip.height = kSize;
        clip.fps = kFps;
        store.ingest(run.id, {events::Event{1, 1, 1, clip}}, 1);
        // A copy each: no file is read twice through one cache line of luck.
        const auto copy = folder / (run.id + ".mp4");
        std::filesystem::copy_file(files[static_cast<std::size_t>(i) % files.size()], copy);
        store.setClipLocalPath(run.id, clip.path, copy.string());
    }
    return store.file();
}

std::vector<std::string> allRuns(const std::filesystem::path& file) {
    std::vector<std::string> ids;
    for (const auto& run : tracking::Store(file, tracking::Store::Mode::ReadOnly).runs())
        ids.push_back(run.id);
    return ids;
}

void measurePlaying(ui::ReviewPage& page) {
    ui::Playhead& playhead = page.player().playhead();
    int shown = 0;
    QObject::connect(&playhead, &ui::Playhead::frameChanged, &page, [&] { ++shown; });
    const int lateBefore = playhead.lateFrames();
    ui::StallMeter stalls;
    const double cpuBefore = test::cpuSeconds();
    playhead.play();
    QTest::qWait(kPlaySeconds * 1000);
    playhead.pause();
    const double cpu = (test::cpuSeconds() - cpuBefore) / kPlaySeconds;
    std::printf(
        "play   %d clips %dx%d: %.1f fps (wanted %.0f, ratio %.3f), %d of %d frames late, %.0f %% CPU, "
        "longest GUI stall %.1f ms, %d over 8 ms\n",
        kClips, kSize, kSize, static_cast<double>(shown) / kPlaySeconds, kFps, shown / (kPlaySeconds * kFps),
        playhead.lateFrames() - lateBefore, shown, 100 * cpu,
        static_cast<double>(stalls.longest().count()) / 1000, stalls.overBudget());
}

void measureSeeking(ui::ReviewPage& page) {
    std::mt19937 random(3);
    std::vector<double> times;
    for (int i = 0; i < kSeeks; ++i) {
        QElapsedTimer clock;
        clock.start();
        page.player().playhead().seek(static_cast<int>(random() % kFrames));
        while (!page.isSettled()) QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
        times.push_back(static_cast<double>(clock.nsecsElapsed()) / 1e6);
    }
    std::sort(times.begin(), times.end());
    std::printf("seek   all %d tiles exact: median %.0f ms, p95 %.0f ms\n", kClips, times[times.size() / 2],
                times[times.size() * 95 / 100]);
}

}  // namespace

int main(int argc, char** argv) {
    if (!qEnvironmentVariableIsSet("DISPLAY")) qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication application(argc, argv);
    ui::Theme::instance().apply(ui::ThemeMode::Dark);
    const TemporaryFolder folder("review-bench");
    const auto file = makeStore(folder.path());

    QElapsedTimer clock;
    clock.start();
    ui::ReviewPage page(file);
    page.setRuns(allRuns(file));
    page.resize(1920, 1080);
    page.show();
    while (!page.isSettled() || page.wall().scene().columns.size() != kClips) QTest::qWait(1);
    std::printf("open   store to %d first pictures: %lld ms\n", kClips,
                static_cast<long long>(clock.elapsed()));
    measurePlaying(page);
    measureSeeking(page);
}
