// curate, caption, score-clips and shard: jobs that make a dataset on a cluster, each told by a file.
#include "app/commands/command.h"
#include "app/terminal/cluster_connection.h"
#include "app/terminal/job_options.h"
#include "app/terminal/print_json.h"
#include "core/base/counts.h"
#include "core/base/file_kind.h"
#include "core/base/files.h"
#include "core/base/text.h"
#include "remote/service/dataset_service.h"

#include <iostream>

namespace dailies::app {

namespace {

/// How one of the commands differs from the others.
template <class Request>
struct DatasetCommand {
    const char *name, *about;
    const char *keys, *example, *fileType;  ///< of its file
    bool hasTasks;                          ///< that share the work
    Request (*parse)(std::string_view text, const std::string& source);
    remote::DatasetPlan (*preview)(const Request&, const remote::ClusterProfile&);
    remote::Submitted<remote::DatasetPlan> (*submit)(remote::Cluster&, tracking::Store&, const Request&,
                                                     const remote::Progress&, std::stop_token);
    Json (*job)(const Request&);
    std::string (*does)(const Request&);    ///< "curate /films into /set"
    std::string (*folder)(const Request&);  ///< the curated one
};

struct DatasetCommandOptions {
    std::filesystem::path store, file;
    std::string cluster, format;
    JobOptions job;
    int tasks = 0;  ///< not said
    bool dryRun = false, wait = false;
};

std::string tasksText(const remote::DatasetPlan& plan) {
    return pluralize(static_cast<long long>(plan.runs.size()), "task", "tasks");
}

void printPlan(const remote::DatasetPlan& plan, const Json& job, const std::string& does,
               const std::string& format) {
    if (format == "json") {
        printJson(
            Json{{"name", plan.name}, {"tasks", plan.runs.size()}, {"job", job}, {"script", plan.script}});
        return;
    }
    std::cout << oneLine(plan.name) << " would " << oneLine(does) << " by " << tasksText(plan)
              << ".\n\nThe sbatch script:\n\n"
              << plan.script;
}

/// Follows until all tasks have ended, prints what the folder holds then, and returns the exit status.
int waitForEnd(const remote::ClusterProfile& profile, std::unique_ptr<remote::Cluster> cluster,
               tracking::Store& store, const remote::DatasetPlan& plan, const std::string& folder,
               const std::string& format, std::stop_token stop) {
    std::vector<std::string> ids;
    for (const auto& run : plan.runs) ids.push_back(run.id);
    followToEnd(profile, std::move(cluster), store, ids, stop);
    const bool finished = sayUnfinished(store, ids);
    const auto again = connect(profile, stop);
    if (const auto summary = remote::curatedSummary(*again, folder)) {
        if (format == "json")
            printJson(summary->toJson());
        else
            std::cout << summary->text();
    }
    return finished ? 0 : 1;
}

template <class Request>
int run(const DatasetCommand<Request>& command, const DatasetCommandOptions& options, std::stop_token stop) {
    requireFile(options.file, std::string(command.example) + " is one.");
    auto request = command.parse(readFile(options.file), options.file.string());
    if (options.tasks > 0) request.tasks = request.resources.parallelRuns = options.tasks;
    options.job.apply(request.resources);
    const auto profile = chooseProfile(options.cluster);
    const auto does = command.does(request);
    if (options.dryRun) {
        printPlan(command.preview(request, profile), command.job(request), does, options.format);
        return 0;
    }
    tracking::Store store(options.store);
    auto cluster = connect(profile, stop);
    const auto [plan, job] = command.submit(*cluster, store, request, say, stop);
    std::cerr << "Job " << job << ", " << sanitizedText(plan.name) << ", will " << sanitizedText(does)
              << " by " << tasksText(plan) << ".\n";
    if (!options.wait) return 0;
    return waitForEnd(profile, std::move(cluster), store, plan, command.folder(request), options.format,
                      stop);
}

template <class Request>
void add(CLI::App& app, Context& context, const DatasetCommand<Request>& told) {
    auto options = std::make_shared<DatasetCommandOptions>();
    auto* command = app.add_subcommand(told.name, told.about);
    command
        ->add_option("file", options->file,
                     std::string("YAML: ") + told.keys + "; " + told.example + " is one")
        ->required()
        ->type_name(told.fileType);
    command->add_option("--cluster", options->cluster, "Profile name; optional when there is one");
    if (told.hasTasks)
        command->add_option("--tasks", options->tasks, "How many tasks share the work; default: the file's")
            ->check(CLI::PositiveNumber);
    options->job.addTo(*command);
    command->add_flag("--dry-run", options->dryRun, "Show the sbatch script; submit nothing");
    command->add_flag("--wait", options->wait,
                      "Follow until all tasks have ended, and print what the curated folder holds; exit "
                      "status 1 unless all finished");
    addStoreOption(*command, options->store);
    addFormatOption(*command, options->format, {"table", "json"});
    command->callback([told, options, &context] {
        context.action = [told, options, &context] { return run(told, *options, context.stop); };
    });
}

}  // namespace

void addCurateCommand(CLI::App& app, Context& context) {
    add<remote::CurationRequest>(
        app, context,
        {.name = "curate",
         .about = "Cut films of a cluster into clips and say which to keep, as a job array whose tasks share "
                  "the films; again, it goes on with what is missing, and other thresholds decode nothing",
         .keys =
             "name, films, out, write_clips, write_previews, cuts, duplicates, verdict, tasks, resources, "
             "environment",
         .example = "resources/examples/curate-films.yaml",
         .fileType = "CURATION.yaml",
         .hasTasks = true,
         .parse = remote::parseCurationFile,
         .preview = remote::previewCuration,
         .submit = remote::submitCuration,
         .job = [](const auto& request) { return curation::toJson(request.job); },
         .does =
             [](const auto& request) {
                 return "curate " + join(request.job.films, ", ") + " into " + request.job.out;
             },
         .folder = [](const auto& request) { return request.job.out; }});
}

void addCaptionCommand(CLI::App& app, Context& context) {
    add<remote::CaptionRequest>(
        app, context,
        {.name = "caption",
         .about = "Have a vision-language model describe the clips of a curated folder on a cluster, as a "
                  "job array whose tasks share them; again, it goes on with what is missing",
         .keys = "name, folder, serve or server, model, prompt, frames, max_side, max_tokens, temperature, "
                 "parallel, again, tasks, resources, environment",
         .example = "resources/examples/caption-clips.yaml",
         .fileType = "CAPTIONS.yaml",
         .hasTasks = true,
         .parse = remote::parseCaptionFile,
         .preview = remote::previewCaptions,
         .submit = remote::submitCaptions,
         .job = [](const auto& request) { return captioning::toJson(request.job); },
         .does = [](const auto& request) { return "caption the clips of " + request.job.folder; },
         .folder = [](const auto& request) { return request.job.folder; }});
}

void addScoreClipsCommand(CLI::App& app, Context& context) {
    add<remote::ClipScoringRequest>(
        app, context,
        {.name = "score-clips",
         .about =
             "Give the clips of a curated folder on a cluster to a scorer of yours, a TorchScript module, "
             "as a job array whose tasks share them; the folder's rules may drop clips by its numbers",
         .keys = "name, folder, scorer, score_name, frames, max_side, tasks, resources, environment",
         .example = "resources/examples/score-clips.yaml",
         .fileType = "SCORES.yaml",
         .hasTasks = true,
         .parse = remote::parseClipScoringFile,
         .preview = remote::previewClipScores,
         .submit = remote::submitClipScores,
         .job = [](const auto& request) { return curation::toJson(request.job); },
         .does =
             [](const auto& request) {
                 return "score the clips of " + request.job.folder + " as " + request.job.name;
             },
         .folder = [](const auto& request) { return request.job.folder; }});
}

void addShardCommand(CLI::App& app, Context& context) {
    add<remote::ShardRequest>(
        app, context,
        {.name = "shard",
         .about = "Pack the clips that a curated folder on a cluster keeps into WebDataset shards, as a job; "
                  "again, it adds what is kept since and excludes what is dropped since",
         .keys = "name, folder, out, size_mib, resources, environment",
         .example = "resources/examples/shard-clips.yaml",
         .fileType = "SHARDS.yaml",
         .hasTasks = false,
         .parse = remote::parseShardFile,
         .preview = remote::previewShards,
         .submit = remote::submitShards,
         .job = [](const auto& request) { return curation::toJson(request.job); },
         .does =
             [](const auto& request) {
                 return "pack the clips of " + request.job.folder + " into " + request.job.out;
             },
         .folder = [](const auto& request) { return request.job.folder; }});
}

}  // namespace dailies::app
