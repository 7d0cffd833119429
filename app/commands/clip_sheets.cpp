#include "app/commands/command.h"
#include "app/terminal/cluster_connection.h"
#include "app/terminal/progress_line.h"
#include "core/base/counts.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "ui/review/contact_sheet.h"
#include "ui/review/outputs/clip_page.h"
#include "ui/review/outputs/mlflow_sheets.h"
#include "ui/review/outputs/side_by_side.h"
#include "ui/screenshot/render_page.h"
#include "ui/theme/run_colors.h"
#include "ui/widgets/save_image.h"

#include <cctype>
#include <iostream>

namespace dailies::app {

namespace {

struct ClipSheetsOptions {
    std::filesystem::path store, file;
    std::vector<std::string> runs;
    std::int64_t step = -1;
};

void addOptions(CLI::App& command, ClipSheetsOptions& options, const std::string& file) {
    if (!file.empty()) command.add_option("out", options.file, file)->required();
    command.add_option("runs", options.runs,
                       "Runs: ids or names; default: those of the newest sweep that has clips");
    if (!file.empty())
        command.add_option("--step", options.step, "Training step that is shown; default: the last")
            ->check(CLI::NonNegativeNumber);
    addStoreOption(command, options.store);
}

std::vector<std::string> runIds(const tracking::Store& store, const ClipSheetsOptions& options) {
    std::vector<std::string> ids;
    for (const auto& name : options.runs) ids.push_back(resolveRunId(store, name));
    return ids;
}

ui::SheetContent contentOf(const ClipSheetsOptions& options) {
    const tracking::Store store(options.store, tracking::Store::Mode::ReadOnly);
    return ui::sheetContent(store, runIds(store, options),
                            options.step < 0 ? std::nullopt : std::optional(options.step));
}

std::string endingOf(const std::filesystem::path& file) {
    return lowered(file.extension().string());
}

[[noreturn]] void refuseEnding(const std::filesystem::path& file, const std::string& accepted) {
    throw InputError("Found " + sanitizedText(file.string()) + ", expected a name that ends in " + accepted +
                     ".");
}

int contactSheet(const ClipSheetsOptions& options, std::stop_token stop) {
    const auto ending = endingOf(options.file);
    if (ending != ".png" && ending != ".pdf") refuseEnding(options.file, ".png or .pdf");
    const auto application = ui::makeOffscreenApplication();
    const auto content = contentOf(options);
    if (ending == ".pdf") {
        ui::writeContactSheetPdf(content.scene, content.title, options.file, {}, stop);
        std::cerr << options.file.string() << '\n';
        return 0;
    }
    const QImage sheet = ui::contactSheet(content.scene, content.title, {}, stop);
    ui::saveImage(sheet, options.file);
    std::cerr << options.file.string() << " (" << sheet.width() << "×" << sheet.height() << ")\n";
    return 0;
}

int reel(const ClipSheetsOptions& options, std::stop_token stop) {
    const auto ending = endingOf(options.file);
    if (ending != ".mp4" && ending != ".html") refuseEnding(options.file, ".mp4 or .html");
    const auto application = ui::makeOffscreenApplication();
    const auto content = contentOf(options);
    const auto grid = ui::clipGrid(content.scene, content.title, content.reviews);
    if (grid.present() == 0)
        throw Error("None of these clips is on this computer.", "`dailies pull RUN` brings them here.");
    {
        ProgressLine line;
        const bool video = ending == ".mp4";
        const auto progress = [&](int done, int total) {
            line.show((video ? "frame " : "clip ") + std::to_string(done) + " of " + std::to_string(total));
        };
        if (video)
            ui::writeSideBySide(grid, options.file, progress, stop);
        else
            ui::writeClipPage(grid, options.file, progress, stop);
    }
    std::cerr << options.file.string() << " ("
              << pluralize(static_cast<long long>(grid.present()), "clip", "clips") << ")\n";
    return 0;
}

int sheetsToMlflow(const ClipSheetsOptions& options, std::stop_token stop) {
    const auto application = ui::makeOffscreenApplication();
    ui::ReviewRequest request;
    request.storeFile = options.store;
    {
        const tracking::Store store(options.store, tracking::Store::Mode::ReadOnly);
        request.runIds = runIds(store, options);
    }
    const auto data = ui::loadReview(request, stop);
    ui::RunColors::instance().assign(data.colors);
    const auto sheets = ui::runSheets(data);
    if (sheets.empty())
        throw Error("These runs have no clips to make a contact sheet of.",
                    "Wait until a run has sampled some (sampling.every), or choose other runs.");
    int written = 0;
    {
        ProgressLine line;
        written = ui::addToMlflow(
            sheets, options.store,
            [&](int done, int total) {
                line.show("sheet " + std::to_string(done) + " of " + std::to_string(total));
            },
            stop);
    }
    const auto there = static_cast<long long>(sheets.size()) - written;
    std::cerr << pluralize(written, "contact sheet", "contact sheets")
              << " added to what `mlflow ui` shows of "
              << pluralize(static_cast<long long>(data.runs.size()), "run", "runs");
    if (there > 0) std::cerr << "; " << grouped(there) << (there == 1 ? " was" : " were") << " there already";
    std::cerr << "\n";
    return 0;
}

}  // namespace

void addClipSheetCommands(CLI::App& app, Context& context) {
    auto sheetOptions = std::make_shared<ClipSheetsOptions>();
    auto* sheet = app.add_subcommand("contact-sheet",
                                     "Draw the clips of runs on one sheet: rows prompts, columns runs");
    addOptions(*sheet, *sheetOptions, "Picture (PNG) or page (PDF) to write");
    sheet->callback([sheetOptions, &context] {
        context.action = [sheetOptions, &context] { return contactSheet(*sheetOptions, context.stop); };
    });

    auto reelOptions = std::make_shared<ClipSheetsOptions>();
    auto* reelCommand = app.add_subcommand(
        "reel",
        "Put the clips of runs together: side by side in one video, or on a page that anyone can open");
    addOptions(*reelCommand, *reelOptions, "Video (MP4) or page (HTML) to write");
    reelCommand->callback([reelOptions, &context] {
        context.action = [reelOptions, &context] { return reel(*reelOptions, context.stop); };
    });

    auto mlflowOptions = std::make_shared<ClipSheetsOptions>();
    auto* mlflow = app.add_subcommand(
        "mlflow-sheets", "Add a contact sheet of each step to runs, where `mlflow ui` has a slider for them");
    addOptions(*mlflow, *mlflowOptions, "");
    mlflow->callback([mlflowOptions, &context] {
        context.action = [mlflowOptions, &context] { return sheetsToMlflow(*mlflowOptions, context.stop); };
    });
}

}  // namespace dailies::app
