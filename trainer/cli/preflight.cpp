#include "trainer/preflight/preflight.h"

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/events/event_log.h"
#include "trainer/cli/verbs.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <iostream>

namespace dailies::trainer {

namespace {

struct PreflightOptions {
    PreflightJob job;
    std::filesystem::path runFolder;
    bool conclude = false, givesUp = false;
};

int countOf(const std::string& option, std::string text) {
    if (text.ends_with('s')) text.pop_back();  // "90s"
    char* end = nullptr;
    const long value = std::strtol(text.c_str(), &end, 10);
    if (text.empty() || *end != '\0' || value < 1 || value > 100'000)
        throw InputError("preflight: " + option + ": found \"" + sanitizedText(text) +
                         "\", expected a whole number from 1.");
    return static_cast<int>(value);
}

PreflightOptions parsePreflight(const Args& args) {
    PreflightOptions parsed;
    for (std::size_t i = 0; i < args.size(); ++i) {
        const auto& option = args[i];
        if (option == "--conclude" || option == "--gives-up") {
            (option == "--conclude" ? parsed.conclude : parsed.givesUp) = true;
            continue;
        }
        if (option != "--folder" && option != "--nodes" && option != "--budget" && option != "--threads" &&
            option != "--run-dir")
            throw InputError("preflight: unknown option \"" + sanitizedText(option) + "\".",
                             "Give --folder DIR; dailies-train help lists the others.");
        if (++i == args.size()) throw InputError("preflight: " + option + " needs a value.");
        if (option == "--folder")
            parsed.job.folder = std::filesystem::absolute(args[i]);
        else if (option == "--run-dir")
            parsed.runFolder = args[i];
        else if (option == "--nodes")
            parsed.job.nodes = split(args[i], ',');
        else if (option == "--budget")
            parsed.job.budget = std::chrono::seconds(countOf(option, args[i]));
        else
            parsed.job.threads = countOf(option, args[i]);
    }
    if (parsed.job.folder.empty())
        throw InputError("preflight: --folder is missing.",
                         "Name a folder that all nodes see; the report is written there.");
    return parsed;
}

/// For the log of the job.
void printReport(const preflight::Report& report) {
    std::printf("%-16s %-7s", "node", "verdict");
    for (const auto& figure : preflight::kNodeMetrics)
        if (!report.values(figure.key).empty())
            std::printf(" %*s", 24, (std::string(figure.name) + " " + figure.unit).c_str());
    std::printf("\n");
    for (const auto& node : report.nodes) {
        std::printf("%-16s %-7s", sanitizedText(node.name).c_str(), preflight::toText(node.verdict).c_str());
        for (const auto& figure : preflight::kNodeMetrics) {
            if (report.values(figure.key).empty()) continue;
            const auto value = node.figures.find(figure.key);
            if (value == node.figures.end())
                std::printf(" %24s", "-");
            else
                std::printf(" %24.1f", value->second * figure.scale);
        }
        std::printf("\n");
    }
    std::printf("%s\n", sanitizedText(report.summary()).c_str());
    std::fflush(stdout);
}

/// Tells the run what was found and the script, on standard output, which nodes to leave out.
int conclude(const PreflightOptions& args) {
    const auto report = concludePreflight(args.job);
    const auto out = report.nodesToExclude();
    std::cout << join(out, ",") << std::endl;
    if (args.runFolder.empty() || report.allOk()) return kDone;
    events::EventLogWriter log(args.runFolder / "events.jsonl");
    const auto text = "Before training: " + report.summary();
    log.append(events::Health{
        report.anyBad() ? "bad_node" : "slow_node",
        out.empty() || args.givesUp ? text : text + " The job goes on without " + join(out, ", ") + ".",
        {}});
    if (!out.empty() && args.givesUp)
        log.append(events::End{"failed", 0,
                               "Node " + join(out, ", ") +
                                   " is bad, and the job was given other nodes too often already. "
                                   "Launch it again, or ask the administrators to look at the nodes."});
    return kDone;
}

}  // namespace

int preflight(const Args& args) {
    const auto parsed = parsePreflight(args);
    if (parsed.conclude) return conclude(parsed);
    // a full disk, a limit and a peer that is gone are findings, no reason to die
    for (const int signal : {SIGXFSZ, SIGPIPE}) std::signal(signal, SIG_IGN);
    const auto ranks = distEnvFrom([](const char* name) { return std::getenv(name); });
    const auto report = runPreflight(parsed.job, ranks);
    if (!ranks.isRank0()) return kDone;
    printReport(report);
    return report.anyBad() ? kFailed : kDone;
}

}  // namespace dailies::trainer
