#include "app/commands/command.h"
#include "app/terminal/cluster_connection.h"
#include "app/terminal/job_options.h"
#include "app/terminal/print_json.h"
#include "app/terminal/run_listing.h"
#include "app/terminal/table.h"
#include "core/base/counts.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/text.h"
#include "remote/cluster/run_cluster.h"
#include "remote/launch/sampling_memory.h"
#include "remote/launch/source_runs.h"
#include "remote/service/sampling_service.h"

#include <algorithm>
#include <cmath>
#include <iostream>

namespace dailies::app {

namespace {

struct SampleOptions {
    std::filesystem::path store;
    std::vector<std::string> runs, prompts, given, last, references, poses, referencePoses;
    std::filesystem::path promptFile;
    std::string checkpoint = "last", seeds = "1", guidance, steps, strength, name, format;
    std::int64_t frames = 0, overlap = 0;
    int ranks = 1;
    std::string blend = "linear";
    std::optional<std::string> negativePrompt;
    std::optional<bool> alignPoses;
    JobOptions job;
    bool dryRun = false, wait = false;
};

config::SamplingJob jobOf(const SampleOptions& options) {
    config::SamplingJob job;
    job.prompts = options.prompts;
    if (!options.promptFile.empty())
        for (auto& prompt : config::parsePrompts(readFile(options.promptFile), options.promptFile.string()))
            job.prompts.push_back(std::move(prompt));
    job.negative_prompt = options.negativePrompt;
    job.given_files = options.given;
    job.last_files = options.last;
    job.reference_files = options.references;
    job.pose_files = options.poses;
    job.reference_pose_files = options.referencePoses;
    job.align_poses = options.alignPoses;
    job.seeds = config::parseWholeNumbers(options.seeds, "--seeds");
    if (!options.guidance.empty()) job.guidance = config::parseNumbers(options.guidance, "--guidance");
    if (!options.steps.empty()) job.steps = config::parseWholeNumbers(options.steps, "--steps");
    if (!options.strength.empty()) job.strength = config::parseNumbers(options.strength, "--strength");
    job.frames = options.frames;
    job.overlap = options.overlap;
    job.blend = options.blend;
    config::throwIfInvalid(job);
    return job;
}

remote::SamplingRequest requestOf(const SampleOptions& options, const tracking::Store& store) {
    remote::SamplingRequest request;
    for (const auto& run : options.runs) request.runIds.push_back(resolveRunId(store, run));
    request.checkpoints = remote::parseCheckpointChoice(options.checkpoint);
    request.job = jobOf(options);
    request.name = options.name;
    request.resources = remote::singleProcessResources(store, request.runIds);
    request.resources.ranksPerNode = options.ranks;
    request.resources.gpusPerNode *= options.ranks;
    options.job.apply(request.resources);
    return request;
}

void printPlan(const remote::SamplingPlan& plan, const remote::SamplingEstimate& estimate,
               const remote::MemoryCheck& memory, const sweep::Resources& resources,
               const std::string& format) {
    if (format == "json") {
        Json runs = Json::array();
        for (const auto& run : plan.runs) runs.push_back({{"name", run.name}, {"params", run.params}});
        Json cost = {{"known", estimate.known}, {"basis", estimate.basis}};
        if (estimate.known) cost.update({{"seconds", estimate.seconds}, {"gpu_hours", estimate.gpuHours}});
        const Json document{{"name", plan.name},           {"clips", plan.clips},   {"runs", std::move(runs)},
                            {"estimate", std::move(cost)}, {"memory", memory.text}, {"script", plan.script}};
        printJson(document);
        return;
    }
    std::cout << oneLine(plan.name) << " would make " << pluralize(plan.clips, "clip", "clips") << " in "
              << pluralize(static_cast<long long>(plan.runs.size()), "run", "runs") << ", at most "
              << resources.parallelRuns << " at once:\n";
    for (const auto& run : plan.runs) std::cout << "  " << oneLine(run.name) << '\n';
    std::cout << '\n';
    if (estimate.known)
        std::cout << "About "
                  << durationText(std::max<std::int64_t>(1000, std::llround(estimate.seconds * 1000)))
                  << " in all. ";
    std::cout << sanitizedText(estimate.basis) << '\n';
    if (!memory.text.empty()) std::cout << sanitizedText(memory.text) << '\n';
    std::cout << "\nThe sbatch script:\n\n" << plan.script;
}

std::vector<tracking::Run> runsOf(const tracking::Store& store, const remote::SamplingPlan& plan) {
    std::vector<tracking::Run> runs;
    for (const auto& planned : plan.runs)
        if (auto run = store.run(planned.id)) runs.push_back(std::move(*run));
    return runs;
}

std::size_t clipsHere(const tracking::Store& store, const remote::SamplingPlan& plan) {
    std::vector<std::string> ids;
    for (const auto& run : plan.runs) ids.push_back(run.id);
    const auto clips = store.clips(ids);
    return static_cast<std::size_t>(
        std::ranges::count_if(clips, [](const auto& clip) { return !clip.localPath.empty(); }));
}

int waitForEnd(const remote::ClusterProfile& profile, std::unique_ptr<remote::Cluster> cluster,
               tracking::Store& store, const remote::SamplingPlan& plan, const std::string& format,
               std::stop_token stop) {
    std::vector<std::string> ids;
    for (const auto& run : plan.runs) ids.push_back(run.id);
    std::size_t shown = 0;
    followToEnd(profile, std::move(cluster), store, ids, stop, [&] {
        if (const auto here = clipsHere(store, plan); here != shown) {
            say(std::to_string(here) + " of " + pluralize(plan.clips, "clip", "clips"));
            shown = here;
        }
    });
    const auto runs = runsOf(store, plan);
    printRuns(runs, format, "adherence");
    const bool finished = std::ranges::all_of(
        runs, [](const auto& run) { return run.status == tracking::RunStatus::Finished; });
    return finished ? 0 : 1;
}

int sampleAgain(const SampleOptions& options, std::stop_token stop) {
    if (!std::filesystem::exists(options.store))
        throw InputError("There is no store " + options.store.string() + " yet.", "Launch a sweep first.");
    tracking::Store store(
        options.store, options.dryRun ? tracking::Store::Mode::ReadOnly : tracking::Store::Mode::ReadWrite);
    const auto request = requestOf(options, store);
    const auto checkpoints = remote::chooseCheckpoints(store, request);
    const auto profile =
        chooseProfile(remote::clusterOf(remote::runsOfOneCluster(store, request.runIds, "sample").front()));
    if (options.dryRun) {
        const auto plan = remote::planSampling(store, request, checkpoints, profile, profile.workspace, {});
        printPlan(plan, remote::estimateSampling(store, plan, request.resources),
                  remote::checkSamplingMemory(store, request, profile, nullptr), request.resources,
                  options.format);
        return 0;
    }
    auto cluster = connect(profile, stop);
    const auto [plan, job] = remote::submitSampling(*cluster, store, request, say, stop);
    std::cerr << "Job " << job << ", " << sanitizedText(plan.name) << ", makes "
              << pluralize(plan.clips, "clip", "clips") << " in "
              << pluralize(static_cast<long long>(plan.runs.size()), "run", "runs") << ".\n";
    if (options.wait) return waitForEnd(profile, std::move(cluster), store, plan, options.format, stop);
    printRuns(runsOf(store, plan), options.format, "adherence");
    return 0;
}

}  // namespace

void addSampleCommand(CLI::App& app, Context& context) {
    auto options = std::make_shared<SampleOptions>();
    auto* command = app.add_subcommand(
        "sample",
        "Make more clips of runs' checkpoints, as a job array: every prompt with every seed from "
        "every checkpoint, at every guidance, step count and strength of an adapter");
    command->add_option("runs", options->runs, "Run ids, id prefixes, or names")
        ->required()
        ->type_name("RUN");
    command->add_option("--prompts", options->promptFile, "A prompt a line, or a JSON list of texts")
        ->check(CLI::ExistingFile);
    command->add_option("--prompt", options->prompts, "A prompt; may be given several times")
        ->allow_extra_args(false);
    command
        ->add_option(
            "--given", options->given,
            "An image or a video that clips begin with: one for all, or one a prompt, in their order")
        ->allow_extra_args(false)
        ->type_name("FILE");
    command
        ->add_option(
            "--last", options->last,
            "An image that clips end with, for models of first and last frame: one for all, or one a "
            "prompt")
        ->allow_extra_args(false)
        ->type_name("FILE");
    command
        ->add_option("--reference", options->references,
                     "For models of characters: a picture of whom to animate, one for all or one a prompt")
        ->allow_extra_args(false)
        ->type_name("FILE");
    command
        ->add_option(
            "--poses", options->poses,
            "For models of characters: a video of drawn poses or key points (JSON), or for Champ a folder of "
            "all drawings, one for all or one a prompt")
        ->allow_extra_args(false)
        ->type_name("FILE");
    command
        ->add_option(
            "--reference-pose", options->referencePoses,
            "The reference's pose: for UniAnimate drawn or as key points (JSON), for --align-poses as key "
            "points, one for all or one a prompt")
        ->allow_extra_args(false)
        ->type_name("FILE");
    command->add_flag("--align-poses,!--no-align-poses", options->alignPoses,
                      "Give whoever moves in --poses the build and place of --reference-pose; default: as "
                      "the run sampled");
    command
        ->add_option("--negative-prompt", options->negativePrompt,
                     "What clips are guided away from; default: what the run sampled with")
        ->type_name("PROMPT");
    command->add_option("--seeds", options->seeds, "Seeds, e.g. 0..3 or 1,5,9")->type_name("SEEDS");
    command->add_option("--guidance", options->guidance, "As 1,3,5; default: what the run sampled with")
        ->type_name("SCALES");
    command->add_option("--steps", options->steps, "Sampler steps, e.g. 10,50; default: the run's own")
        ->type_name("COUNTS");
    command->add_option("--strength", options->strength, "Of an adapter (LoRA), e.g. 0,0.5,1; default: 1")
        ->type_name("NUMBERS");
    command->add_option("--checkpoint", options->checkpoint, "last, best, all, or steps as 1000,2000");
    command
        ->add_option("--frames", options->frames,
                     "Of each clip; more than the model learned are joined from "
                     "overlapping chunks")
        ->check(CLI::NonNegativeNumber);
    command->add_option("--overlap", options->overlap, "Frames that neighbouring chunks share")
        ->check(CLI::NonNegativeNumber);
    command
        ->add_option("--blend", options->blend,
                     "How the chunks of a longer clip are joined: linear (once they are finished), "
                     "progressive (at every step), uniform or triangle (at every step, as the programs of "
                     "AnimateAnyone and MimicMotion do)")
        ->check(CLI::IsMember(config::kBlends));
    command
        ->add_option("--ranks", options->ranks,
                     "Processes of a node that share each clip, each with a GPU where the runs had any")
        ->check(CLI::PositiveNumber);
    command->add_option("--name", options->name, "Job name; default: samples of RUN");
    options->job.addTo(*command);
    command->add_flag("--dry-run", options->dryRun,
                      "Show the runs, the estimate and the sbatch script; submit nothing");
    command->add_flag("--wait", options->wait,
                      "Follow until every clip is here; exit status 1 unless all runs finished");
    addStoreOption(*command, options->store);
    addFormatOption(*command, options->format, {"table", "json"});
    command->callback([options, &context] {
        context.action = [options, &context] { return sampleAgain(*options, context.stop); };
    });
}

}  // namespace dailies::app
