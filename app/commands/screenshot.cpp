#include "app/commands/command.h"
#include "app/terminal/cluster_connection.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "ui/screenshot/render_page.h"
#include "ui/widgets/save_image.h"

#include <charconv>
#include <iostream>

namespace dailies::app {

namespace {

QSize parseSize(const std::string& text) {
    int width = 0, height = 0;
    const auto* end = text.data() + text.size();
    const auto first = std::from_chars(text.data(), end, width);
    if (first.ptr != end && *first.ptr == 'x') {
        const auto second = std::from_chars(first.ptr + 1, end, height);
        if (second.ptr == end && width >= 320 && height >= 240 && width <= 16384 && height <= 16384)
            return {width, height};
    }
    throw InputError("--size: found \"" + sanitizedText(text) +
                     "\", expected WxH from 320x240 to 16384x16384.");
}

}  // namespace

void addScreenshotCommand(CLI::App& app, Context& context) {
    struct Options {
        std::filesystem::path store, folder;
        std::string page, file, theme = "dark", size = "1440x900", tab, chart, preset;
        std::vector<std::string> runs;
        double scale = 1;
    };
    auto options = std::make_shared<Options>();
    auto* command = app.add_subcommand("screenshot",
                                       "Draw a page of the desktop program into a picture; needs no display");
    command
        ->add_option("page", options->page,
                     "runs, review, launch, cluster, datasets, compare, run, connect, sample, score, curate, "
                     "caption, score-clips, shard, "
                     "import or export")
        ->required();
    command->add_option("out", options->file, "Picture to write (PNG)")->required();
    addStoreOption(*command, options->store);
    command->add_option("--theme", options->theme, "light or dark")->check(CLI::IsMember({"light", "dark"}));
    command->add_option("--size", options->size, "Window size")->type_name("WxH");
    command->add_option("--runs", options->runs, "For compare and run: ids or names; default: the newest")
        ->delimiter(',')
        ->type_name("RUN[,RUN…]");
    command
        ->add_option(
            "--tab", options->tab,
            "For run: overview, config, curves, clips, …; for cluster: queue, nodes, partitions, "
            "history, preflight, alerts; for launch: runs, command, script, yaml; for review: wipe, flip, "
            "difference, overlay, onion, arena, morning")
        ->type_name("TAB");
    command
        ->add_option(
            "--chart", options->chart,
            "For runs, compare and run: one chart alone: a metric, parallel, scatter, importance or bars")
        ->type_name("CHART");
    command
        ->add_option("--preset", options->preset,
                     "For launch: the preset to start from, as shapes-lr, or a sweep file")
        ->type_name("NAME|FILE");
    command->add_option("--folder", options->folder, "For datasets: the curated folder to open")
        ->type_name("DIR");
    command->add_option("--scale", options->scale, "Device pixels per pixel")
        ->check(CLI::Range(1.0, 4.0))
        ->type_name("S");
    command->callback([options, &context] {
        context.action = [options, &context] {
            std::vector<std::string> ids;
            if (!options->runs.empty()) {
                const tracking::Store store(options->store, tracking::Store::Mode::ReadOnly);
                for (const auto& name : options->runs) ids.push_back(resolveRunId(store, name));
            }
            const QImage picture = ui::renderPage(
                {.page = options->page,
                 .storeFile = options->store,
                 .profilesFile = remote::ClusterProfiles::defaultFile(),
                 .theme = options->theme == "dark" ? ui::ThemeMode::Dark : ui::ThemeMode::Light,
                 .size = parseSize(options->size),
                 .scale = options->scale,
                 .runIds = ids,
                 .tab = options->tab,
                 .chart = options->chart,
                 .preset = options->preset,
                 .datasetFolder = options->folder,
                 .stop = context.stop});
            ui::saveImage(picture, options->file);
            std::cerr << options->file << " (" << picture.width() << "×" << picture.height() << ")\n";
            return 0;
        };
    });
}

}  // namespace dailies::app
