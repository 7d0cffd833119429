#pragma once

#include "ui/theme/tokens.h"

#include <QApplication>
#include <QImage>
#include <QSize>

#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace dailies::ui {

/// A QApplication on Qt's platform without a display, at that many device pixels per pixel; null when there
/// is one already. For programs that draw and show nothing; main thread.
std::unique_ptr<QApplication> makeOffscreenApplication(double scale = 1);

struct ScreenshotOptions {
    std::string page = "runs";  ///< runs, review, launch, cluster, datasets, compare, run, or a dialog:
                                ///< connect, sample, score, import, export
    std::filesystem::path storeFile;
    std::filesystem::path profilesFile;  ///< empty: no profiles
    ThemeMode theme = ThemeMode::Dark;
    QSize size{1440, 900};
    double scale = 1;                      ///< device pixels per pixel
    std::vector<std::string> runIds = {};  ///< for compare and run; empty: the newest
    std::string tab = {};  ///< of the run's page or the cluster's, by its title ("Log", "Nodes"); of review:
                           ///< wipe, flip, difference, overlay or onion, two clips compared, arena or
                           ///< morning; empty: the first, the wall
    std::string chart = {};   ///< one chart alone: a metric's key or the id of a `ChartKind`; empty: the grid
    std::string preset = {};  ///< what the launch page starts from: a preset's name, or a sweep file; empty:
                              ///< the usual one
    std::filesystem::path datasetFolder = {};  ///< curated folder that page datasets shows; empty: none
    std::stop_token stop = {};
};

/// Shows one page of the program on that store without a display, waits until it has loaded what it shows (at
/// most 20 s), and returns it as a picture of `size` × `scale` pixels. Never connects to a cluster. Makes its
/// own QApplication on Qt's offscreen platform unless there is one; main thread. Throws `InputError` for an
/// unknown page, chart or preset, `Cancelled`.
QImage renderPage(const ScreenshotOptions& picture);

}  // namespace dailies::ui
