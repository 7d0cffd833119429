#include "app/commands/command.h"
#include "app/terminal/cluster_connection.h"
#include "app/terminal/job_options.h"
#include "app/terminal/print_json.h"
#include "app/terminal/run_listing.h"
#include "core/base/text.h"
#include "core/config/sampling_job.h"
#include "remote/launch/source_runs.h"
#include "remote/service/batch_service.h"

#include <iostream>
#include <string>
#include <vector>

namespace dailies::app {

namespace {

struct BatchOptions {
    std::filesystem::path store;
    std::string run, steps, format;
    std::int64_t rank = 0, clips = 16;
    JobOptions job;
    bool wait = false;
};

int showBatch(const BatchOptions& options, std::stop_token stop) {
    tracking::Store store(options.store);
    remote::BatchRequest request;
    request.runId = resolveRunId(store, options.run);
    request.steps = config::parseWholeNumbers(options.steps, "--steps");
    request.rank = options.rank;
    request.clips = options.clips;
    request.resources = remote::singleProcessResources(store, {request.runId});
    options.job.apply(request.resources);
    auto cluster = connectToClusterOf(store, request.runId, stop);
    const auto profile = cluster->profile();
    const auto [plan, job] = remote::submitBatch(*cluster, store, request, say, stop);
    std::cerr << "Job " << job << " shows " << sanitizedText(plan.name) << ".\n";
    const std::vector<std::string> ids{plan.run.id};
    if (options.wait) followToEnd(profile, std::move(cluster), store, ids, stop);
    printRuns(store.runs(ids), options.format, {});
    return !options.wait || sayUnfinished(store, ids) ? 0 : 1;
}

}  // namespace

void addBatchCommand(CLI::App& app, Context& context) {
    auto options = std::make_shared<BatchOptions>();
    auto* command = app.add_subcommand("batch",
                                       "Show what a rank of a run sees of steps, trained or not: its clips "
                                       "decoded back, at their noise, with caption and place in the data, "
                                       "as clips of a run of their own");
    command->add_option("run", options->run, "Run id, id prefix, or name")->required();
    command->add_option("--steps", options->steps, "Which, as 1,500 or 1..4")->required()->type_name("STEPS");
    command->add_option("--rank", options->rank, "Whose share of the batch")->type_name("N");
    command->add_option("--clips", options->clips, "At most so many of each step")->type_name("N");
    options->job.addTo(*command);
    command->add_flag("--wait", options->wait,
                      "Follow until they are there; exit status 1 unless the job finished");
    addStoreOption(*command, options->store);
    addFormatOption(*command, options->format, {"table", "json"});
    command->callback([options, &context] {
        context.action = [options, &context] { return showBatch(*options, context.stop); };
    });
}

}  // namespace dailies::app
