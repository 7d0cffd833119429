#include "remote/cluster/sweep_runs.h"

#include "core/config/value_text.h"
#include "core/digest/sha256.h"

#include <algorithm>
#include <charconv>

namespace dailies::remote {

namespace tag = tracking::tag;

std::string runIdOf(const std::string& sweepId, std::size_t task) {
    Sha256 hash;
    hash.add(sweepId + "/" + std::to_string(task));
    return hash.hex(kIdDigits);
}

tracking::Run recordOf(const Cluster& cluster, const tracking::SweepRecord& sweep,
                       const sweep::PlannedRun& planned, std::size_t task) {
    tracking::Run run;
    run.id = runIdOf(sweep.id, task);
    run.name = planned.name;
    run.experimentId = sweep.experimentId;
    run.startMs = sweep.createdMs;
    run.params = paramsOf(planned.config);
    run.tags = {{tag::kSweep, sweep.id},
                {tag::kSweepName, sweep.name},
                {tag::kCluster, sweep.cluster},
                {tag::kFolder, cluster.runFolder(run.id)},
                {tag::kTask, std::to_string(task)},
                {tag::kDrawn, planned.drawn.dump()}};
    return run;
}

tracking::KeyedValues<std::string> paramsOf(const Json& config) {
    tracking::KeyedValues<std::string> params;
    const Json flat = config::flatten(config);
    for (const auto& [key, value] : flat.items()) params[key] = config::paramText(key, value);
    return params;
}

Json parameterValues(const sweep::Sweep& sweep, const tracking::Run& run) {
    if (const std::string drawn = tagOf(run, tag::kDrawn); !drawn.empty())
        return parseJson(drawn, "tag " + std::string(tag::kDrawn) + " of run " + run.id);
    Json values = Json::object();
    for (const auto& parameter : sweep.parameters) {
        const config::Field* field = config::findField(parameter.key);
        const auto param = run.params.find(parameter.key);
        if (field && param != run.params.end())
            values[parameter.key] = config::parseParam(*field, param->second);
    }
    return values;
}

Json configOf(const tracking::Run& run) {
    Json nested = Json::object();
    for (const auto& [key, text] : run.params) {
        const config::Field* field = config::findField(key);
        if (!field) continue;  // another version's
        config::setByKey(nested, key, config::parseParam(*field, text));
    }
    return nested;
}

std::vector<SweepRun> sweepRuns(const tracking::Store& store, const std::string& sweepId) {
    std::vector<SweepRun> found;
    for (tracking::Run& run : store.runs()) {
        if (tagOf(run, tag::kSweep) != sweepId) continue;
        const std::string task = tagOf(run, tag::kTask);
        std::size_t index = 0;
        if (std::from_chars(task.data(), task.data() + task.size(), index).ec != std::errc()) continue;
        found.push_back({index, std::move(run)});
    }
    std::ranges::sort(found, {}, &SweepRun::task);
    return found;
}

void recordSubmission(tracking::Store& store, const std::string& sweepId, const std::string& jobId) {
    store.setSweepJob(sweepId, jobId);
    for (const SweepRun& entry : sweepRuns(store, sweepId))
        if (tagOf(entry.run, tag::kSubmission).empty())
            store.setTag(entry.run.id, tag::kJob, jobId + "_" + std::to_string(entry.task));
}

std::string jobOf(const tracking::Store& store, const tracking::Run& run) {
    const auto sweep = store.sweep(tagOf(run, tag::kSweep));
    return jobOf(run, sweep ? sweep->jobId : std::string());
}

std::string jobOf(const tracking::Run& run, const std::string& sweepJob) {
    if (std::string job = tagOf(run, tag::kJob); !job.empty()) return job;
    const std::string task = tagOf(run, tag::kTask);
    const bool inArray = !sweepJob.empty() && !task.empty() && tagOf(run, tag::kSubmission).empty();
    return inArray ? sweepJob + "_" + task : std::string();
}

}  // namespace dailies::remote
