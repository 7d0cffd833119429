#include "app/commands/command.h"
#include "app/terminal/cluster_connection.h"
#include "app/terminal/print_json.h"
#include "app/terminal/table.h"
#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/compare/comparison.h"
#include "core/compare/export.h"
#include "core/tracking/store_interrupt.h"
#include "remote/program/code_difference.h"

#include <algorithm>
#include <iostream>

namespace dailies::app {

namespace {

struct CompareOptions {
    std::filesystem::path store;
    std::vector<std::string> runs;
    std::string reference, format;
    bool all = false, code = false;
};

std::string shown(const compare::Cell& cell) {
    if (!cell.present) return "-";
    std::string text = sanitizedText(cell.text);
    if (!cell.note.empty()) text += " (" + cell.note + ")";
    if (!cell.change.empty()) text += " " + cell.change;
    return text;
}

void printTable(const compare::Comparison& comparison, const std::vector<compare::Line>& lines) {
    std::vector<std::string> header{""};
    for (std::size_t i = 0; i < comparison.names.size(); ++i)
        header.push_back(sanitizedText(comparison.names[i]) +
                         (i == comparison.reference ? " (reference)" : ""));
    Table table(header);
    for (const auto& line : lines) {
        if (line.kind != compare::Line::Kind::Row) continue;
        std::vector<std::string> row{line.row->key};
        for (const auto& cell : line.row->cells) row.push_back(shown(cell));
        table.add(std::move(row));
    }
    table.print(std::cout);
}

Json comparisonJson(const compare::Comparison& comparison, const std::vector<compare::Line>& lines) {
    Json rows = Json::array();
    for (const auto& line : lines) {
        if (line.kind != compare::Line::Kind::Row) continue;
        Json values = Json::array();
        for (const auto& cell : line.row->cells)
            values.push_back(cell.present ? Json(cell.text) : Json(nullptr));
        rows.push_back({{"section", line.section->title},
                        {"key", line.row->key},
                        {"differs", line.row->differs},
                        {"values", std::move(values)}});
    }
    return {{"runs", comparison.runIds},
            {"names", comparison.names},
            {"reference", comparison.runIds[comparison.reference]},
            {"rows", std::move(rows)}};
}

/// How the code of each run differs from the reference's.
int compareCode(const CompareOptions& options, const tracking::Store& store,
                const std::vector<const tracking::Run*>& runs, std::size_t reference, std::stop_token stop) {
    const auto cluster = connectToClusterOf(store, runs[reference]->id, stop);
    Json differences = Json::array();
    for (std::size_t i = 0; i < runs.size(); ++i) {
        if (i == reference) continue;
        const auto text = remote::codeDifference(*cluster, *runs[reference], *runs[i], stop);
        if (options.format == "json") {
            differences.push_back({{"run", runs[i]->id}, {"difference", text}});
            continue;
        }
        if (runs.size() > 2) std::cout << "# " << sanitizedText(runs[i]->name) << "\n";
        std::cout << sanitizedText(text);
        if (text.empty()) say("The code of " + sanitizedText(runs[i]->name) + " is the same.");
    }
    if (options.format == "json")
        printJson({{"reference", runs[reference]->id}, {"code", std::move(differences)}});
    return 0;
}

int compareChosen(const CompareOptions& options, std::stop_token stop) {
    const tracking::Store store(options.store, tracking::Store::Mode::ReadOnly);
    tracking::interruptOnStop(store, stop);
    std::vector<std::string> ids;
    for (const auto& name : options.runs) {
        const auto id = resolveRunId(store, name);
        if (std::ranges::find(ids, id) == ids.end()) ids.push_back(id);
    }
    if (ids.size() < 2 || ids.size() > compare::kMaxCompared)
        throw InputError(ids.size() < 2 ? "One run alone cannot be compared."
                                        : std::to_string(ids.size()) + " runs are too many to compare.",
                         "Give 2 to " + std::to_string(compare::kMaxCompared) + " different runs.");
    compare::ComparisonInput input;
    std::vector<tracking::Run> runs;
    for (const auto& id : ids) {
        runs.push_back(*store.run(id));
        input.attempts[id] = store.attempts(id);
        input.activeUntilMs[id] = unixMillis();
    }
    for (const auto& run : runs) input.runs.push_back(&run);
    input.goals = compare::goalsOf(store.sweeps());
    if (!options.reference.empty()) {
        const auto found = std::ranges::find(ids, resolveRunId(store, options.reference));
        if (found == ids.end())
            throw InputError("The reference " + sanitizedText(options.reference) +
                                 " is not among the runs that are compared.",
                             "Name it among them, too.");
        input.reference = static_cast<std::size_t>(found - ids.begin());
    }
    if (options.code) return compareCode(options, store, input.runs, input.reference, stop);
    const auto comparison = compare::compareRuns(input);
    const auto lines = compare::linesOf(comparison, {.differencesOnly = !options.all});
    if (options.format == "json")
        printJson(comparisonJson(comparison, lines));
    else if (options.format == "csv")
        std::cout << compare::toCsv(comparison, lines);
    else if (options.format == "markdown")
        std::cout << compare::toMarkdown(comparison, lines);
    else if (lines.empty())
        std::cout << "These runs do not differ in what was recorded of them; --all shows it.\n";
    else
        printTable(comparison, lines);
    return 0;
}

}  // namespace

void addCompareCommand(CLI::App& app, Context& context) {
    auto options = std::make_shared<CompareOptions>();
    auto* command =
        app.add_subcommand("compare", "Print what differs between runs: configuration, environment, metrics");
    command->add_option("runs", options->runs, "Run ids, id prefixes, or names; 2 to 50")
        ->required()
        ->type_name("RUN");
    addStoreOption(*command, options->store);
    command
        ->add_option("--reference", options->reference,
                     "The run that the others are compared with; without it the first")
        ->type_name("RUN");
    command->add_flag("--all", options->all, "Also what is the same in all of them");
    command->add_flag("--code", options->code,
                      "How their code differs, as a diff: of programs of your own, asked of the cluster");
    addFormatOption(*command, options->format, {"table", "json", "csv", "markdown"});
    command->callback([options, &context] {
        context.action = [options, &context] { return compareChosen(*options, context.stop); };
    });
}

}  // namespace dailies::app
