#include "app/terminal/launch_preview.h"

#include "app/terminal/findings.h"
#include "app/terminal/print_json.h"
#include "app/terminal/table.h"
#include "core/base/clock.h"
#include "core/base/text.h"
#include "core/rules/source_rules.h"
#include "core/sweep/command.h"
#include "remote/launch/chain_rows.h"
#include "remote/launch/price.h"

#include <cmath>
#include <iostream>
#include <iterator>

namespace dailies::app {

namespace {

void printCost(const remote::Forecast& forecast, const remote::ClusterProfile& profile) {
    std::cout << '\n';
    if (!forecast.known) {
        std::cout << sanitizedText(forecast.basis) << '\n';
        return;
    }
    std::cout << "About " << durationText(std::llround(forecast.seconds * 1000)) << " in all: "
              << (forecast.gpuHours > 0 ? remote::hoursText(forecast.gpuHours) + " GPU-hours, " : "")
              << remote::hoursText(forecast.cpuHours) << " CPU-hours";
    if (forecast.savedShare > 0)
        std::cout << ", of which early stopping should spare " << std::lround(100 * forecast.savedShare)
                  << " %";
    if (const auto price = remote::priceText(forecast, profile); !price.empty())
        std::cout << "; " << sanitizedText(price);
    std::cout << ". " << remote::endText(forecast, unixMillis() / 1000) << '\n'
              << sanitizedText(forecast.basis) << '\n';
}

/// As it is typed in a shell.
std::string commandLine(std::vector<std::string> words) {
    for (auto& word : words) word = sweep::commandLineWord(word);
    return sanitizedText(join(words, " "));
}

/// The words of the first and of the last run, and of what samples their checkpoints.
void printCommands(const remote::LaunchPlan& plan) {
    for (const std::size_t i : {std::size_t{0}, plan.commands.size() - 1}) {
        std::cout << "\nRun " << oneLine(plan.runs[i].name) << " is started as\n  "
                  << commandLine(plan.commands[i]) << '\n';
        if (plan.commands.size() == 1) break;
    }
    if (const auto& sampling = plan.sweep.sampleCheckpoints)
        std::cout << "\nEach checkpoint ("
                  << sanitizedText(sweep::sampledCheckpoints(*sampling, *plan.sweep.program))
                  << ") is sampled by\n  " << commandLine(sweep::shownWords(sweep::samplingWords(*sampling)))
                  << '\n';
}

void printSources(const rules::SourceRules& sources) {
    if (!sources.output.empty())
        std::cout << "\nTheir output is read by\n  " << sanitizedText(sources.output) << '\n';
    if (!sources.clips.empty())
        std::cout << "\nTheir clips are named as\n  " << sanitizedText(join(sources.clips, "\n  ")) << '\n';
}

Json forecastJson(const remote::Forecast& forecast, const remote::ClusterProfile& profile) {
    if (!forecast.known) return {{"known", false}, {"basis", forecast.basis}};
    Json json = {{"known", true},
                 {"basis", forecast.basis},
                 {"gpu_hours", forecast.gpuHours},
                 {"cpu_hours", forecast.cpuHours},
                 {"seconds", forecast.seconds},
                 {"saved_share", forecast.savedShare}};
    if (profile.gpuHourPrice > 0) {
        json["price"] = forecast.gpuHours * profile.gpuHourPrice;
        json["currency"] = profile.currency;
    }
    return json;
}

constexpr const char* word(planner::FitVerdict verdict) {
    switch (verdict) {
        case planner::FitVerdict::fits:
            return "fits";
        case planner::FitVerdict::tight:
            return "tight";
        case planner::FitVerdict::tooLarge:
            return "too large";
        case planner::FitVerdict::unknown:
            break;
    }
    return "unknown";
}

Json orNull(const std::string& text) {
    return text.empty() ? Json() : Json(text);
}

Json memoryJson(const remote::MemoryCheck& memory) {
    return {
        {"verdict", word(memory.verdict)}, {"text", orNull(memory.text)}, {"remedy", orNull(memory.remedy)}};
}

}  // namespace

Json toJson(const remote::AssessedLaunch& launch, const remote::ClusterProfile& profile,
            const std::vector<std::string>& notices) {
    const auto& [plan, forecast, memory, findings] = launch;
    Json runs = Json::array();
    for (std::size_t i = 0; i < plan.runs.size(); ++i)
        runs.push_back({{"name", plan.runs[i].name},
                        {"varied", plan.runs[i].varied},
                        {"params", plan.runs[i].drawn},
                        {"command", plan.commands[i]},
                        {"config", plan.runs[i].config},
                        {"repeats", orNull(forecast.duplicateInSweep[i])},
                        {"ran_before", orNull(forecast.duplicateInStore[i])}});
    Json document{{"sweep", plan.sweep.name},     {"run_count", forecast.runs},
                  {"runs", std::move(runs)},      {"estimate", forecastJson(forecast, profile)},
                  {"memory", memoryJson(memory)}, {"findings", toJson(findings)},
                  {"notices", notices},           {"script", plan.script}};
    if (plan.sweep.program && !plan.sweep.program->sources.isEmpty())
        document["sources"] = {{"output", orNull(plan.sweep.program->sources.output)},
                               {"clips", plan.sweep.program->sources.clips}};
    if (const auto& sampling = plan.sweep.sampleCheckpoints)
        document["sample_checkpoints"] = {
            {"checkpoints", sweep::sampledCheckpoints(*sampling, *plan.sweep.program)},
            {"command", sweep::shownWords(sweep::samplingWords(*sampling))}};
    return document;
}

void printLaunch(const remote::AssessedLaunch& launch, const remote::ClusterProfile& profile) {
    const auto& [plan, forecast, memory, findings] = launch;
    const auto later = forecast.runs - plan.runs.size();
    std::cout << "Sweep " << oneLine(plan.sweep.name) << " would make " << forecast.runs
              << (forecast.runs == 1 ? " run" : " runs") << ", at most " << plan.sweep.resources.parallelRuns
              << " at once:\n";
    for (std::size_t i = 0; i < plan.runs.size(); ++i) {
        std::cout << "  " << oneLine(plan.runs[i].name);
        if (!forecast.duplicateInSweep[i].empty())
            std::cout << "   repeats " << oneLine(forecast.duplicateInSweep[i]);
        else if (!forecast.duplicateInStore[i].empty())
            std::cout << "   ran before as " << oneLine(forecast.duplicateInStore[i]);
        std::cout << '\n';
    }
    if (later > 0)
        std::cout << "  and " << later << " more that follow from the results, while Dailies is connected\n";
    if (const auto repeats = forecast.repeatedRuns().size(); repeats > 0)
        std::cout << repeats << (repeats == 1 ? " run repeats" : " runs repeat")
                  << " another; --skip-repeats leaves them out.\n";
    if (plan.sweep.after)
        std::cout << "It would begin after "
                  << (plan.sweep.after->sweep.empty() ? "the sweep before it in the chain"
                                                      : "sweep " + sanitizedText(plan.sweep.after->sweep))
                  << (plan.sweep.after->afterAny ? " has ended" : " has finished")
                  << (plan.sweep.after->fromCheckpoint ? ", from the checkpoints of its runs.\n"
                      : plan.sweep.after->initFromBest ? ", with the weights of its best run.\n"
                                                       : ".\n");
    if (plan.sweep.program) {
        printCommands(plan);
        printSources(plan.sweep.program->sources);
    }
    printCost(forecast, profile);
    std::cout << sanitizedText(memory.text) << (memory.remedy.empty() ? "" : " ")
              << sanitizedText(memory.remedy) << '\n';
    for (const auto& finding : findings) printFinding(finding);
    std::cout << "\nThe sbatch script:\n\n" << plan.script;
}

void printChain(std::span<const remote::AssessedLaunch> chain, const remote::ClusterProfile& profile) {
    std::cout << '\n';
    Table table({std::begin(remote::kChainTitles), std::end(remote::kChainTitles)});
    for (const auto& row : remote::chainRows(chain, profile, unixMillis() / 1000)) table.add(row.cells());
    table.print(std::cout);
    printCost(remote::totalOf(chain), profile);
}

void printSummary(const remote::SweepSummary& summary) {
    std::cerr << "Sweep " << oneLine(summary.name) << ", " << summary.text() << '\n';
    for (const auto& stopped : summary.stopped)
        std::cerr << "  " << oneLine(stopped.run) << ": " << oneLine(stopped.why) << '\n';
}

}  // namespace dailies::app
