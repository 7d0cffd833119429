// How smoothly the Review page plays a wall of 25 clips of 512×512 at 24 frames a second, how fast it seeks
// and steps back, and what CPU it takes beside mpv (Debian package mpv) playing the same grid in the same
// run; the same seeks on clips that others encoded, whose key frames are 250 frames apart, without and with
// proxies; then how soon
// 5,000 clips show their first screen, beside ffmpeg decoding the same first frames, and whether scrolling
// over them holds up the GUI thread. Other rivals are the clock (24 pictures a second on every tile, none of
// them late) and the budgets of the design. Run it under xvfb-run, so that both players show their pictures
// on a display. An argument ("wall", "foreign", "thumbs") measures that part alone;
// "gaps" how seeks get slower the farther key frames are apart.
#include "core/base/files.h"
#include "core/base/text.h"
#include "core/tracking/store.h"
#include "core/video/proxy_folder.h"
#include "tests/bench/peer.h"
#include "ui/bridge/stall_meter.h"
#include "ui/playback/frame_service.h"
#include "ui/review/review_page.h"
#include "ui/theme/theme.h"
#include "ui/wall/wall_view.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QScrollBar>
#include <QTest>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <string_view>

namespace {

using namespace dailies;

constexpr int kClips = 25;
constexpr int kFrames = 240;
constexpr int kSize = 512;
constexpr double kFps = 24;
constexpr int kPlaySeconds = 5;
constexpr int kSeeks = 40;
constexpr const char* kAsTheTrainer = "-crf 18 -g 3 -bf 0 -coder cavlc";  ///< how it encodes clips
constexpr int kColumns = 5;                                               ///< of mpv's grid
constexpr int kMpvTile = 196;  ///< pixels: the page's tiles at 1920×1080
constexpr int kThumbnailRuns = 50, kThumbnailPrompts = 100;
constexpr double kFirstScreenMs = 200, kSeekMs = 50, kOpenMs = 500;
constexpr double kBeforeProxyMs = 400, kByProxyMs = 60;

/// Three kinds of motion, as in the reference measurement: flat colours, a zoom, and noise-like cells (the
/// hardest).
std::vector<std::filesystem::path> makeClips(const std::filesystem::path& folder,
                                             const std::string& encoding) {
    const std::string size = std::to_string(kSize) + "x" + std::to_string(kSize);
    const std::vector<std::string> sources{"testsrc2=s=" + size + ":r=24", "mandelbrot=s=" + size + ":r=24",
                                           "life=s=" + size + ":r=24:mold=10:ratio=0.1"};
    std::vector<std::filesystem::path> files;
    for (std::size_t i = 0; i < sources.size(); ++i) {
        files.push_back(folder / (std::to_string(i) + ".mp4"));
        const std::string command = "ffmpeg -nostdin -y -v error -f lavfi -i " + shellQuote(sources[i]) +
                                    " -t 10 -c:v libx264 " + "-preset veryfast -pix_fmt yuv420p " + encoding +
                                    " " + shellQuote(files.back().string());
        if (std::system(command.c_str()) != 0) std::exit(1);
    }
    return files;
}

std::string addRun(tracking::Store& store, std::int64_t experiment, int number) {
    tracking::Run run;
    char id[33];
    std::snprintf(id, sizeof id, "%032x", number + 1);
    run.id = id;
    run.name = "run " + std::to_string(number);
    run.experimentId = experiment;
    run.startMs = number;
    store.createRun(run);
    return run.id;
}

events::Clip clipOf(const std::string& prompt, const std::string& path, int frames, int size, double fps) {
    events::Clip clip;
    clip.step = 100;
    clip.prompt = prompt;
    clip.path = path;
    clip.frames = frames;
    clip.width = clip.height = size;
    clip.fps = fps;
    return clip;
}

std::filesystem::path makeStore(const std::filesystem::path& folder, const std::string& encoding) {
    std::filesystem::create_directory(folder);
    const auto files = makeClips(folder, encoding);
    tracking::Store store(folder / "dailies.db");
    const std::int64_t experiment = store.ensureExperiment("bench");
    for (int i = 0; i < kClips; ++i) {
        const std::string id = addRun(store, experiment, i);
        store.ingest(id, {events::Event{1, 1, 1, clipOf("prompt", "clip.mp4", kFrames, kSize, kFps)}}, 1);
        // A copy each: no file is read twice through one cache line of luck.
        const auto copy = folder / (id + ".mp4");
        std::filesystem::copy_file(files[static_cast<std::size_t>(i) % files.size()], copy);
        store.setClipLocalPath(id, "clip.mp4", copy.string());
    }
    return store.file();
}

/// The CPU that ffmpeg takes to decode the first frames of these files, at the tiles' size, in one process.
double ffmpegCpuSeconds(const std::vector<std::string>& files) {
    std::vector<std::string> words{"ffmpeg", "-nostdin", "-v", "error", "-y"};
    for (const std::string& file : files) words.insert(words.end(), {"-threads", "1", "-i", file});
    for (std::size_t i = 0; i < files.size(); ++i)
        words.insert(words.end(),
                     {"-map", std::to_string(i) + ":v", "-frames:v", "1", "-s", "96x96", "-sws_flags",
                      "fast_bilinear", "-pix_fmt", "bgra", "-f", "rawvideo", "/dev/null"});
    const double before = test::childCpuSeconds();
    const auto decoded = runProcess(words, {.timeout = std::chrono::minutes(1)});
    if (!decoded.ok()) std::printf("ffmpeg failed: %s\n", decoded.err.c_str());
    return test::childCpuSeconds() - before;
}

/// 5,000 clips as the moving-shapes preset samples them: 256×256, 16 frames.
std::filesystem::path makeThumbnailStore(const std::filesystem::path& folder) {
    const auto source = folder / "source.mp4";
    const std::string command =
        "ffmpeg -nostdin -y -v error -f lavfi -i testsrc2=s=256x256:r=8 -frames:v 16 -c:v libx264 "
        "-preset veryfast -pix_fmt yuv420p -movflags +faststart " +
        std::string(kAsTheTrainer) + " " + shellQuote(source.string());
    if (std::system(command.c_str()) != 0) std::exit(1);
    tracking::Store store(folder / "thumbnails.db");
    const std::int64_t experiment = store.ensureExperiment("bench");
    for (int i = 0; i < kThumbnailRuns; ++i) {
        const std::string id = addRun(store, experiment, i);
        std::vector<events::Event> clips;
        for (int prompt = 0; prompt < kThumbnailPrompts; ++prompt) {
            const std::string path = std::to_string(prompt) + ".mp4";
            clips.push_back({prompt + 1, 1, 1, clipOf("prompt " + std::to_string(prompt), path, 16, 256, 8)});
        }
        store.ingest(id, clips, 1);
        std::filesystem::create_directory(folder / id);
        for (int prompt = 0; prompt < kThumbnailPrompts; ++prompt) {
            const std::string path = std::to_string(prompt) + ".mp4";
            std::filesystem::copy_file(source, folder / id / path);
            store.setClipLocalPath(id, path, (folder / id / path).string());
        }
    }
    return store.file();
}

std::vector<std::string> allRuns(const std::filesystem::path& file) {
    std::vector<std::string> ids;
    for (const auto& run : tracking::Store(file, tracking::Store::Mode::ReadOnly).runs())
        ids.push_back(run.id);
    return ids;
}

/// Frames by which a tile is off at this tick, the most of all; a picture that is missing counts as all of
/// them.
int syncError(ui::ReviewPage& page, int tick) {
    int worst = 0;
    for (const ui::PlayedClip& clip : page.wall().visibleClips(page.wall().scene())) {
        const ui::DecodedFrame* frame = page.player().current(clip);
        worst = std::max(worst, frame ? std::abs(frame->key.frame - tick) : kFrames);
    }
    return worst;
}

/// Returns the CPU seconds that each picture of the wall took.
double measurePlaying(ui::ReviewPage& page) {
    ui::Playhead& playhead = page.player().playhead();
    int shown = 0, error = 0;
    QObject::connect(&playhead, &ui::Playhead::frameChanged, &page, [&](int tick) {
        ++shown;
        error = std::max(error, syncError(page, tick));
    });
    const int lateBefore = playhead.lateFrames();
    ui::StallMeter stalls;
    const double cpuBefore = test::cpuSeconds();
    playhead.play();
    QTest::qWait(kPlaySeconds * 1000);
    playhead.pause();
    const double cpu = test::cpuSeconds() - cpuBefore;
    const int late = playhead.lateFrames() - lateBefore;
    std::printf(
        "play   %d clips %dx%d: %.1f fps (wanted %.0f, ratio %.3f), late %d of %d ticks (%.1f %%), sync "
        "error %d frames, "
        "%.0f %% CPU, longest GUI stall %.1f ms, %d over 8 ms\n",
        kClips, kSize, kSize, static_cast<double>(shown) / kPlaySeconds, kFps, shown / (kPlaySeconds * kFps),
        late, shown, 100.0 * late / std::max(shown, 1), error, 100 * cpu / kPlaySeconds,
        static_cast<double>(stalls.longest().count()) / 1000, stalls.overBudget());
    return cpu / std::max(shown, 1);
}

/// The CPU that mpv takes for the same clips in a grid; nothing where it is not installed. Both are counted
/// by the picture of the whole wall, for on a busy machine ours shows fewer in the same time and mpv takes
/// longer.
void compareWithMpv(const std::vector<std::string>& files, double ourCpu) {
    if (!findProgram("mpv") || !qEnvironmentVariableIsSet("DISPLAY")) {
        std::printf("mpv    not compared: it needs the Debian package mpv and a display (xvfb-run)\n");
        return;
    }
    std::string graph, inputs, layout, others;
    for (int i = 0; i < kClips; ++i) {
        const std::string n = std::to_string(i + 1), size = std::to_string(kMpvTile);
        graph += "[vid" + n + "]scale=" + size + ":" + size + ":flags=fast_bilinear[t" + n + "];";
        inputs += "[t" + n + "]";
        layout += (i ? "|" : "") + std::to_string(i % kColumns * kMpvTile) + "_" +
                  std::to_string(i / kColumns * kMpvTile);
        if (i > 0) others += (i > 1 ? ":" : "") + files[static_cast<std::size_t>(i)];
    }
    graph += inputs + "xstack=inputs=" + std::to_string(kClips) + ":layout=" + layout + "[vo]";
    const double before = test::childCpuSeconds();
    const auto played =
        runProcess({"mpv", "--no-config", "--no-audio", "--no-terminal", "--vo=x11", "--vd-lavc-threads=1",
                    "--sws-fast=yes", "--osc=no", "--length=" + std::to_string(kPlaySeconds),
                    "--external-files=" + others, "--lavfi-complex=" + graph, files.front()},
                   {.timeout = std::chrono::minutes(2)});
    const double cpu = (test::childCpuSeconds() - before) / (kPlaySeconds * kFps);
    std::printf(
        "mpv    the same grid: %.1f CPU ms a picture of the wall%s; ours %.1f, ratio mpv ÷ ours %.2f\n",
        1e3 * cpu, played.ok() ? "" : " (it failed)", 1e3 * ourCpu, cpu / ourCpu);
}

/// Returns the p95.
double printTimes(const char* what, std::vector<double> times, double budget) {
    std::sort(times.begin(), times.end());
    const double p95 = times[times.size() * 95 / 100];
    std::printf("%-6s all %d tiles: median %.1f ms, p95 %.1f ms (wanted %.0f, ratio %.2f)\n", what, kClips,
                times[times.size() / 2], p95, budget, p95 / budget);
    return p95;
}

/// Until every tile has its clip's own picture, or any of that frame. Returns the p95.
enum class Until { OwnPictures, Pictures };
double measureSeeking(ui::ReviewPage& page, const char* what, const std::function<int(int)>& target,
                      Until until = Until::OwnPictures, double budget = kSeekMs) {
    const auto isThere = [&] {
        return until == Until::OwnPictures ? page.isSettled() : page.player().hasPictures();
    };
    std::vector<double> times;
    for (int i = 0; i < kSeeks; ++i) {
        const int frame = target(page.player().playhead().frame());
        QElapsedTimer clock;
        clock.start();
        page.player().playhead().seek(frame);
        while (!isThere()) QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
        times.push_back(static_cast<double>(clock.nsecsElapsed()) / 1e6);
        QTest::qWait(30);
    }
    return printTimes(what, times, budget);
}

/// Whether every frame of the clips on screen is in the cache.
bool isAllAtHand(ui::ReviewPage& page) {
    const auto clips = page.wall().visibleClips(page.wall().scene());
    return std::all_of(clips.begin(), clips.end(), [&](const ui::PlayedClip& clip) {
        const auto* frames = page.player().cache().framesOf(clip.file, clip.box);
        return frames && frames->size() == kFrames;
    });
}

int anyFrame() {
    static std::mt19937 random(3);
    return static_cast<int>(random() % kFrames);
}

int frameBefore(int frame) {
    return frame > 0 ? frame - 1 : kFrames - 1;
}

/// Nothing of what was decoded is there any more.
void emptyCache(ui::ReviewPage& page) {
    page.player().cache().setLimit(0);
    page.player().cache().setLimit(std::size_t{2} << 30);
}

void openWall(ui::ReviewPage& page, const std::filesystem::path& file) {
    page.setRuns(allRuns(file));
    page.resize(1920, 1080);
    page.show();
    while (!page.isSettled() || page.wall().scene().columns.size() != kClips) QTest::qWait(1);
    emptyCache(page);
}

/// How far apart key frames may be until a proxy is worth it.
void measureGaps(const std::filesystem::path& folder) {
    for (const int gap : {3, 6, 9, 12, 16, 24, 48}) {
        const auto file = makeStore(folder / ("gap" + std::to_string(gap)),
                                    "-g " + std::to_string(gap) + " -bf 3 -x264-params scenecut=0");
        ui::ReviewPage page(file);
        openWall(page, file);
        std::printf("key frames %d frames apart:\n", gap);
        measureSeeking(page, "seek", [](int) { return anyFrame(); });
    }
}

/// The same clips as others encode them, beside ours in the same run.
void measureForeignClips(const std::filesystem::path& folder) {
    const auto any = [](int) { return anyFrame(); };
    double ours = 0;
    {
        const auto file = makeStore(folder / "own", kAsTheTrainer);
        ui::ReviewPage page(file);
        openWall(page, file);
        std::printf("our own clips:\n");
        ours = measureSeeking(page, "seek", any);
    }
    const auto file = makeStore(folder / "foreign", "-g 250 -bf 3");
    std::printf("one group of pictures a clip (key frames 250 frames apart, B-frames), without proxies:\n");
    {
        ui::ReviewPage page(file);
        openWall(page, file);
        const double foreign = measureSeeking(page, "seek", any, Until::OwnPictures, kBeforeProxyMs);
        std::printf("       %.1f times our own clips\n", foreign / ours);
        measureSeeking(page, "back", frameBefore);
        emptyCache(page);
        page.player().playhead().seek(0);
        QElapsedTimer clock;
        clock.start();
        while (!isAllAtHand(page) && clock.elapsed() < 60'000) QTest::qWait(10);
        std::printf("pause  until every frame is at hand: %.1f s\n",
                    static_cast<double>(clock.elapsed()) / 1000);
        measureSeeking(page, "rested", any);
        measureSeeking(page, "back", frameBefore);
    }
    const video::ProxyFolder proxies(folder / "proxies", std::uint64_t{1} << 30, 0);
    const auto service = ui::FrameService::shared();
    service->setProxyFolder(proxies);
    ui::ReviewPage page(file);
    openWall(page, file);
    std::printf("while their proxies are made:\n");
    QElapsedTimer clock;
    clock.start();
    measureSeeking(page, "seek", any, Until::Pictures, kBeforeProxyMs);
    const auto haveAll = [&] {
        const auto clips = page.wall().visibleClips(page.wall().scene());
        return std::ranges::all_of(
            clips, [&](const ui::PlayedClip& clip) { return service->proxyOf(clip.file) != nullptr; });
    };
    while (!haveAll() && clock.elapsed() < 120'000) QTest::qWait(10);
    std::printf("made   %d of %d proxies after %.1f s, %.1f MB\n", proxies.use().files, kClips,
                static_cast<double>(clock.elapsed()) / 1000, static_cast<double>(proxies.use().bytes) / 1e6);
    std::printf("by their proxies:\n");
    QTest::qWait(1000);  // who comes back to a wall looks at it before looking for a place
    emptyCache(page);
    const double byProxy = measureSeeking(page, "seek", any, Until::Pictures, kByProxyMs);
    std::printf("       %.2f times our own clips\n", byProxy / ours);
    emptyCache(page);
    measureSeeking(page, "rest", any, Until::OwnPictures, kBeforeProxyMs);
}

void measureWall(const std::filesystem::path& file, const std::vector<std::string>& files) {
    QElapsedTimer clock;
    clock.start();
    ui::ReviewPage page(file);
    page.setRuns(allRuns(file));
    page.resize(1920, 1080);
    page.show();
    while (!page.isSettled() || page.wall().scene().columns.size() != kClips) QTest::qWait(1);
    page.grab();
    std::printf("open   store to %d painted pictures: %lld ms (wanted %.0f)\n", kClips,
                static_cast<long long>(clock.elapsed()), kOpenMs);
    const double cpu = measurePlaying(page);
    page.player().cache().setLimit(0);  // what playing left there would make the first seeks too easy
    page.player().cache().setLimit(std::size_t{1} << 30);
    std::mt19937 random(3);
    measureSeeking(page, "seek", [&](int) { return static_cast<int>(random() % kFrames); });
    measureSeeking(page, "back", [](int frame) { return frame > 0 ? frame - 1 : kFrames - 1; });
    QTest::qWait(10'000);  // a pause: the tile cache fills
    measureSeeking(page, "rested", [&](int) { return static_cast<int>(random() % kFrames); });
    std::printf("cache  %.0f of %.0f MiB\n", static_cast<double>(page.player().cache().bytes()) / (1 << 20),
                static_cast<double>(page.player().cache().limit()) / (1 << 20));
    page.hide();
    compareWithMpv(files, cpu);
}

void measureThumbnails(const std::filesystem::path& file) {
    ui::StallMeter stalls;
    const double cpuBefore = test::cpuSeconds();
    QElapsedTimer clock;
    clock.start();
    ui::ReviewPage page(file);
    page.setRuns(allRuns(file));
    page.resize(1920, 1080);
    page.show();
    while (!page.isSettled() || page.wall().scene().columns.size() != kThumbnailRuns)
        QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
    page.grab();
    const auto elapsed = clock.elapsed();
    const double cpu = test::cpuSeconds() - cpuBefore;
    std::vector<std::string> shown;
    for (const auto& clip : page.wall().visibleClips(page.wall().scene())) shown.push_back(clip.file);
    const double ffmpegCpu = ffmpegCpuSeconds(shown);
    std::printf(
        "thumbs %d clips, first screen of %zu: %lld ms (wanted %.0f, ratio %.2f), %.0f ms of CPU for store, "
        "wall "
        "and pictures; ffmpeg %.0f for the pictures, ratio ffmpeg ÷ ours %.2f; longest GUI stall %.1f ms\n",
        kThumbnailRuns * kThumbnailPrompts, shown.size(), static_cast<long long>(elapsed), kFirstScreenMs,
        static_cast<double>(elapsed) / kFirstScreenMs, 1e3 * cpu, 1e3 * ffmpegCpu, ffmpegCpu / cpu,
        static_cast<double>(stalls.longest().count()) / 1000);
    QScrollBar* bar = page.wall().verticalScrollBar();
    stalls.restart();
    constexpr int kMoves = 300;
    for (int i = 1; i <= kMoves; ++i) {
        bar->setValue(bar->maximum() * i / kMoves);
        QTest::qWait(10);
    }
    clock.restart();
    while (!page.isSettled()) QCoreApplication::processEvents(QEventLoop::AllEvents, 1);
    std::printf(
        "scroll from the first to the last in %d moves: longest GUI stall %.1f ms, %d over 8 ms; last screen "
        "%lld ms after the last move\n",
        kMoves, static_cast<double>(stalls.longest().count()) / 1000, stalls.overBudget(),
        static_cast<long long>(clock.elapsed()));
}

}  // namespace

int main(int argc, char** argv) {
    if (!qEnvironmentVariableIsSet("DISPLAY")) qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication application(argc, argv);
    ui::Theme::instance().apply(ui::ThemeMode::Dark);
    const auto isWanted = [&](const char* part) { return argc < 2 || std::string_view(argv[1]) == part; };
    const TemporaryFolder folder("review-bench");
    if (isWanted("wall")) {
        const auto store = makeStore(folder.path() / "clips", kAsTheTrainer);
        std::vector<std::string> files;
        for (const std::string& id : allRuns(store))
            files.push_back((store.parent_path() / (id + ".mp4")).string());
        measureWall(store, files);
    }
    if (isWanted("foreign")) measureForeignClips(folder.path());
    if (argc == 2 && isWanted("gaps")) measureGaps(folder.path());
    if (isWanted("thumbs")) measureThumbnails(makeThumbnailStore(folder.path()));
}
