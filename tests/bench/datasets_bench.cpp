// How soon the Datasets page shows its first screen of a folder of 100,000 clips, when all of them are there,
// and what one step of a threshold costs, from the number to the painted page. Rivals are what we ask for,
// 200 ms and 16 ms, and a program that only reads the list with nlohmann-json. `--clips N` takes another
// number.
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

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
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

double readWithNlohmann(const std::filesystem::path& file) {
    QElapsedTimer time;
    time.start();
    std::ifstream stream(file);
    std::string line;
    std::size_t kept = 0;
    while (std::getline(stream, line)) kept += nlohmann::json::parse(line).at("verdict") == "keep";
    std::printf("nlohmann-json alone reads the list (%zu kept)          %7.0f ms\n", kept,
                static_cast<double>(time.nsecsElapsed()) / 1e6);
    return static_cast<double>(time.nsecsElapsed()) / 1e6;
}

template <typename Condition>
double msUntil(Condition condition) {
    QElapsedTimer time;
    time.start();
    while (!condition()) QCoreApplication::processEvents(QEventLoop::AllEvents, 1);
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
    report("first screen: tiles and rules", msUntil([&] {
               QCoreApplication::processEvents();
               return !page.wall().order().empty();
           }),
           kFirstScreenMs);
    const double pictures = msUntil([&] { return page.wall().isSettled(); });
    std::printf("and its pictures                                     %7.1f ms later\n", pictures);
    msUntil([&] { return page.model().isSettled(); });
    std::printf("all %d clips                                     %7.0f ms\n", clips,
                static_cast<double>(whole.nsecsElapsed()) / 1e6);

    std::vector<double> judge, step;
    for (int i = 0; i < kSteps; ++i) {
        auto rules = page.model().rules();
        rules.min_sharpness = 2.0 * i;
        QElapsedTimer time;
        time.start();
        const std::vector<curation::Correction> none(page.model().clips().size());
        page.model().clips().judge(rules, none);
        judge.push_back(static_cast<double>(time.nsecsElapsed()) / 1e6);
        time.restart();
        page.model().setRules(rules);
        emit page.panel().limitSet(curation::Measure::Sharpness, rules.min_sharpness);
        page.repaint();
        page.wall().viewport()->repaint();
        step.push_back(static_cast<double>(time.nsecsElapsed()) / 1e6);
    }
    std::ranges::sort(judge);
    std::ranges::sort(step);
    report("judging all clips anew, median", judge[kSteps / 2], kStepMs);
    report("a step of a threshold, painted, median", step[kSteps / 2], kStepMs);
    report("likewise, the slowest of 60 but one", step[kSteps - 2], kStepMs);
    return 0;
}
