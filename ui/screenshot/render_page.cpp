#include "ui/screenshot/render_page.h"

#include "core/base/error.h"
#include "core/base/text.h"
#include "ui/charts/chart_grid.h"
#include "ui/cluster/cluster_page.h"
#include "ui/cluster/connect_dialog.h"
#include "ui/curating/caption_dialog.h"
#include "ui/curating/curate_dialog.h"
#include "ui/curating/score_clips_dialog.h"
#include "ui/curating/shard_dialog.h"
#include "ui/datasets/datasets_page.h"
#include "ui/launch/launch_page.h"
#include "ui/launch/launch_preview.h"
#include "ui/launch/presets.h"
#include "ui/main_window/main_window.h"
#include "ui/review/review_page.h"
#include "ui/run_page/run_page.h"
#include "ui/runs/runs_page.h"
#include "ui/sampling/sample_dialog.h"
#include "ui/scoring/score_dialog.h"
#include "ui/theme/theme.h"
#include "ui/viewport/view_settings.h"

#include <QApplication>
#include <QDialog>
#include <QElapsedTimer>
#include <QPainter>
#include <QThread>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>

namespace dailies::ui {

namespace {

constexpr int kLongestMs = 20'000;
constexpr int kCalmTurns =
    12;  ///< turns of the event loop without work before the picture is taken: layouts, timers of 0 ms

template <typename Settled>
void waitUntilCalm(const std::stop_token& stop, Settled isSettled) {
    QElapsedTimer time;
    time.start();
    for (int calm = 0; calm < kCalmTurns && time.elapsed() < kLongestMs;) {
        if (stop.stop_requested()) throw Cancelled();
        QCoreApplication::processEvents(QEventLoop::AllEvents, 20);
        QThread::msleep(8);
        calm = isSettled() ? calm + 1 : 0;
    }
}

QImage grab(QWidget& widget, const QSize& size, double scale) {
    QImage image(size * scale, QImage::Format_RGB32);
    image.setDevicePixelRatio(scale);
    image.fill(colors().window);
    widget.render(&image);
    return image;
}

void showChart(MainWindow& window, const std::string& chart) {
    const auto grids = window.findChildren<ChartGrid*>();
    const auto grid =
        std::find_if(grids.begin(), grids.end(), [](const ChartGrid* one) { return one->isVisible(); });
    if (grid == grids.end()) {
        throw InputError("there are no charts on this page",
                         "Choose runs, compare, or run with its tab Curves.");
    }
    if (!(*grid)->showAlone(chart)) {
        std::vector<std::string> kinds;
        for (const auto& kind : chartKinds()) {
            kinds.push_back(kind.id);
        }
        throw InputError("there is no chart '" + sanitizedText(chart) + "'",
                         "Choose a metric of the shown runs, or one of: " + join(kinds, ", ") + ".");
    }
}

void showRoom(MainWindow& window, const std::string& name) {
    static const std::vector<std::string> kComparisons{"wipe", "flip", "difference", "overlay", "onion"};
    auto& page = *window.findChild<ReviewPage*>();
    if (name == "arena") return page.enterArena();
    if (name == "morning") return page.enterMorning();
    const auto found = std::find(kComparisons.begin(), kComparisons.end(), name);
    if (found == kComparisons.end()) {
        throw InputError("the review room has no '" + sanitizedText(name) + "'",
                         "Choose one of: " + join(kComparisons, ", ") + ", arena, morning.");
    }
    page.showComparison(static_cast<ViewMode>(found - kComparisons.begin()));
}

void choosePreset(MainWindow& window, const std::string& name) {
    auto* page = window.findChild<LaunchPage*>();
    std::vector<std::string> names;
    for (const auto& preset : presets()) {
        names.push_back(preset.title.toStdString());
    }
    names.push_back(ownProgramStart().title.toStdString());
    if (!page || !page->isVisible()) {
        throw InputError("a preset is shown on the page 'launch' only", "Choose that page.");
    }
    if (std::filesystem::is_regular_file(name)) {
        page->open(name);
        return;
    }
    if (std::find(names.begin(), names.end(), name) == names.end()) {
        throw InputError("there is no preset '" + sanitizedText(name) + "'",
                         "Choose one of: " + join(names, ", ") + ", or name a sweep file.");
    }
    page->choosePreset(QString::fromStdString(name));
}

/// The page that a dialog is opened from.
std::optional<Page> pageBehind(const std::string& dialog) {
    static const std::map<std::string, Page> kPages = {
        {"connect", Page::Cluster}, {"sample", Page::Review},    {"score", Page::Review},
        {"curate", Page::Datasets}, {"caption", Page::Datasets}, {"score-clips", Page::Datasets},
        {"shard", Page::Datasets},  {"import", Page::Runs},      {"export", Page::Runs}};
    const auto found = kPages.find(dialog);
    return found == kPages.end() ? std::nullopt : std::optional(found->second);
}

template <typename Dialog>
QWidget& openForm(MainWindow& window, const char* action, const std::stop_token& stop) {
    window.findChild<ReviewPage*>()->keys().find(QLatin1String(action))->run();
    auto* dialog = window.findChild<Dialog*>();
    if (!dialog)
        throw InputError("there is no run whose clips this form could be about",
                         "Launch a sweep first, or give another store.");
    waitUntilCalm(stop, [&] { return dialog->isSettled(); });
    return *dialog;
}

QWidget& openDialog(MainWindow& window, const std::string& name, const std::stop_token& stop) {
    if (name == "connect") return window.openConnectDialog();
    waitUntilCalm(stop, [&] { return window.isSettled(); });
    if (name == "import" || name == "export") {
        name == "import" ? window.runsPage().importRuns() : window.runsPage().exportRuns();
        return *window.findChild<QDialog*>();
    }
    if (name == "caption") {
        emit window.datasetsPage().captionRequested();
        return *window.findChild<CaptionDialog*>();
    }
    if (name == "score-clips") {
        emit window.datasetsPage().scoreRequested();
        return *window.findChild<ScoreClipsDialog*>();
    }
    if (name == "shard") {
        emit window.datasetsPage().shardRequested();
        return *window.findChild<ShardDialog*>();
    }
    if (name == "curate") {
        emit window.datasetsPage().curateRequested();
        return *window.findChild<CurateDialog*>();
    }
    return name == "sample" ? openForm<SampleDialog>(window, "sample", stop)
                            : openForm<ScoreDialog>(window, "score", stop);
}

}  // namespace

// Qt reads platform and scale only when the application is made.
std::unique_ptr<QApplication> makeOffscreenApplication(double scale) {
    if (QApplication::instance()) {
        return nullptr;
    }
    qputenv("QT_QPA_PLATFORM", "offscreen");
    qputenv("QT_SCALE_FACTOR", QByteArray::number(scale));
    static int argc = 1;
    static char name[] = "dailies";
    static char* argv[] = {name, nullptr};
    return std::make_unique<QApplication>(argc, argv);
}

QImage renderPage(const ScreenshotOptions& picture) {
    const auto behind = pageBehind(picture.page);
    const bool dialog = behind.has_value();
    const auto page = dialog ? behind : pageFromName(picture.page);
    if (!page) {
        throw InputError(
            "there is no page '" + picture.page + "'",
            "Choose one of: runs, review, launch, cluster, datasets, compare, run, connect, sample, score, "
            "curate, caption, score-clips, shard, import, export.");
    }
    const auto application = makeOffscreenApplication(picture.scale);
    Theme::instance().apply(picture.theme);

    MainWindow window({.storeFile = picture.storeFile,
                       .profilesFile = picture.profilesFile,
                       .clusterName = {},
                       .page = *page,
                       .runIds = picture.runIds,
                       .datasetFolder = picture.datasetFolder});
    window.resize(picture.size);
    window.setAttribute(Qt::WA_DontShowOnScreen);
    window.show();
    QWidget* shown = &window;
    if (dialog) {
        shown = &openDialog(window, picture.page, picture.stop);
    }
    waitUntilCalm(picture.stop, [&] { return window.isSettled(); });
    if (!picture.preset.empty()) {
        choosePreset(window, picture.preset);
        waitUntilCalm(picture.stop, [&] { return window.isSettled(); });
    }
    if (!picture.tab.empty()) {
        if (*page == Page::Review)
            showRoom(window, picture.tab);
        else if (*page == Page::Cluster)
            window.clusterPage().showTab(picture.tab);
        else if (*page == Page::Launch)
            window.findChild<LaunchPage*>()->preview().chooseTab(QString::fromStdString(picture.tab));
        else
            window.runPage().showTab(picture.tab);
        waitUntilCalm(picture.stop, [&] { return window.isSettled(); });
    }
    if (!picture.chart.empty()) {
        showChart(window, picture.chart);
        waitUntilCalm(picture.stop, [&] { return window.isSettled(); });
    }
    return grab(*shown, dialog ? shown->size() : picture.size, picture.scale);
}

}  // namespace dailies::ui
