// How soon the Datasets page shows its first screen of a folder of 100,000 clips, when all of them are there,
// and what one step of a threshold costs, from the number to the painted page. Rivals are what we ask for,
// 200 ms and 16 ms (of CPU, on the GUI thread), and a program that only reads the list with nlohmann-json.
// `--clips N` takes another number.
#include "core/base/files.h"
#include "core/curation/clip_list.h"
#include "core/curation/curated_folder.h"
#include "core/video/clip_writer.h"
#include "ui/datasets/clip_wall.h"
#include "ui/datasets/datasets_page.h"
#include "ui/datasets/threshold_panel.h"
#include "ui/theme/theme.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QThread>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <random>

namespace {

using namespace dailies;

constexpr double kFirstScreenMs = 200, kStepMs = 16;
constexpr int kFilms = 20, kFilmFrames = 600, kClipFrames = 60;
constexpr int kSteps = 60;

std::vector<std::filesystem::path> makeFilms(const std::filesystem::path& folder) {
    std::vector<std::filesystem::path> films;
    for (int f = 0; f < kFilms; ++f) {
        std::vector<video::Frame> frames;
        for (int n = 0; n < kFilmFrames; ++n) {
            video::Frame frame{160, 90, std::vector<std::uint8_t>(std::size_t{3} * 160 * 90)};
            for (std::size_t i = 0; i < frame.rgb.size(); ++i)
                frame.rgb[i] = static_cast<std::uint8_t>(i / 160 + static_cast<std::size_t>(n + 37 * f));
            frames.push_back(std::move(frame));
        }
        films.push_back(video::writeClip(folder / ("film " + std::to_string(f) + ".mp4"), frames,
                                         {.fps = 24, .crf = 30, .gopFrames = 24}));
    }
    return films;
}

void makeFolder(const std::filesystem::path& folder, const std::vector<std::filesystem::path>& films,
                int clips) {
    std::mt19937_64 random(3);
    std::lognormal_distribution<double> heavy(0, 1);
    std::vector<curation::ClipRecord> records;
    for (int i = 0; i < clips; ++i) {
        curation::ClipRecord clip;
        const int first = i * kClipFrames % kFilmFrames;
        clip.id = "0123456789ab-" + std::to_string(1'000'000 + i);
        clip.source = films[static_cast<std::size_t>(i) % films.size()];
        clip.firstFrame = first;
        clip.lastFrame = first + kClipFrames - 1;
        clip.start = first / 24.0;
        clip.end = clip.start + 3 * heavy(random);
        clip.fps = 24;
        clip.width = 160;
        clip.height = 90;
        clip.crop = {0, 0, 1280, 720};
        clip.scores = {heavy(random),     0, 255 * (0.5 + 0.3 * std::sin(i)), 30 * heavy(random), 0, 0,
                       40 * heavy(random)};
        for (int h = 0; h < 6; ++h) clip.hashes.push_back(random());
        records.push_back(std::move(clip));
    }
    curation::writeClipList(folder, records, {}, {}, {}, {});
}

/// Time that this thread (or the process) had of a core: other programs of a busy machine do not count.
double cpuMs(clockid_t clock) {
    timespec time{};
    clock_gettime(clock, &time);
    return 1e3 * static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e6;
}

void readWithNlohmann(const std::filesystem::path& file) {
    QElapsedTimer time;
    time.start();
    const double began = cpuMs(CLOCK_PROCESS_CPUTIME_ID);
    std::ifstream stream(file);
    std::string line;
    std::size_t kept = 0;
    while (std::getline(stream, line)) kept += nlohmann::json::parse(line).at("verdict") == "keep";
    std::printf("nlohmann-json alone reads the list (%zu kept): %.0f ms, %.0f of CPU\n", kept,
                static_cast<double>(time.nsecsElapsed()) / 1e6, cpuMs(CLOCK_PROCESS_CPUTIME_ID) - began);
}

template <typename Condition>
double msUntil(Condition condition) {
    QElapsedTimer time;
    time.start();
    while (!condition()) {
        QCoreApplication::processEvents();
        QThread::usleep(500);  // the readers want the core
    }
    return static_cast<double>(time.nsecsElapsed()) / 1e6;
}

void report(const char* what, double ms, double wanted) {
    std::printf("%-52s %7.1f ms  (asked for: %.0f)  %s\n", what, ms, wanted, ms <= wanted ? "ok" : "MISSED");
}

}  // namespace

int main(int argc, char** argv) {
    qputenv("QT_QPA_PLATFORM", qgetenv("DISPLAY").isEmpty() ? "offscreen" : "xcb");
    QApplication application(argc, argv);
    const int clips = argc == 3 && std::strcmp(argv[1], "--clips") == 0 ? std::atoi(argv[2]) : 100'000;
    const TemporaryFolder folder;
    makeFolder(folder.path(), makeFilms(folder.path()), clips);
    ui::Theme::instance().apply(ui::ThemeMode::Dark);
    readWithNlohmann(folder.path() / "clips.jsonl");

    ui::DatasetsPage page;
    page.resize(1736, 1080);
    page.show();
    QElapsedTimer whole;
    whole.start();
    page.open(folder.path());
    const double began = cpuMs(CLOCK_PROCESS_CPUTIME_ID);
    const auto hasTiles = [&] { return !page.wall().order().empty(); };
    report("first screen: tiles and rules", msUntil(hasTiles), kFirstScreenMs);
    std::printf("and its pictures: %.0f ms later\n", msUntil([&] { return page.wall().isSettled(); }));
    msUntil([&] { return page.model().isSettled(); });
    std::printf("all %d clips: %.0f ms, %.0f of CPU\n", clips,
                static_cast<double>(whole.nsecsElapsed()) / 1e6, cpuMs(CLOCK_PROCESS_CPUTIME_ID) - began);
    msUntil([&] { return page.isSettled(); });

    std::vector<double> judge, step;
    const std::vector<curation::Correction> none(page.model().clips().size());
    for (int i = 0; i < kSteps; ++i) {
        auto rules = page.model().rules();
        rules.min_sharpness = 2.0 * i;
        const double before = cpuMs(CLOCK_THREAD_CPUTIME_ID);
        page.model().clips().judge(rules, none);
        const double judged = cpuMs(CLOCK_THREAD_CPUTIME_ID);
        page.model().setRules(rules);
        emit page.panel().limitSet(curation::Measure::Sharpness, rules.min_sharpness);
        QCoreApplication::processEvents();  // paints what has changed
        judge.push_back(judged - before);
        step.push_back(cpuMs(CLOCK_THREAD_CPUTIME_ID) - judged);
    }
    std::ranges::sort(judge);
    std::ranges::sort(step);
    report("judging all clips anew, median CPU", judge[kSteps / 2], kStepMs);
    report("a step of a threshold, painted, median CPU", step[kSteps / 2], kStepMs);
    report("likewise, the slowest of 60 but one", step[kSteps - 2], kStepMs);
    return 0;
}
