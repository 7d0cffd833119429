#include "app/commands/command.h"
#include "app/terminal/cluster_connection.h"
#include "app/terminal/job_options.h"
#include "app/terminal/print_json.h"
#include "app/terminal/run_listing.h"
#include "app/terminal/table.h"
#include "core/base/counts.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/config/sampling_job.h"
#include "core/config/scoring_job.h"
#include "remote/cluster/run_cluster.h"
#include "remote/launch/source_runs.h"
#include "remote/service/scoring_service.h"

#include <algorithm>
#include <iostream>
#include <iterator>
#include <set>

namespace dailies::app {

namespace {

struct ScoreOptions {
    std::filesystem::path store, scorer;
    std::vector<std::string> runs;
    std::string sweep, filter, name, reference, steps, format;
    JobOptions job;
    bool dryRun = false, wait = false;
};

/// The runs that are named, else those of a sweep or filter that have clips.
std::vector<std::string> chosenRuns(const ScoreOptions& options, const tracking::Store& store) {
    std::vector<std::string> ids;
    for (const auto& run : options.runs) ids.push_back(resolveRunId(store, run));
    if (!ids.empty()) return ids;
    if (options.sweep.empty() && options.filter.empty())
        throw InputError("No runs are named.", "Give --runs RUN…, --sweep SWEEP or --filter EXPR.");
    auto runs = store.runs();
    filterBySweep(runs, options.sweep);
    filterRuns(runs, options.filter);
    std::vector<std::string> matching;
    for (const auto& run : runs) matching.push_back(run.id);
    std::set<std::string> withClips;
    for (const auto& clip : store.clips(matching)) withClips.insert(clip.runId);
    std::ranges::copy_if(matching, std::back_inserter(ids),
                         [&](const std::string& id) { return withClips.contains(id); });
    if (ids.empty()) throw InputError("No run matches that has clips.", "`dailies runs` lists the runs.");
    return ids;
}

remote::ScoringRequest requestOf(const ScoreOptions& options, const tracking::Store& store) {
    remote::ScoringRequest request;
    request.runIds = chosenRuns(options, store);
    request.scorer = options.scorer;
    request.name = options.name.empty() ? config::scorerNameOf(options.scorer.string()) : options.name;
    request.reference = options.reference;
    if (!options.steps.empty()) request.steps = config::parseWholeNumbers(options.steps, "--steps");
    request.resources = remote::singleProcessResources(store, request.runIds);
    options.job.apply(request.resources);
    return request;
}

void printPlan(const remote::ScoringPlan& plan, const std::string& format) {
    if (format == "json") {
        Json runs = Json::array();
        for (const auto& run : plan.runs) runs.push_back({{"name", run.name}, {"params", run.params}});
        const Json document{
            {"name", plan.name}, {"clips", plan.clips}, {"runs", std::move(runs)}, {"script", plan.script}};
        printJson(document);
        return;
    }
    std::cout << oneLine(plan.name) << " would score " << pluralize(plan.clips, "clip", "clips") << " in "
              << pluralize(static_cast<long long>(plan.runs.size()), "job", "jobs") << ":\n";
    for (const auto& run : plan.runs) std::cout << "  " << oneLine(run.name) << '\n';
    std::cout << "\nThe sbatch script:\n\n" << plan.script;
}

void printScored(const tracking::Store& store, const remote::ScoringRequest& request,
                 const std::string& format) {
    printRuns(store.runs(request.runIds), format, config::scoreMetric(request.name));
}

/// Which clips have no score, and why.
void tellProblems(const tracking::Store& store, const remote::ScoringRequest& request) {
    const auto metric = config::scoreMetric(request.name);
    for (const auto& score : store.scores(request.runIds))
        if (score.metric == metric && !score.value)
            say(score.path + (score.path.empty() ? "step " + std::to_string(score.step) : "") + ": " +
                score.problem);
}

int waitForEnd(const remote::ClusterProfile& profile, std::unique_ptr<remote::Cluster> cluster,
               tracking::Store& store, const remote::ScoringPlan& plan, const remote::ScoringRequest& request,
               const std::string& format, std::stop_token stop) {
    std::vector<std::string> ids;
    for (const auto& run : plan.runs) ids.push_back(run.id);
    followToEnd(profile, std::move(cluster), store, ids, stop);
    tellProblems(store, request);
    printScored(store, request, format);
    return sayUnfinished(store, ids) ? 0 : 1;
}

int scoreClips(const ScoreOptions& options, std::stop_token stop) {
    if (!std::filesystem::exists(options.store))
        throw InputError("There is no store " + options.store.string() + " yet.", "Launch a sweep first.");
    tracking::Store store(
        options.store, options.dryRun ? tracking::Store::Mode::ReadOnly : tracking::Store::Mode::ReadWrite);
    remote::requireTorchScript(options.scorer);
    const auto request = requestOf(options, store);
    if (const auto nothing = remote::nothingToScore(store, request, stop)) {
        say(*nothing);
        if (!options.dryRun) printScored(store, request, options.format);
        return 0;
    }
    const auto profile =
        chooseProfile(remote::clusterOf(remote::runsOfOneCluster(store, request.runIds, "score").front()));
    const auto preview = remote::previewScoring(store, request, profile);
    if (options.dryRun) {
        printPlan(preview, options.format);
        return 0;
    }
    auto cluster = connect(profile, stop);
    const auto [plan, job] = remote::submitScoring(*cluster, store, request, say, stop);
    std::cerr << "Job " << job << ", " << sanitizedText(plan.name) << ", scores "
              << pluralize(plan.clips, "clip", "clips") << ".\n";
    if (options.wait)
        return waitForEnd(profile, std::move(cluster), store, plan, request, options.format, stop);
    printScored(store, request, options.format);
    return 0;
}

}  // namespace

void addScoreCommand(CLI::App& app, Context& context) {
    auto options = std::make_shared<ScoreOptions>();
    auto* command = app.add_subcommand(
        "score",
        "Give the clips of runs to a scorer of yours, a TorchScript module, as a job array; its numbers "
        "become metrics score/NAME of the runs. A clip that it scored before is not scored again");
    command
        ->add_option("scorer", options->scorer,
                     "A module that torch.jit.save wrote: forward(frames: uint8 [T, 3, H, W]) or "
                     "forward(frames, caption: str) -> a number or Dict[str, Tensor], or features(frames) -> "
                     "[D] for a distance to --reference")
        ->required()
        ->type_name("SCORER.pt");
    auto* runs =
        command->add_option("--runs", options->runs, "Run ids, id prefixes, or names")->type_name("RUN…");
    command
        ->add_option("--sweep", options->sweep,
                     "The runs of this sweep: its name, or the beginning of its id")
        ->type_name("SWEEP")
        ->excludes(runs);
    command->add_option("--filter", options->filter, "The runs for which it holds, as of `dailies runs`")
        ->type_name("EXPR")
        ->excludes(runs);
    command->add_option("--name", options->name, "Metric name; default: the file's name");
    command
        ->add_option("--reference", options->reference,
                     "A folder of videos on the cluster: the Fréchet distance of each step's clips to them "
                     "is score/NAME/frechet")
        ->type_name("DIR");
    command->add_option("--steps", options->steps, "Only clips of these steps, as 1000,2000")
        ->type_name("STEPS");
    options->job.addTo(*command);
    command->add_flag("--dry-run", options->dryRun, "Show the jobs and the sbatch script; submit nothing");
    command->add_flag("--wait", options->wait,
                      "Follow until every clip is scored; exit status 1 unless all jobs finished");
    addStoreOption(*command, options->store);
    addFormatOption(*command, options->format, {"table", "json"});
    command->callback([options, &context] {
        context.action = [options, &context] { return scoreClips(*options, context.stop); };
    });
}

}  // namespace dailies::app
