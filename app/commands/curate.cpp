#include "app/commands/command.h"
#include "app/terminal/cluster_connection.h"
#include "app/terminal/dataset_job.h"
#include "app/terminal/job_options.h"
#include "core/base/file_kind.h"
#include "core/base/files.h"
#include "core/base/text.h"
#include "remote/service/dataset_service.h"

namespace dailies::app {

namespace {

struct CurateCommandOptions {
    std::filesystem::path store, file;
    std::string cluster, format;
    JobOptions job;
    int tasks = 0;  ///< not said
    bool dryRun = false, wait = false;
};

remote::CurationRequest requestOf(const CurateCommandOptions& options) {
    requireFile(options.file, "resources/examples/curate-films.yaml is one.");
    auto request = remote::parseCurationFile(readFile(options.file), options.file.string());
    if (options.tasks > 0) request.tasks = request.resources.parallelRuns = options.tasks;
    options.job.apply(request.resources);
    return request;
}

int curateFilms(const CurateCommandOptions& options, std::stop_token stop) {
    const auto request = requestOf(options);
    const auto profile = chooseProfile(options.cluster);
    if (options.dryRun) {
        printDatasetPlan(remote::previewCuration(request, profile), curation::toJson(request.job),
                         "would curate " + join(request.job.films, ", ") + " into " + request.job.out,
                         options.format);
        return 0;
    }
    tracking::Store store(options.store);
    auto cluster = connect(profile, stop);
    const auto submitted = remote::submitCuration(*cluster, store, request, say, stop);
    saySubmitted(submitted, "curates into " + request.job.out);
    if (!options.wait) return 0;
    return waitForDatasetJob(profile, std::move(cluster), store, submitted.plan, request.job.out,
                             options.format, stop);
}

}  // namespace

void addCurateCommand(CLI::App& app, Context& context) {
    auto options = std::make_shared<CurateCommandOptions>();
    auto* command = app.add_subcommand(
        "curate",
        "Cut films of a cluster into clips and say which to keep, as a job array whose tasks share the "
        "films; again, it goes on with what is missing, and other thresholds decode nothing");
    command
        ->add_option("file", options->file,
                     "YAML: name, films, out, write_clips, write_previews, cuts, duplicates, verdict, tasks, "
                     "resources, environment; resources/examples/curate-films.yaml is one")
        ->required()
        ->type_name("CURATION.yaml");
    command->add_option("--cluster", options->cluster, "Profile name; optional when there is one");
    command->add_option("--tasks", options->tasks, "How many tasks share the films; default: the file's")
        ->check(CLI::PositiveNumber);
    options->job.addTo(*command);
    command->add_flag("--dry-run", options->dryRun, "Show the sbatch script; submit nothing");
    command->add_flag("--wait", options->wait,
                      "Follow until all tasks have ended, and print what the folder holds; exit status 1 "
                      "unless all finished");
    addStoreOption(*command, options->store);
    addFormatOption(*command, options->format, {"table", "json"});
    command->callback([options, &context] {
        context.action = [options, &context] { return curateFilms(*options, context.stop); };
    });
}

}  // namespace dailies::app
