#include "remote/launch/scoring_launch.h"

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/file_kind.h"
#include "core/base/ids.h"
#include "core/base/text.h"
#include "core/config/scoring_job.h"
#include "core/digest/sha256.h"
#include "core/sweep/resources.h"
#include "core/tracking/scored_run.h"
#include "remote/cluster/sweep_runs.h"
#include "remote/job_script/job_script.h"
#include "remote/launch/recorded_launch.h"
#include "remote/launch/source_runs.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <set>
#include <tuple>

namespace dailies::remote {

namespace {

namespace fs = std::filesystem;
namespace tag = tracking::tag;

constexpr const char* kScoringKey = "scoring";  ///< of the job in the document

Json scoringConfig(const Json& job, const Json& run) {
    Json config = job;
    config["run_folder"] = run.at("run_folder");
    return config;
}

/// The clips of the run that the request means.
std::int64_t clipsOf(const tracking::Store& store, const tracking::Run& run,
                     const std::vector<std::int64_t>& steps) {
    const auto clips = store.clips({run.id});
    const auto count = std::ranges::count_if(clips, [&](const tracking::ClipRecord& clip) {
        return steps.empty() || std::ranges::find(steps, clip.step) != steps.end();
    });
    if (count > 0) return count;
    throw InputError("Run '" + run.name + "' has no clip" + (clips.empty() ? " yet." : " of these steps."),
                     "Runs make clips at sampling.every; `dailies sample` makes more.");
}

tracking::Run recordOf(const ScoringPlan& plan, const tracking::Run& source, const config::ScoringJob& job,
                       std::int64_t clips, std::size_t index, const std::string& workspace) {
    tracking::Run run =
        makeTaskRun(source, plan.id, plan.name, index, tagOf(source, tag::kCluster), workspace);
    run.name = job.name + " of " + source.name;
    run.params["scoring.run"] = source.name;
    run.params["scoring.scorer"] = job.name;
    run.params["scoring.clips"] = std::to_string(clips);
    if (!job.reference.empty()) run.params["scoring.reference"] = job.reference;
    run.tags[tag::kScoredRun] = source.id;
    return run;
}

}  // namespace

void requireTorchScript(const fs::path& file) {
    requireFile(file, "Name a module that torch.jit.save wrote.");
    std::ifstream bytes(file, std::ios::binary);
    std::array<char, 2> front{};
    bytes.read(front.data(), front.size());
    if (front != std::array{'P', 'K'})  // TorchScript files are zip archives
        throw InputError(file.string() + " is not a TorchScript module.",
                         "Write one with torch.jit.save(torch.jit.script(module), file).");
}

std::string uploadScorer(Cluster& cluster, const fs::path& file, const Progress& progress,
                         std::stop_token stop) {
    requireTorchScript(file);
    const std::string path = cluster.workspace() + "/scorers/" + sha256OfFile(file, stop) + ".pt";
    const auto there = cluster.session().stat(path);
    if (there && there->size == fs::file_size(file)) return path;
    if (progress) progress("Uploading the scorer (" + std::to_string(fs::file_size(file) / 1024) + " kB)");
    cluster.session().makeFolders(cluster.workspace() + "/scorers");
    cluster.session().upload(file, path, 0644, stop);
    return path;
}

std::optional<std::int64_t> alreadyScoredClips(const tracking::Store& store, const ScoringRequest& request,
                                               std::stop_token stop) {
    const auto name = request.name.empty() ? config::scorerNameOf(request.scorer.string()) : request.name;
    const auto metric = config::scoreMetric(name);
    const auto module = "/" + sha256OfFile(request.scorer, stop) + ".pt";
    std::map<std::string, Json> newest;  // scoring job of this name, by the run whose clips it was given
    for (const auto& record : store.sweeps()) {
        const auto submission = scoringSubmission(record);
        if (!submission) continue;
        const Json document = parseJson(record.yaml, "sweep " + record.id);
        if (document.at(kScoringKey).at("name") != name) continue;
        for (const auto& run : document.at("runs"))
            newest.try_emplace(run.at("run_folder").get<std::string>(), document.at(kScoringKey));
    }
    std::set<std::tuple<std::string, std::int64_t, std::string>> valued;
    for (const auto& score : store.scores(request.runIds))
        if (score.value && (score.metric == metric || score.metric.starts_with(metric + "/")))
            valued.emplace(score.runId, score.step, score.path);
    std::int64_t clips = 0;
    for (const auto& run : store.runs(request.runIds)) {
        const auto job = newest.find(tagOf(run, tag::kFolder));
        if (job == newest.end() || !job->second.at("scorer").get<std::string>().ends_with(module) ||
            job->second.value("reference", "") != request.reference)
            return std::nullopt;
        for (const auto& clip : store.clips({run.id})) {
            if (!request.steps.empty() && std::ranges::find(request.steps, clip.step) == request.steps.end())
                continue;
            if (!valued.contains({run.id, clip.step, clip.path})) return std::nullopt;
            if (!request.reference.empty() && !valued.contains({run.id, clip.step, ""})) return std::nullopt;
            ++clips;
        }
    }
    return clips > 0 ? std::optional(clips) : std::nullopt;
}

ScoringPlan planScoring(const tracking::Store& store, const ScoringRequest& request,
                        const std::string& scorerOnCluster, const ClusterProfile& profile,
                        const std::string& workspace, const InstalledTrainer& trainer) {
    config::ScoringJob job;
    job.scorer = scorerOnCluster;
    job.name = request.name.empty() ? config::scorerNameOf(request.scorer.string()) : request.name;
    job.steps = request.steps;
    job.reference = request.reference;
    job.cache = workspace + "/scores";
    config::requireScorerName(job.name);
    if (const auto problem = sweep::validationError(request.resources)) throw InputError(*problem);
    const auto sources = runsOfOneCluster(store, request.runIds, "score");
    ScoringPlan plan;
    plan.id = newId();
    plan.name = job.name + " of " +
                (sources.size() == 1 ? sources[0].name : std::to_string(sources.size()) + " runs");
    plan.document = {{"sweep_id", plan.id}, {"name", plan.name}, {kScoringKey, config::toJson(job)}};
    plan.document["runs"] = Json::array();
    for (std::size_t i = 0; i < sources.size(); ++i) {
        const auto clips = clipsOf(store, sources[i], job.steps);
        plan.clips += clips;
        plan.runs.push_back(recordOf(plan, sources[i], job, clips, i, workspace));
        plan.document["runs"].push_back({{"run_id", plan.runs.back().id},
                                         {"name", plan.runs.back().name},
                                         {"run_folder", tagOf(sources[i], tag::kFolder)}});
    }
    plan.script = arrayScript({.sweepId = plan.id,
                               .sweepName = plan.name,
                               .tasks = sources.size(),
                               .resources = request.resources,
                               .workspace = workspace,
                               .program = trainerParts(trainerPath(workspace, trainer), "score"),
                               .environment = trainingEnvironment(store, request.runIds)},
                              profile);
    return plan;
}

std::string launchScoring(Cluster& cluster, const ScoringPlan& plan, tracking::Store& store,
                          const Progress& progress, std::stop_token stop) {
    return recordAndSubmit(cluster, store, plan.runs, plan.name,
                           submissionOf(plan.id, plan.document, plan.script, kScoringKey, scoringConfig),
                           progress, stop);
}

std::optional<Submission> scoringSubmission(const tracking::SweepRecord& record) {
    return submissionFromRecord(record, kScoringKey, scoringConfig);
}

}  // namespace dailies::remote
