#include "app/commands/command.h"
#include "app/terminal/cluster_connection.h"
#include "app/terminal/progress_line.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "ui/review/contact_sheet.h"
#include "ui/review/outputs/clip_page.h"
#include "ui/review/outputs/mlflow_sheets.h"
#include "ui/review/outputs/side_by_side.h"
#include "ui/screenshot/render_page.h"
#include "ui/theme/run_colors.h"
#include "ui/widgets/save_picture.h"

#include <cctype>
#include <iostream>

namespace dailies::app {

namespace {

struct Words {
    std::filesystem::path store, file;
    std::vector<std::string> runs;
    std::int64_t step = -1;
};

void addWords(CLI::App& command, Words& words, const std::string& file) {
    if (!file.empty()) command.add_option("out", words.file, file)->required();
    command.add_option("runs", words.runs,
                       "Runs: ids or names; default: those of the newest sweep that has clips");
    if (!file.empty())
        command.add_option("--step", words.step, "Training step that is shown; default: the last")
            ->check(CLI::NonNegativeNumber);
    addStoreOption(command, words.store);
}

std::vector<std::string> runIds(const tracking::Store& store, const Words& words) {
    std::vector<std::string> ids;
    for (const auto& name : words.runs) ids.push_back(chooseRun(store, name));
    return ids;
}

ui::SheetContent contentOf(const Words& words) {
    const tracking::Store store(words.store, tracking::Store::Mode::ReadOnly);
    return ui::sheetContent(store, runIds(store, words),
                            words.step < 0 ? std::nullopt : std::optional(words.step));
}

std::string endingOf(const std::filesystem::path& file) {
    std::string ending = file.extension().string();
    for (auto& c : ending) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return ending;
}

[[noreturn]] void refuseEnding(const std::filesystem::path& file, const std::string& accepted) {
    throw InputError("Found " + inertText(file.string()) + ", expected a name that ends in " + accepted +
                     ".");
}

int contactSheet(const Words& words, std::stop_token stop) {
    const auto ending = endingOf(words.file);
    if (ending != ".png" && ending != ".pdf") refuseEnding(words.file, ".png or .pdf");
    const auto application = ui::makeOffscreenApplication();
    const auto content = contentOf(words);
    if (ending == ".pdf") {
        ui::writeContactSheetPdf(content.scene, content.title, words.file, {}, stop);
        std::cerr << words.file.string() << '\n';
        return 0;
    }
    const QImage sheet = ui::contactSheet(content.scene, content.title, {}, stop);
    ui::savePicture(sheet, words.file);
    std::cerr << words.file.string() << " (" << sheet.width() << "×" << sheet.height() << ")\n";
    return 0;
}

int reel(const Words& words, std::stop_token stop) {
    const auto ending = endingOf(words.file);
    if (ending != ".mp4" && ending != ".html") refuseEnding(words.file, ".mp4 or .html");
    const auto application = ui::makeOffscreenApplication();
    const auto content = contentOf(words);
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
            ui::writeSideBySide(grid, words.file, progress, stop);
        else
            ui::writeClipPage(grid, words.file, progress, stop);
    }
    std::cerr << words.file.string() << " ("
              << counted(static_cast<long long>(grid.present()), "clip", "clips") << ")\n";
    return 0;
}

int sheetsToMlflow(const Words& words, std::stop_token stop) {
    const auto application = ui::makeOffscreenApplication();
    ui::ReviewRequest request;
    request.storeFile = words.store;
    {
        const tracking::Store store(words.store, tracking::Store::Mode::ReadOnly);
        request.runIds = runIds(store, words);
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
            sheets, words.store,
            [&](int done, int total) {
                line.show("sheet " + std::to_string(done) + " of " + std::to_string(total));
            },
            stop);
    }
    const auto there = static_cast<long long>(sheets.size()) - written;
    std::cerr << counted(written, "contact sheet", "contact sheets") << " added to what `mlflow ui` shows of "
              << counted(static_cast<long long>(data.runs.size()), "run", "runs");
    if (there > 0) std::cerr << "; " << grouped(there) << (there == 1 ? " was" : " were") << " there already";
    std::cerr << "\n";
    return 0;
}

}  // namespace

void addClipCommands(CLI::App& app, Context& context) {
    auto sheetWords = std::make_shared<Words>();
    auto* sheet = app.add_subcommand("contact-sheet",
                                     "Draw the clips of runs on one sheet: rows prompts, columns runs");
    addWords(*sheet, *sheetWords, "Picture (PNG) or page (PDF) to write");
    sheet->callback([sheetWords, &context] {
        context.action = [sheetWords, &context] { return contactSheet(*sheetWords, context.stop); };
    });

    auto reelWords = std::make_shared<Words>();
    auto* reelCommand = app.add_subcommand(
        "reel",
        "Put the clips of runs together: side by side in one video, or on a page that anyone can open");
    addWords(*reelCommand, *reelWords, "Video (MP4) or page (HTML) to write");
    reelCommand->callback([reelWords, &context] {
        context.action = [reelWords, &context] { return reel(*reelWords, context.stop); };
    });

    auto mlflowWords = std::make_shared<Words>();
    auto* mlflow = app.add_subcommand(
        "mlflow-sheets", "Add a contact sheet of each step to runs, where `mlflow ui` has a slider for them");
    addWords(*mlflow, *mlflowWords, "");
    mlflow->callback([mlflowWords, &context] {
        context.action = [mlflowWords, &context] { return sheetsToMlflow(*mlflowWords, context.stop); };
    });
}

}  // namespace dailies::app
