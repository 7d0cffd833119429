#pragma once

#include "core/judging/clip_review.h"
#include "core/tracking/run_color.h"
#include "core/tracking/store.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

namespace dailies::ui {

/// What the page asks of the store.
struct ReviewRequest {
    std::filesystem::path storeFile;
    std::vector<std::string> runIds;  ///< the columns; empty: those of `sweepId`
    std::string sweepId;              ///< empty, or one that is not there: the newest sweep that has clips
    /// Since the page was opened. Those that sample checkpoints of the columns stand beside them.
    std::vector<std::string> launchedRunIds = {};
};

/// A row of the wall: all clips made from one prompt and seed.
struct ReviewRow {
    std::string prompt;
    std::int64_t seed = 0;
    auto operator<=>(const ReviewRow&) const = default;
};

/// A snapshot of what the wall shows, independent of the store it came from. Immutable once loaded.
class ReviewData {
public:
    std::vector<tracking::SweepRecord> sweeps;  ///< newest first, to choose from
    std::string sweepId;                        ///< whose runs these are; empty when they were chosen by hand
    std::vector<tracking::RunColor> colors;     ///< of all runs of the store
    std::vector<tracking::Run> runs;            ///< the columns, as launched
    std::vector<ReviewRow> rows;
    std::vector<std::int64_t> steps;     ///< at which any of the runs sampled clips, ascending
    std::vector<std::string> metrics;    ///< that any of the runs has, by name
    std::vector<std::string> differing;  ///< params in which the runs that train differ, by name
    std::string sweepMetric;             ///< the one the sweep is ranked by; empty: none
    bool sweepMetricHigherIsBetter = false;
    /// Those of `runs` that sample checkpoints of others of them and are here for their sake: resamples.
    std::set<std::string> resamples;
    judging::Reviews reviews;         ///< of these runs' clips
    std::set<judging::ClipKey> seen;  ///< by the person at the desk

    /// The clip at `step`, or the nearest earlier one; of those, one whose file has arrived if there is any.
    /// nullptr when the run had made none by then.
    const tracking::ClipRecord* clip(const std::string& runId, const ReviewRow& row, std::int64_t step) const;

    /// Of the newest clip that the run made there, whether or not it has arrived; nullopt when it made none.
    std::optional<std::int64_t> newestStep(const std::string& runId, const ReviewRow& row) const;

    const tracking::Run* run(const std::string& id) const;  ///< nullptr when it is none of these

    /// The resamples of a run, as launched.
    std::vector<const tracking::Run*> resamplesOf(const std::string& runId) const;

    /// What tells a resample from its run and from its other resamples: "guidance 3", "step 800".
    std::string resampleName(const tracking::Run& resample) const;

    /// What a run is called among all of these: its name, and for a resample what it samples and how.
    std::string nameOf(const tracking::Run& run) const;

    /// All clips of a run, in no particular order.
    std::vector<const tracking::ClipRecord*> clipsOf(const std::string& runId) const;

    /// Whether more of this metric is better: what the sweep says of its own, else by the metric's name.
    bool higherIsBetter(const std::string& metric) const;

    /// Indexes into `runs` with the best latest value of `metric` first, runs without one last; as launched
    /// for "".
    std::vector<int> order(const std::string& metric) const;

    /// The params in which these runs differ, as "lr=0.01, layers=4".
    std::string differingParams(const tracking::Run& run) const;

    /// The index into `steps` of the last one at or before `step`; -1 when there is none.
    int stepIndex(std::int64_t step) const;

    /// The index into `steps` of the one nearest to `step`, the earlier of two; nullopt when there are none.
    std::optional<int> nearestStepIndex(double step) const;

    /// Whether the runs show batches of others: what is a seed elsewhere is a place in the batch.
    bool showsBatches() const;

    std::string title() const;  ///< the sweep's name, or what is shown instead

    /// What the automatic checks found in a clip, the worst first.
    const std::vector<tracking::ClipFinding>& findings(const tracking::ClipRecord& clip) const;

    /// What a clip was made from, as far as it is here.
    const std::vector<tracking::ClipInput>& inputs(const tracking::ClipRecord& clip) const;

    /// What is known of each of its frames.
    const std::vector<tracking::ClipCurve>& curves(const tracking::ClipRecord& clip) const;

    void setClips(std::vector<tracking::ClipRecord> clips);
    void setFindings(std::vector<tracking::ClipFinding> findings);
    void setInputs(std::vector<tracking::ClipInput> inputs);
    void setCurves(std::vector<tracking::ClipCurve> curves);

private:
    template <class Fact>
    using ByClip = std::map<std::pair<std::string, std::string>, std::vector<Fact>>;  ///< by run and path

    std::map<std::string, std::map<ReviewRow, std::map<std::int64_t, tracking::ClipRecord>>> m_clips;
    ByClip<tracking::ClipFinding> m_findings;
    ByClip<tracking::ClipInput> m_inputs;
    ByClip<tracking::ClipCurve> m_curves;
};

/// Reads what the page needs; for a worker thread. A store that does not exist yet gives empty data. Throws
/// `Error`, `Cancelled`.
ReviewData loadReview(const ReviewRequest& request, const std::stop_token& stop);

}  // namespace dailies::ui
