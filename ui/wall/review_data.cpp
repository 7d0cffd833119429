#include "ui/wall/review_data.h"

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/base/user.h"
#include "core/compare/goals.h"
#include "core/judging/judgement_records.h"
#include "core/judging/seen_clips.h"
#include "core/sweep/sweep.h"
#include "core/tracking/artifact_root.h"
#include "core/tracking/batch_run.h"
#include "core/tracking/clip_path.h"
#include "core/tracking/compared_value.h"
#include "core/tracking/run_tags.h"
#include "core/tracking/sampled_run.h"
#include "core/tracking/sampling_settings.h"
#include "core/tracking/scored_run.h"
#include "core/video/clip_part.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <set>

namespace dailies::ui {

namespace {

/// A wall of more columns than this shows stamps; of runs that were never launched together, the newest are
/// enough.
constexpr std::size_t kUngroupedRuns = 16;

/// Where the sweep's author listed the run; runs start in another order when the queue is busy.
int placeInSweep(const tracking::Run& run) {
    const auto tag = run.tags.find(tracking::tag::kTask);
    return tag == run.tags.end() ? 0 : std::atoi(tag->second.c_str());
}

std::vector<tracking::Run> allRuns(const tracking::Store& store) {
    std::vector<tracking::Run> all = store.runs();
    std::stable_sort(all.begin(), all.end(),
                     [](const auto& a, const auto& b) { return a.startMs < b.startMs; });
    return all;
}

std::vector<tracking::Run> chooseRuns(const std::vector<tracking::Run>& all, const ReviewRequest& request,
                                      const std::string& sweepId) {
    std::vector<tracking::Run> chosen;
    if (!request.runIds.empty()) {
        for (const std::string& id : request.runIds)
            for (const tracking::Run& run : all)
                if (run.id == id) chosen.push_back(run);
    } else if (!sweepId.empty()) {
        for (const tracking::Run& run : all)
            if (const auto tag = run.tags.find(tracking::tag::kSweep);
                tag != run.tags.end() && tag->second == sweepId)
                chosen.push_back(run);
        std::stable_sort(chosen.begin(), chosen.end(),
                         [](const auto& a, const auto& b) { return placeInSweep(a) < placeInSweep(b); });
    } else if (!all.empty()) {
        for (const tracking::Run& run : all)
            if (run.experimentId == all.back().experimentId) chosen.push_back(run);
        if (chosen.size() > kUngroupedRuns) chosen.erase(chosen.begin(), chosen.end() - kUngroupedRuns);
    }
    return chosen;
}

/// The newest sweep that shows something: scoring makes no clips, batches are no model's, a sweep in the
/// queue has none yet, and archived runs are not among `all`. Jobs that sample checkpoints again count where
/// nothing else has clips. Where no sweep has clips, the newest that trains; its own will be the first.
std::string newestSweepWithClips(const tracking::Store& store, const ReviewData& data,
                                 const std::vector<tracking::Run>& all) {
    std::map<std::string, std::vector<std::string>> trained, sampled;
    for (const tracking::Run& run : all) {
        if (run.tags.contains(tracking::tag::kScoredRun) || run.tags.contains(tracking::tag::kBatchOf))
            continue;
        auto& group = run.tags.contains(tracking::tag::kSampledRun) ? sampled : trained;
        group[tracking::tagOf(run, tracking::tag::kSweep)].push_back(run.id);
    }
    for (const auto& group : {trained, sampled})
        for (const tracking::SweepRecord& sweep : data.sweeps)
            if (const auto runs = group.find(sweep.id);
                runs != group.end() && !store.clips(runs->second).empty())
                return sweep.id;
    for (const tracking::SweepRecord& sweep : data.sweeps)
        if (trained.contains(sweep.id)) return sweep.id;
    return data.sweeps.empty() ? std::string() : data.sweeps.front().id;
}

/// A long path by its last name, by which those of a sweep mostly differ.
std::string shortPath(const std::string& value) {
    constexpr std::size_t kLongest = 24;
    const auto slash = value.rfind('/');
    const bool isShort = value.size() <= kLongest || slash == std::string::npos || slash + 1 == value.size();
    return isShort ? value : "…" + value.substr(slash);
}

std::vector<std::string> differingKeys(const std::vector<tracking::Run>& runs) {
    std::map<std::string, std::set<std::string>> values;
    for (const tracking::Run& run : runs)
        for (const auto& [key, value] : run.params) values[key].insert(tracking::comparedValue(run, value));
    std::vector<std::string> keys;
    for (const auto& [key, found] : values)
        if (found.size() > 1) keys.push_back(key);
    return keys;
}

/// Beside a sweep's runs stand the jobs that sample their checkpoints again, from when they have clips or
/// will have some; beside runs that a person chose, only those that were launched meanwhile.
void addSamplingRuns(ReviewData& data, const std::vector<tracking::Run>& all, const ReviewRequest& request,
                     const tracking::Store& store) {
    const auto isShown = [&data](const std::string& id) {
        return std::ranges::find(data.runs, id, &tracking::Run::id) != data.runs.end();
    };
    std::vector<tracking::Run> sampling;
    std::vector<std::string> ids;
    for (const tracking::Run& run : all)
        if (!isShown(run.id) && isShown(tracking::tagOf(run, tracking::tag::kSampledRun))) {
            sampling.push_back(run);
            ids.push_back(run.id);
        }
    if (ids.empty()) return;
    std::set<std::string> wanted(request.launchedRunIds.begin(), request.launchedRunIds.end());
    if (!data.sweepId.empty()) {
        for (const tracking::ClipRecord& clip : store.clips(ids)) wanted.insert(clip.runId);
        for (const tracking::Run& run : sampling)
            if (tracking::isActive(run.status)) wanted.insert(run.id);
    }
    for (tracking::Run& run : sampling) {
        if (!wanted.contains(run.id)) continue;
        data.resamples.insert(run.id);
        data.runs.push_back(std::move(run));
    }
}

void readSweepMetric(ReviewData& data) {
    for (const tracking::SweepRecord& record : data.sweeps) {
        if (record.id != data.sweepId) continue;
        try {
            const sweep::Sweep parsed = sweep::parseSweep(record.yaml, record.name);
            data.sweepMetric = parsed.metric;
            data.sweepMetricHigherIsBetter = parsed.goal == sweep::Goal::Maximize;
        } catch (const Error&) {
            // A sweep that a newer version wrote: its runs can be watched all the same, unranked.
        }
    }
}

}  // namespace

const tracking::ClipRecord* ReviewData::clip(const std::string& runId, const ReviewRow& row,
                                             std::int64_t step) const {
    const auto run = m_clips.find(runId);
    if (run == m_clips.end()) return nullptr;
    const auto clips = run->second.find(row);
    if (clips == run->second.end()) return nullptr;
    const auto after = clips->second.upper_bound(step);
    if (after == clips->second.begin()) return nullptr;
    for (auto earlier = after; earlier != clips->second.begin();)
        if (!(--earlier)->second.localPath.empty()) return &earlier->second;
    return &std::prev(after)->second;
}

std::optional<std::int64_t> ReviewData::newestStep(const std::string& runId, const ReviewRow& row) const {
    const auto run = m_clips.find(runId);
    if (run == m_clips.end()) return std::nullopt;
    const auto clips = run->second.find(row);
    return clips == run->second.end() ? std::nullopt : std::optional(clips->second.rbegin()->first);
}

bool ReviewData::showsBatches() const {
    return !runs.empty() && std::ranges::all_of(runs, [](const tracking::Run& run) {
        return run.tags.contains(tracking::tag::kBatchOf);
    });
}

const tracking::Run* ReviewData::run(const std::string& id) const {
    const auto found = std::ranges::find(runs, id, &tracking::Run::id);
    return found == runs.end() ? nullptr : &*found;
}

std::vector<const tracking::Run*> ReviewData::resamplesOf(const std::string& runId) const {
    std::vector<const tracking::Run*> found;
    if (resamples.empty()) return found;
    for (const tracking::Run& run : runs)
        if (resamples.contains(run.id) && tracking::tagOf(run, tracking::tag::kSampledRun) == runId)
            found.push_back(&run);
    return found;
}

std::string ReviewData::resampleName(const tracking::Run& resample) const {
    const std::string sourceId = tracking::tagOf(resample, tracking::tag::kSampledRun);
    const auto siblings = resamplesOf(sourceId);
    std::int64_t newest = -1;
    for (const tracking::ClipRecord* clip : clipsOf(sourceId)) newest = std::max(newest, clip->step);
    const auto own = tracking::samplingOf(run(sourceId) ? *run(sourceId) : resample, newest);
    const auto describe = [&](const tracking::Run& one) {
        const auto settings = tracking::samplingOf(one, newest);
        const auto differs = [&](auto setting) {
            return std::ranges::any_of(siblings, [&](const tracking::Run* sibling) {
                return tracking::samplingOf(*sibling, newest).*setting != own.*setting;
            });
        };
        using Settings = tracking::SamplingSettings;
        std::vector<std::string> parts;
        const auto say = [&](std::string Settings::*setting, const char* before, const char* after) {
            if (differs(setting) && !(settings.*setting).empty())
                parts.push_back(before + settings.*setting + after);
        };
        if (differs(&Settings::step)) parts.push_back("step " + std::to_string(settings.step));
        say(&Settings::guidance, "guidance ", "");
        say(&Settings::steps, "", " sampler steps");
        say(&Settings::strength, "strength ", "");
        say(&Settings::sampler, "", "");
        say(&Settings::frames, "", " frames");
        return parts.empty() ? std::string("resample") : join(parts, ", ");
    };
    // Launched twice in the same way, they are told apart by their number.
    const std::string name = describe(resample);
    int place = 1;
    for (const tracking::Run* sibling : siblings) {
        if (sibling->id == resample.id) break;
        place += describe(*sibling) == name;
    }
    return place == 1 ? name : name + " (" + std::to_string(place) + ")";
}

std::string ReviewData::nameOf(const tracking::Run& one) const {
    const auto own = [](const tracking::Run& named) {
        return named.name.empty() ? named.id.substr(0, 8) : named.name;
    };
    if (!resamples.contains(one.id)) return own(one);
    const tracking::Run* source = run(tracking::tagOf(one, tracking::tag::kSampledRun));
    return source ? own(*source) + " · " + resampleName(one) : own(one);
}

std::vector<const tracking::ClipRecord*> ReviewData::clipsOf(const std::string& runId) const {
    std::vector<const tracking::ClipRecord*> clips;
    if (const auto run = m_clips.find(runId); run != m_clips.end())
        for (const auto& [row, byStep] : run->second)
            for (const auto& [step, clip] : byStep) clips.push_back(&clip);
    return clips;
}

bool ReviewData::higherIsBetter(const std::string& metric) const {
    if (metric == sweepMetric && !metric.empty()) return sweepMetricHigherIsBetter;
    return compare::goalOf(metric) == sweep::Goal::Maximize;
}

std::vector<int> ReviewData::order(const std::string& metric) const {
    std::vector<int> columns(runs.size());
    for (std::size_t i = 0; i < columns.size(); ++i) columns[i] = static_cast<int>(i);
    if (metric.empty()) return columns;
    const double sign = higherIsBetter(metric) ? -1 : 1;
    const auto cost = [&](int column) {
        const auto& values = runs[static_cast<std::size_t>(column)].metrics;
        const auto found = values.find(metric);
        // A NaN would make any order inconsistent; a run that diverged belongs to the end.
        if (found == values.end() || std::isnan(found->second.value))
            return std::numeric_limits<double>::infinity();
        return sign * found->second.value;
    };
    std::stable_sort(columns.begin(), columns.end(), [&](int a, int b) { return cost(a) < cost(b); });
    return columns;
}

std::string ReviewData::differingParams(const tracking::Run& run) const {
    std::vector<std::string> parts;
    for (const std::string& key : differing)
        if (const auto value = run.params.find(key); value != run.params.end())
            parts.push_back(key.substr(key.rfind('.') + 1) + "=" + shortPath(value->second));
    return join(parts, ", ");
}

int ReviewData::stepIndex(std::int64_t step) const {
    return static_cast<int>(std::upper_bound(steps.begin(), steps.end(), step) - steps.begin()) - 1;
}

std::optional<int> ReviewData::nearestStepIndex(double step) const {
    const auto nearest = std::min_element(steps.begin(), steps.end(), [step](std::int64_t a, std::int64_t b) {
        return std::abs(static_cast<double>(a) - step) < std::abs(static_cast<double>(b) - step);
    });
    return nearest == steps.end() ? std::nullopt : std::optional(static_cast<int>(nearest - steps.begin()));
}

std::string ReviewData::title() const {
    for (const tracking::SweepRecord& sweep : sweeps)
        if (sweep.id == sweepId) return sweep.name;
    return runs.size() == 1 ? runs.front().name : std::to_string(runs.size()) + " runs";
}

namespace {

template <class Facts>
const Facts& factsOf(const std::map<std::pair<std::string, std::string>, Facts>& byClip,
                     const tracking::ClipRecord& clip) {
    static const Facts kNone;
    const auto found = byClip.find({clip.runId, clip.path});
    return found == byClip.end() ? kNone : found->second;
}

/// `clip`: the member that is a clip's path.
template <class Fact>
void addByClip(std::map<std::pair<std::string, std::string>, std::vector<Fact>>& byClip,
               std::vector<Fact> facts, std::string Fact::*clip) {
    for (Fact& fact : facts) {
        const auto key = std::pair(fact.runId, fact.*clip);
        byClip[key].push_back(std::move(fact));
    }
}

}  // namespace

const std::vector<tracking::ClipFinding>& ReviewData::findings(const tracking::ClipRecord& clip) const {
    return factsOf(m_findings, clip);
}

const std::vector<tracking::ClipInput>& ReviewData::inputs(const tracking::ClipRecord& clip) const {
    return factsOf(m_inputs, clip);
}

const std::vector<tracking::ClipCurve>& ReviewData::curves(const tracking::ClipRecord& clip) const {
    return factsOf(m_curves, clip);
}

void ReviewData::setFindings(std::vector<tracking::ClipFinding> findings) {
    addByClip(m_findings, std::move(findings), &tracking::ClipFinding::path);
}

void ReviewData::setInputs(std::vector<tracking::ClipInput> inputs) {
    std::erase_if(inputs, [](const tracking::ClipInput& input) { return input.localPath.empty(); });
    addByClip(m_inputs, std::move(inputs), &tracking::ClipInput::clip);
}

void ReviewData::setCurves(std::vector<tracking::ClipCurve> curves) {
    addByClip(m_curves, std::move(curves), &tracking::ClipCurve::clip);
}

void ReviewData::setClips(std::vector<tracking::ClipRecord> clips) {
    std::set<ReviewRow> seenRows;
    std::set<std::int64_t> seenSteps;
    for (tracking::ClipRecord& record : clips) {
        const ReviewRow row{record.prompt, record.seed};
        if (seenRows.insert(row).second) rows.push_back(row);
        seenSteps.insert(record.step);
        m_clips[record.runId][row][record.step] = std::move(record);
    }
    steps.assign(seenSteps.begin(), seenSteps.end());
}

namespace {

/// Clips on their way whose beginning is here already are shown by it.
template <class Clip>
void placeBeginnings(std::vector<Clip>& clips, const std::filesystem::path& storeFile) {
    const auto mirror = std::filesystem::absolute(tracking::artifactRoot(storeFile));
    for (Clip& clip : clips) {
        const std::filesystem::path path(clip.path);
        if (!clip.localPath.empty() || !tracking::isInputPath(clip.path)) continue;
        const auto place = mirror / clip.runId / path;
        if (video::partOf(place)) clip.localPath = place.string();
    }
}

}  // namespace

ReviewData loadReview(const ReviewRequest& request, const std::stop_token& stop) {
    ReviewData data;
    if (!std::filesystem::exists(request.storeFile)) return data;
    const tracking::Store store(request.storeFile, tracking::Store::Mode::ReadOnly);
    data.sweeps = store.sweeps();
    const std::vector<tracking::Run> all = allRuns(store);
    if (request.runIds.empty()) {
        const bool isThere =
            std::ranges::find(data.sweeps, request.sweepId, &tracking::SweepRecord::id) != data.sweeps.end();
        data.sweepId = isThere ? request.sweepId : newestSweepWithClips(store, data, all);
    }
    data.colors = tracking::runColors(all);
    data.runs = chooseRuns(all, request, data.sweepId);
    data.differing = differingKeys(data.runs);  // a sampling job has params of another kind
    addSamplingRuns(data, all, request, store);
    if (stop.stop_requested()) throw Cancelled();

    std::vector<std::string> ids;
    for (const tracking::Run& run : data.runs) ids.push_back(run.id);
    auto clips = store.clips(ids);
    placeBeginnings(clips, request.storeFile);
    data.setClips(std::move(clips));
    if (stop.stop_requested()) throw Cancelled();
    data.setFindings(store.findings(ids));
    auto inputs = store.clipInputs(ids);
    placeBeginnings(inputs, request.storeFile);
    data.setInputs(std::move(inputs));
    data.setCurves(store.clipCurves(ids));
    data.metrics = store.metricKeys(ids);
    data.reviews = judging::readReviews(store, ids);
    data.seen = judging::seenClips(store, userName(), ids);
    readSweepMetric(data);
    return data;
}

}  // namespace dailies::ui
