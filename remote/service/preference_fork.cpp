#include "remote/service/preference_fork.h"

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/text.h"
#include "core/config/schema.h"
#include "core/digest/sha256.h"
#include "core/tracking/run_tags.h"
#include "remote/launch/fork.h"

#include <algorithm>

namespace dailies::remote {

namespace {

constexpr std::size_t kHashDigits = 16;
constexpr std::int64_t kRank = 16;

/// Of the checkpoint that the adapter is trained on, below the run's folder.
std::string checkpointOf(const tracking::Store& store, const tracking::Run& run,
                         std::optional<std::int64_t> upTo) {
    std::string newest;
    for (const auto& checkpoint : store.checkpoints(run.id))  // by step
        if (!upTo || checkpoint.step <= *upTo) newest = checkpoint.path;
    if (newest.empty())
        throw InputError("Run " + sanitizedText(run.name) + " has no checkpoint" +
                             (upTo ? " up to step " + std::to_string(*upTo) : "") + ".",
                         "Choose a run that has one: an adapter is trained on top of it.");
    return newest;
}

void requireWholeWeights(const tracking::Run& run) {
    const auto rank = run.params.find("lora.rank");
    if (rank == run.params.end() || rank->second == "0") return;
    throw InputError("Run " + sanitizedText(run.name) + " is an adapter itself.",
                     "Merge it into its base first (dailies-train export --merged), then train on that: "
                     "data.source: preferences, model.init.");
}

/// What the run trained on, and what training on pairs has no use for, gives way.
void trainOnPairs(Json& config, const std::string& list, const std::string& weights) {
    const auto usual = config::findField("data.batch_size")->defaultValue().get<std::int64_t>();
    const auto wasBatch = config::flatten(config).value("data.batch_size", usual);
    for (const char* key : {"data.shards", "data.poses", "validation.every", "optimizer.freeze"})
        config::setByKey(config, key, config::findField(key)->defaultValue());
    config::setByKey(config, "data.source", "preferences");
    config::setByKey(config, "data.folder", list);
    config::setByKey(config, "data.batch_size", std::max<std::int64_t>(2, wasBatch / 2 * 2));
    config::setByKey(config, "model.init", weights);
    config::setByKey(config, "lora.rank", kRank);
    config::setByKey(config, "optimizer.ema_decay", 0.0);
}

}  // namespace

PreferenceFork forkOnPreferences(Cluster& cluster, const tracking::Store& store,
                                 const PreferenceForkRequest& request, std::stop_token stop) {
    const auto run = store.run(request.base);
    if (!run) throw InputError("The run is no longer in the store.");
    const auto& name = cluster.profile().name;
    if (tracking::tagOf(*run, tracking::tag::kCluster) != name)
        throw InputError(
            "Run " + sanitizedText(run->name) + " is not on cluster '" + sanitizedText(name) + "'.",
            "Connect to the cluster on which its checkpoints lie.");
    requireWholeWeights(*run);
    const auto checkpoint = checkpointOf(store, *run, request.step);

    PreferenceFork fork;
    const TemporaryFolder local("preferences");
    const auto list = local.path() / "preferences.jsonl";
    fork.written = judging::writePreferences(store, request.comparedRuns, list, name);
    const auto folder = cluster.workspace() + "/preferences";
    const auto remote = folder + "/" + sha256OfFile(list, stop).substr(0, kHashDigits) + ".jsonl";
    cluster.session().makeFolders(folder);
    cluster.session().upload(list, remote, 0644, stop);

    fork.sweep = makeFork(store, *run, &fork.notices);
    fork.sweep.name = "preferences of " + run->name;
    fork.sweep.metric = "preference_accuracy";
    fork.sweep.goal = sweep::Goal::Maximize;
    trainOnPairs(fork.sweep.config, remote, cluster.runFolder(run->id) + "/" + checkpoint);
    return fork;
}

}  // namespace dailies::remote
