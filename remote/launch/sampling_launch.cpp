#include "remote/launch/sampling_launch.h"

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/ids.h"
#include "core/base/json.h"
#include "core/base/text.h"
#include "core/config/family_traits.h"
#include "core/sweep/resources.h"
#include "core/tracking/sampled_run.h"
#include "remote/cluster/sweep_runs.h"
#include "remote/job_script/job_script.h"
#include "remote/launch/recorded_launch.h"
#include "remote/launch/source_runs.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <set>
#include <tuple>

namespace dailies::remote {

namespace {

namespace tag = tracking::tag;

constexpr const char* kSamplingKey = "sampling";  ///< of the job in the document

std::string paramOf(const tracking::Run& run, const std::string& key, const std::string& absent = {}) {
    const auto param = run.params.find(key);
    return param == run.params.end() ? absent : param->second;
}

std::vector<std::string> guidanceTypesOf(const tracking::Run& run) {
    return parseJson(paramOf(run, "model.guidance_types", "[]"), "model.guidance_types");
}

/// What the run's best checkpoint is judged by.
struct Ranking {
    std::string metric;
    bool higherIsBetter = false;
};

Ranking rankingOf(const tracking::Store& store, const tracking::Run& run) {
    if (auto metric = paramOf(run, "checkpoint.keep_best"); !metric.empty())
        return {metric, paramOf(run, "checkpoint.best_is") == "highest"};
    if (const auto record = store.sweep(tagOf(run, tag::kSweep))) {
        try {
            const auto sweep = sweep::parseSweep(record->yaml, record->name);
            if (!sweep.metric.empty()) return {sweep.metric, sweep.goal == sweep::Goal::Maximize};
        } catch (const InputError&) {
            // made by a program that knew other keys
        }
    }
    throw InputError("Run '" + run.name + "' has no metric to rank its checkpoints by.",
                     "Choose last, all or a step; or set checkpoint.keep_best, or the sweep's metric.");
}

/// The metric's value when the checkpoint was written: its last at or before the step.
std::optional<double> valueAt(const std::vector<tracking::MetricPoint>& history, std::int64_t step) {
    std::optional<double> value;
    for (const auto& point : history)
        if (point.step <= step && std::isfinite(point.value)) value = point.value;
    return value;
}

std::int64_t bestStep(const tracking::Store& store, const tracking::Run& run,
                      const std::vector<tracking::CheckpointRecord>& checkpoints) {
    const auto ranking = rankingOf(store, run);
    const auto history = store.history(run.id, ranking.metric);
    std::optional<double> best;
    std::int64_t step = 0;
    for (const auto& checkpoint : checkpoints) {
        const auto value = valueAt(history, checkpoint.step);
        if (!value || (best && (ranking.higherIsBetter ? *value <= *best : *value >= *best))) continue;
        best = value;
        step = checkpoint.step;
    }
    if (!best)
        throw InputError(
            "Run '" + run.name + "' has no value of " + ranking.metric + " at any of its checkpoints.",
            "Choose last, all or a step.");
    return step;
}

std::vector<std::int64_t> chosenSteps(const tracking::Store& store, const tracking::Run& run,
                                      const CheckpointChoice& choice) {
    const auto checkpoints = store.checkpoints(run.id);
    if (checkpoints.empty())
        throw InputError("Run '" + run.name + "' has no checkpoint yet.",
                         "Choose another run, or wait for its first (checkpoint.every).");
    std::set<std::int64_t> all;
    for (const auto& checkpoint : checkpoints) all.insert(checkpoint.step);
    switch (choice.kind) {
        case CheckpointChoice::Kind::Last:
            return {*all.rbegin()};
        case CheckpointChoice::Kind::Best:
            return {bestStep(store, run, checkpoints)};
        case CheckpointChoice::Kind::All:
            return {all.begin(), all.end()};
        case CheckpointChoice::Kind::Steps:
            break;
    }
    for (const auto step : choice.steps) {
        if (all.contains(step)) continue;
        std::vector<std::string> there;
        for (const auto known : all) there.push_back(std::to_string(known));
        throw InputError("Run '" + run.name + "' has no checkpoint of step " + std::to_string(step) + ".",
                         "It has those of steps " + join(there, ", ") + ".");
    }
    return choice.steps;
}

struct Task {
    CheckpointRef checkpoint;
    std::optional<double> guidance;
    std::optional<std::int64_t> steps;
    std::optional<double> strength;
};

/// The values, or one that stands for the run's own.
template <class T>
std::vector<std::optional<T>> orOwn(const std::vector<T>& wanted) {
    if (wanted.empty()) return {std::nullopt};
    return {wanted.begin(), wanted.end()};
}

std::vector<Task> tasksOf(const config::SamplingJob& job, const std::vector<CheckpointRef>& checkpoints) {
    std::vector<Task> tasks;
    for (const auto& checkpoint : checkpoints)
        for (const auto& guidance : orOwn(job.guidance))
            for (const auto& steps : orOwn(job.steps))
                for (const auto& strength : orOwn(job.strength))
                    tasks.push_back({checkpoint, guidance, steps, strength});
    return tasks;
}

/// A task as the document keeps it, and its config.json.
Json toJson(const Task& task) {
    Json json = {{"checkpoint", task.checkpoint.folder}};
    if (task.guidance) json["guidance"] = *task.guidance;
    if (task.steps) json["steps"] = *task.steps;
    if (task.strength) json["strength"] = *task.strength;
    return json;
}

Json samplingConfig(const Json& job, const Json& task) {
    Json config = job;
    config["checkpoints"] = Json::array({task.at("checkpoint")});
    config["guidance"] = task.contains("guidance") ? Json::array({task.at("guidance")}) : Json::array();
    config["steps"] = task.contains("steps") ? Json::array({task.at("steps")}) : Json::array();
    if (task.contains("strength")) config["strength"] = Json::array({task.at("strength")});
    return config;
}

template <class T, class Of>
bool varies(const std::vector<Task>& tasks, Of of) {
    std::set<T> seen;
    for (const auto& task : tasks) seen.insert(of(task));
    return seen.size() > 1;
}

/// What tells a task from the others: "lr=0.01 step 800 guidance 3".
std::string nameOf(const Task& task, const std::string& runName, const std::vector<Task>& tasks) {
    std::vector<std::string> parts;
    const bool severalSteps = varies<std::int64_t>(tasks, [](const Task& t) { return t.checkpoint.step; });
    const bool severalGuidances = varies<double>(tasks, [](const Task&t) { return t.guidance.value_or(0); }),
               severalCounts = varies<std::int64_t>(tasks, [](const Task&t) { return t.steps.value_or(0); }),
               severalStrengths = varies<double>(tasks, [](const Task&t) { return t.strength.value_or(1); });
    const bool severalSettings = severalGuidances || severalCounts || severalStrengths;
    if (varies<std::string>(tasks, [](const Task& t) { return t.checkpoint.runId; }) ||
        (!severalSteps && !severalSettings))
        parts.push_back(runName);
    if (severalSteps || !severalSettings) parts.push_back("step " + std::to_string(task.checkpoint.step));
    if (severalGuidances) parts.push_back("guidance " + shortNumber(*task.guidance));
    if (severalCounts) parts.push_back(std::to_string(*task.steps) + " steps");
    if (severalStrengths) parts.push_back("strength " + shortNumber(*task.strength));
    return join(parts, " ");
}

tracking::Run recordOf(const SamplingPlan& plan, const Task& task, const tracking::Run& source,
                       const config::SamplingJob& job, std::size_t index, const std::string& cluster,
                       const std::string& workspace) {
    tracking::Run run = makeTaskRun(source, plan.id, plan.name, index, cluster, workspace);
    run.params["checkpoint.run"] = source.name;
    run.params["checkpoint.step"] = std::to_string(task.checkpoint.step);
    run.params["sampling.guidance"] =
        task.guidance ? shortNumber(*task.guidance) : paramOf(source, "sampling.guidance");
    run.params["sampling.steps"] =
        task.steps ? std::to_string(*task.steps) : paramOf(source, "sampling.steps");
    if (task.strength) run.params["sampling.strength"] = shortNumber(*task.strength);
    run.params["sampling.sampler"] = paramOf(source, "sampling.sampler");
    run.params["sampling.frames"] =
        job.frames > 0 ? std::to_string(job.frames) : paramOf(source, "data.frames");
    run.params["sampling.clips"] = std::to_string(job.prompts.size() * job.seeds.size());
    run.tags[tag::kSampledRun] = source.id;
    run.tags[tag::kSampledStep] = std::to_string(task.checkpoint.step);
    return run;
}

/// Throws `InputError` for files that a run has no use for, and where those that it needs are not named.
void requireUseOfFiles(const config::SamplingJob& job, const std::map<std::string, tracking::Run>& sources) {
    for (const auto& [id, run] : sources) {
        if (!job.given_files.empty() && paramOf(run, "model.conditioning") == "none")
            throw InputError("Run '" + run.name + "' was not trained with frame conditioning.",
                             "Sample it without a given file, or train with model.conditioning: frames or "
                             "image.");
        const auto conditioning = paramOf(run, "model.conditioning");
        if (!job.last_files.empty() && !config::readsLastImages(conditioning))
            throw InputError("Run '" + run.name + "' was not trained to end with an image.",
                             "Sample it without a last file, or train with model.conditioning: first_last.");
        if (job.last_files.empty() && config::readsLastImages(conditioning) &&
            paramOf(run, "sampling.last_files", "[]") == "[]")
            throw InputError("Every clip of run '" + run.name + "' ends with an image.",
                             "Name a picture to end with, one for all prompts or one for each.");
        if (job.given_files.empty() && config::readsImages(conditioning) &&
            !config::animates(paramOf(run, "model.family")) &&
            paramOf(run, "sampling.given_files", "[]") == "[]")
            throw InputError("Every clip of run '" + run.name + "' begins with an image.",
                             "Name a picture to start from, one for all prompts or one for each.");
        if (!job.strength.empty() && paramOf(run, "lora.rank", "0") == "0")
            throw InputError("Run '" + run.name + "' trained no adapter (LoRA), whose strength could be set.",
                             "Sample it without a strength.");
        if (!(job.reference_files.empty() && job.pose_files.empty()) &&
            !(paramOf(run, "model.family").empty() || config::animates(paramOf(run, "model.family"))))
            throw InputError("Run '" + run.name + "' animates no character.",
                             "Sample it without reference pictures and pose videos, or train with "
                             "model.family: animate, mimic-motion or unianimate.");
        const bool aligns = job.align_poses.value_or(paramOf(run, "sampling.align_poses") == "true");
        if (!job.reference_pose_files.empty() && !aligns && !paramOf(run, "model.family").empty() &&
            !config::readsReferencePose(paramOf(run, "model.family")))
            throw InputError("Run '" + run.name + "' does not read the poses of reference pictures.",
                             "Sample it without a reference pose, or align the poses to it: only "
                             "model.family unianimate reads them.");
        if (aligns && job.reference_pose_files.empty() &&
            paramOf(run, "sampling.reference_pose_files", "[]") == "[]")
            throw InputError("Poses cannot be aligned to a reference whose pose nobody names.",
                             "Name the key points (JSON) of the reference picture, one for all prompts or "
                             "one for each.");
        if (aligns)
            for (const auto* files : {&job.pose_files, &job.reference_pose_files}) requireKeypoints(*files);
        requireDrawings(job.pose_files, guidanceTypesOf(run));
        // a checkpoint makes up figures, but does not hold the clips of others
        if (!config::animates(paramOf(run, "model.family")) || paramOf(run, "data.source") == "figures")
            continue;
        for (const auto& [files, key, what, reads] :
             {std::tuple{&job.reference_files, "sampling.reference_files", "a reference picture", true},
              std::tuple{&job.pose_files, "sampling.pose_files", "a video of drawn poses", true},
              std::tuple{&job.reference_pose_files, "sampling.reference_pose_files",
                         "the drawn pose of the reference picture",
                         config::readsReferencePose(paramOf(run, "model.family"))}})
            if (reads && files->empty() && paramOf(run, key, "[]") == "[]")
                throw InputError("Run '" + run.name +
                                     "' animates a character, and its checkpoints do not hold "
                                     "its data.",
                                 std::string("Name ") + what + ", one for all prompts or one for each.");
    }
}

/// How long one clip takes: sampler steps, twice the work where captions guide, as many frames.
double workOf(const tracking::Run& run) {
    const double steps = std::max(1.0, std::atof(paramOf(run, "sampling.steps", "1").c_str()));
    const double frames = std::max(1.0, std::atof(paramOf(run, "sampling.frames", "1").c_str()));
    const bool guided = paramOf(run, "sampling.guidance", "1") != "1";
    return steps * frames * (guided ? 2 : 1);
}

}  // namespace

CheckpointChoice parseCheckpointChoice(const std::string& text) {
    using Kind = CheckpointChoice::Kind;
    if (text == "last") return {Kind::Last};
    if (text == "best") return {Kind::Best};
    if (text == "all") return {Kind::All};
    try {
        return {Kind::Steps, config::parseWholeNumbers(text, "checkpoint")};
    } catch (const InputError&) {
        throw InputError("checkpoint: found \"" + sanitizedText(text) +
                         "\", expected last, best, all, or steps as 1000,2000.");
    }
}

std::vector<CheckpointRef> chooseCheckpoints(const tracking::Store& store, const SamplingRequest& request) {
    std::vector<CheckpointRef> chosen;
    for (const auto& run : runsOfOneCluster(store, request.runIds, "sample")) {
        const auto checkpoints = store.checkpoints(run.id);
        for (const auto step : chosenSteps(store, run, request.checkpoints)) {
            const auto at = std::ranges::find(checkpoints, step, &tracking::CheckpointRecord::step);
            chosen.push_back({run.id, step, tagOf(run, tag::kFolder) + "/" + at->path});
        }
    }
    return chosen;
}

std::vector<CheckpointRef> existingCheckpoints(Cluster& cluster,
                                               const std::vector<CheckpointRef>& checkpoints,
                                               std::stop_token stop) {
    std::string script;
    for (const auto& checkpoint : checkpoints)
        script += "test -e " + shellQuote(checkpoint.folder + "/manifest.json") + "; echo $?\n";
    const auto answers = split(cluster.session().run(script, stop).out, '\n');
    std::vector<CheckpointRef> there;
    for (std::size_t i = 0; i < checkpoints.size(); ++i)
        if (i < answers.size() && answers[i] == "0") there.push_back(checkpoints[i]);
    if (there.empty())
        throw InputError("None of the chosen checkpoints is on the cluster any more.",
                         "A run keeps its newest ones (checkpoint.keep) and those of checkpoint.keep_every; "
                         "choose last.");
    return there;
}

SamplingPlan planSampling(const tracking::Store& store, const SamplingRequest& request,
                          const std::vector<CheckpointRef>& checkpoints, const ClusterProfile& profile,
                          const std::string& workspace, const InstalledTrainer& trainer) {
    config::SamplingJob job = request.job;
    job.checkpoints.clear();
    config::throwIfInvalid(job);
    if (const auto problem = sweep::validationError(request.resources)) throw InputError(*problem);
    const auto tasks = tasksOf(job, checkpoints);
    std::map<std::string, tracking::Run> sources;
    for (const auto& checkpoint : checkpoints)
        sources.try_emplace(checkpoint.runId, requireRun(store, checkpoint.runId));
    SamplingPlan plan;
    plan.id = newId();
    plan.name = !request.name.empty() ? request.name
                : sources.size() == 1 ? "samples of " + sources.begin()->second.name
                                      : "samples of " + std::to_string(sources.size()) + " runs";
    plan.clips = static_cast<std::int64_t>(tasks.size() * job.prompts.size() * job.seeds.size());
    requireUseOfFiles(job, sources);
    const auto send = [&](std::vector<std::string>& files, const char* folder, const char* remedy,
                          bool drawings = false) {
        std::ranges::move(
            filesToSend(files, workspace + "/sweeps/" + plan.id + "/" + folder, remedy, drawings),
            std::back_inserter(plan.conditioningFiles));
    };
    send(job.given_files, "given", "A given file is an image (png, jpg, webp) or a video.");
    send(job.last_files, "last", "A last file is an image (png, jpg, webp) or a video.");
    send(job.reference_files, "references", "A reference is a picture (png, jpg, webp) of a character.");
    send(job.pose_files, "poses",
         "Poses are a video in which they are drawn; for Champ a folder with a drawing of each type.",
         std::ranges::none_of(sources,
                              [](const auto& source) { return guidanceTypesOf(source.second).empty(); }));
    send(job.reference_pose_files, "reference-poses",
         "The pose of a reference is a picture in which it is drawn, or key points (json).");
    plan.document = {{"sweep_id", plan.id}, {"name", plan.name}, {kSamplingKey, config::toJson(job)}};
    plan.document["runs"] = Json::array();
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        const auto& source = sources.at(tasks[i].checkpoint.runId);
        plan.runs.push_back(recordOf(plan, tasks[i], source, job, i, profile.name, workspace));
        plan.runs.back().name = nameOf(tasks[i], source.name, tasks);
        Json entry = {{"run_id", plan.runs.back().id}, {"name", plan.runs.back().name}};
        entry.update(toJson(tasks[i]));
        plan.document["runs"].push_back(std::move(entry));
    }
    std::vector<std::string> sampled;
    for (const auto& [id, run] : sources) sampled.push_back(id);
    plan.script = arrayScript({.sweepId = plan.id,
                               .sweepName = plan.name,
                               .tasks = tasks.size(),
                               .resources = request.resources,
                               .workspace = workspace,
                               .program = trainerParts(trainerPath(workspace, trainer), "sample"),
                               .environment = trainingEnvironment(store, sampled),
                               .after = request.after},
                              profile);
    return plan;
}

void uploadConditioningFiles(Cluster& cluster, const SamplingPlan& plan, const Progress& progress,
                             std::stop_token stop) {
    for (const auto& file : plan.conditioningFiles) {
        if (progress) progress("Sending " + file.local.filename().string());
        cluster.session().upload(file.local, file.remote, 0644, stop);
    }
}

namespace {

Submission toSubmission(const SamplingPlan& plan) {
    return submissionOf(plan.id, plan.document, plan.script, kSamplingKey, samplingConfig);
}

}  // namespace

void recordSampling(const Cluster& cluster, const SamplingPlan& plan, tracking::Store& store) {
    record(cluster, store, plan.runs, plan.name, toSubmission(plan));
}

std::string launchSampling(Cluster& cluster, const SamplingPlan& plan, tracking::Store& store,
                           const Progress& progress, std::stop_token stop) {
    uploadConditioningFiles(cluster, plan, progress, stop);
    return recordAndSubmit(cluster, store, plan.runs, plan.name, toSubmission(plan), progress, stop);
}

std::optional<Submission> samplingSubmission(const tracking::SweepRecord& record) {
    return submissionFromRecord(record, kSamplingKey, samplingConfig);
}

SamplingEstimate estimateSampling(const tracking::Store& store, const SamplingPlan& plan,
                                  const sweep::Resources& resources) {
    std::set<std::string> sources;
    for (const auto& run : plan.runs) sources.insert(tagOf(run, tag::kSampledRun));
    std::vector<double> same, all;  // seconds of a unit of work
    const std::string cluster = tagOf(plan.runs.front(), tag::kCluster);
    for (const auto& run : store.runs()) {
        const std::string source = tagOf(run, tag::kSampledRun);
        const auto seconds = run.metrics.find("seconds_per_clip");
        if (source.empty() || seconds == run.metrics.end() || tagOf(run, tag::kCluster) != cluster) continue;
        all.push_back(seconds->second.value / workOf(run));
        if (sources.contains(source)) same.push_back(all.back());
    }
    SamplingEstimate estimate;
    auto& known = same.empty() ? all : same;
    if (known.empty()) {
        estimate.basis =
            "No earlier sampling on " + cluster + " to judge by: the time that it takes is not known.";
        return estimate;
    }
    const auto middle = known.begin() + static_cast<std::ptrdiff_t>(known.size() / 2);
    std::ranges::nth_element(known, middle);
    double total = 0, longest = 0;
    for (const auto& run : plan.runs) {
        const double seconds = *middle * workOf(run) * std::atof(paramOf(run, "sampling.clips").c_str());
        total += seconds;
        longest = std::max(longest, seconds);
    }
    const double atOnce = std::min<double>(resources.parallelRuns, static_cast<double>(plan.runs.size()));
    estimate.known = true;
    estimate.seconds = std::max(longest, total / std::max(1.0, atOnce));
    estimate.gpuHours = total * resources.gpusPerNode / 3600;
    estimate.basis = same.empty() ? "Roughly, by sampling of other runs on " + cluster + "."
                                  : "By earlier sampling of the same runs on " + cluster + ".";
    estimate.basis += " Waiting in the queue is not included.";
    return estimate;
}

}  // namespace dailies::remote
