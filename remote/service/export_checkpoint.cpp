#include "remote/service/export_checkpoint.h"

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/tracking/sampled_run.h"
#include "remote/cluster/environment_script.h"
#include "remote/cluster/run_cluster.h"
#include "remote/cluster/sweep_runs.h"
#include "remote/job_script/job_script.h"
#include "remote/launch/source_runs.h"

namespace dailies::remote {

namespace {

namespace fs = std::filesystem;

struct Source {
    tracking::Run run;
    CheckpointRef checkpoint;
};

Source sourceOf(Cluster& cluster, const tracking::Store& store, const CheckpointExport& wanted,
                std::stop_token stop) {
    tracking::Run run = requireRun(store, wanted.runId);
    requireConnected(&cluster, run);
    if (const auto sampled = tagOf(run, tracking::tag::kSampledRun); !sampled.empty())
        run = requireRun(store, sampled);
    SamplingRequest request;
    request.runIds = {run.id};
    request.checkpoints = wanted.checkpoint;
    const auto there = existingCheckpoints(cluster, chooseCheckpoints(store, request), stop);
    if (there.size() > 1)
        throw InputError("Several checkpoints of run '" + run.name + "' are chosen.",
                         "Export one at a time: last, best, or a step.");
    return {std::move(run), there.front()};
}

std::string option(const std::string& name, const std::string& value) {
    return value.empty() ? std::string() : " --" + name + "=" + shellQuote(value);
}

/// Loading a checkpoint is too much for a login node, so srun runs it, with the memory that its run had. The
/// dots keep a connection alive that would take long silence for its end.
std::string exportScript(const Source& source, const std::string& out, const CheckpointExport& wanted,
                         const std::string& program, const ClusterProfile& profile,
                         const sweep::Resources& resources) {
    const auto environment = scriptOf(profile.environment, profile.setup,
                                      {.workspace = profile.workspace, .gpus = resources.gpusPerNode > 0});
    const auto launcher = join(environment.launcher, " ");
    const auto srunOptions = join(environment.srunOptions, " ");
    return "out=" + shellQuote(out) + "\n[ -d \"$out\" ] && exit 0\n" + join(environment.lines, "\n") +
           "\nmkdir -p \"$(dirname \"$out\")\" && partial=$(mktemp -d \"$out.XXXXXX\") || exit 1\n"
           "trap 'rm -rf \"$partial\"' EXIT\n"
           "srun --quiet --job-name=dailies-export --nodes=1 --ntasks=1" +
           option("partition", firstNonEmpty(resources.partition, profile.partition)) +
           option("account", firstNonEmpty(resources.account, profile.account)) +
           option("qos", firstNonEmpty(resources.qos, profile.qos)) + option("mem", resources.memory) + " " +
           srunOptions + " " + launcher + " " + shellQuote(program) + " export " +
           shellQuote(source.checkpoint.folder) + " \"$partial/model.safetensors\"" +
           (wanted.average ? " --average" : "") +
           " >&2 &\n"
           "job=$!\n"
           "while kill -0 $job 2>/dev/null; do printf .; sleep 1; done\n"
           "wait $job || exit 1\n"
           "chmod 755 \"$partial\" && mv -T \"$partial\" \"$out\"\n";
}

std::string percent(std::uint64_t done, std::uint64_t total) {
    return std::to_string(total > 0 ? 100 * done / total : 100) + " %";
}

void fetch(Cluster& cluster, const std::string& from, const fs::path& to, const Progress& progress,
           std::stop_token stop) {
    fs::create_directories(to);
    for (const auto& entry : cluster.session().list(from)) {
        if (entry.stat.isFolder) continue;
        const fs::path local = to / entry.name;
        std::error_code absent;
        if (fs::file_size(local, absent) == entry.stat.size && !absent) continue;
        std::string told;
        cluster.session().download(from + "/" + entry.name, local, stop,
                                   [&](std::uint64_t done, std::uint64_t total) {
                                       const auto now = percent(done, total);
                                       if (progress && now != told)
                                           progress("Copying " + sanitizedText(entry.name) + ", " + now);
                                       told = now;
                                   });
    }
}

}  // namespace

fs::path exportCheckpoint(Cluster& cluster, const tracking::Store& store, const CheckpointExport& wanted,
                          const Progress& progress, std::stop_token stop) {
    const auto source = sourceOf(cluster, store, wanted, stop);
    const auto trainer = ensureTrainer(cluster, makeSourceBundle(), progress, stop,
                                       trainingEnvironment(store, {source.run.id}));
    const auto name = "step-" + std::to_string(source.checkpoint.step) + (wanted.average ? "-average" : "");
    const auto out = tagOf(source.run, tracking::tag::kFolder) + "/exports/" + name;
    if (progress) progress("Exporting " + name + " of " + sanitizedText(source.run.name));
    ClusterProfile profile = cluster.profile();
    profile.workspace = cluster.workspace();
    const auto answer = cluster.session().run(exportScript(source, out, wanted, trainer.program, profile,
                                                           singleProcessResources(store, {source.run.id})),
                                              stop);
    if (!answer.ok())
        throw Error("The checkpoint " + source.checkpoint.folder +
                        " could not be exported: " + sanitizedText(trim(answer.err)) + ".",
                    "Check that the cluster has a free node and the workspace has room.");
    const auto local = wanted.folder / (jobName(source.run.name) + "-" + name);
    fetch(cluster, out, local, progress, stop);
    return local;
}

}  // namespace dailies::remote
