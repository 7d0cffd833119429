#include "app/commands/command.h"
#include "app/terminal/cluster_connection.h"
#include "app/terminal/dataset_job.h"
#include "app/terminal/job_options.h"
#include "core/base/file_kind.h"
#include "core/base/files.h"
#include "remote/service/dataset_service.h"

namespace dailies::app {

namespace {

struct CaptionCommandOptions {
    std::filesystem::path store, file;
    std::string cluster, format;
    JobOptions job;
    int tasks = 0;  ///< not said
    bool dryRun = false, wait = false;
};

remote::CaptionRequest requestOf(const CaptionCommandOptions& options) {
    requireFile(options.file, "resources/examples/caption-clips.yaml is one.");
    auto request = remote::parseCaptionFile(readFile(options.file), options.file.string());
    if (options.tasks > 0) request.tasks = request.resources.parallelRuns = options.tasks;
    options.job.apply(request.resources);
    return request;
}

int captionClips(const CaptionCommandOptions& options, std::stop_token stop) {
    const auto request = requestOf(options);
    const auto profile = chooseProfile(options.cluster);
    if (options.dryRun) {
        printDatasetPlan(remote::previewCaptions(request, profile), captioning::toJson(request.job),
                         "would caption the clips of " + request.job.folder, options.format);
        return 0;
    }
    tracking::Store store(options.store);
    auto cluster = connect(profile, stop);
    const auto submitted = remote::submitCaptions(*cluster, store, request, say, stop);
    saySubmitted(submitted, "captions the clips of " + request.job.folder);
    if (!options.wait) return 0;
    return waitForDatasetJob(profile, std::move(cluster), store, submitted.plan, request.job.folder,
                             options.format, stop);
}

}  // namespace

void addCaptionCommand(CLI::App& app, Context& context) {
    auto options = std::make_shared<CaptionCommandOptions>();
    auto* command = app.add_subcommand(
        "caption",
        "Have a vision-language model describe the clips of a curated folder on a cluster, as a job array "
        "whose tasks share them; again, it goes on with what is missing");
    command
        ->add_option("file", options->file,
                     "YAML: name, folder, serve or server, model, prompt, frames, max_side, max_tokens, "
                     "temperature, parallel, again, tasks, resources, environment; "
                     "resources/examples/caption-clips.yaml is one")
        ->required()
        ->type_name("CAPTIONS.yaml");
    command->add_option("--cluster", options->cluster, "Profile name; optional when there is one");
    command->add_option("--tasks", options->tasks, "How many tasks share the clips; default: the file's")
        ->check(CLI::PositiveNumber);
    options->job.addTo(*command);
    command->add_flag("--dry-run", options->dryRun, "Show the sbatch script; submit nothing");
    command->add_flag("--wait", options->wait,
                      "Follow until all tasks have ended, and print what the folder holds; exit status 1 "
                      "unless all finished");
    addStoreOption(*command, options->store);
    addFormatOption(*command, options->format, {"table", "json"});
    command->callback([options, &context] {
        context.action = [options, &context] { return captionClips(*options, context.stop); };
    });
}

}  // namespace dailies::app
