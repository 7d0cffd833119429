#pragma once

#include "ui/charts/charted_run.h"

#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace dailies::ui {

/// A column of the run table.
struct Column {
    enum class Kind { Name, Status, Sweep, Experiment, Param, Tag, Notes, Metric, Curve, Duration, Started };
    Kind kind = Kind::Name;
    std::string key = {};    ///< of the param, tag, metric or curve
    std::string title = {};  ///< what its header says; short, for its key may be long
    bool best = false;       ///< a metric's best value instead of its last

    /// "metric:loss", "param:optimizer.lr", "status": how saved views name it.
    std::string id() const;
    bool operator==(const Column&) const = default;
};

/// The column of that id, without a title; Name for an id of no kind known here.
Column columnOf(const std::string& id);

/// Which keys a set of runs has, and which params are not the same in all of them. Kept up to date a run at a
/// time. Any thread, one at a time.
class RunKeys {
public:
    void add(const tracking::Run& run);
    void remove(const tracking::Run& run);

    std::vector<std::string> metrics() const;     ///< in `metricOrder`
    std::vector<std::string> params() const;      ///< in the schema's order, then by name
    std::vector<std::string> mainParams() const;  ///< those of the runs that train, if any does
    std::vector<std::string> variedParams()
        const;                              ///< those of `mainParams` of which runs have different values
    std::vector<std::string> tags() const;  ///< those that people set: without mlflow.… and dailies.…
    std::vector<std::string> experiments() const;
    bool anyNotes() const;

    /// Grows whenever one of the lists above may have become another.
    std::size_t version() const { return m_version; }

private:
    struct Param {
        std::string value;     ///< of the first run that had it
        bool differs = false;  ///< another run had another value
        std::size_t runs = 0;
    };
    struct Params {
        tracking::KeyedValues<Param> byKey;
        std::size_t runs = 0;
    };
    const Params& main() const { return m_training.runs > 0 ? m_training : m_jobs; }

    Params m_training;                                     ///< of the runs that train
    Params m_jobs;                                         ///< of those that sample or score other runs
    tracking::KeyedValues<std::size_t> m_metrics, m_tags;  ///< how many runs have it
    std::map<std::string, std::size_t> m_experiments;      ///< how many runs are in it
    std::size_t m_version = 0;
};

/// What a person changed about the columns; everything else is as it comes by itself: the params that differ,
/// the first metrics, the curve of the first.
struct ColumnChoice {
    bool differsOnly = true;                        ///< leave out params that are the same in all runs
    std::set<std::string> shown = {}, hidden = {};  ///< ids switched on and off
    std::set<std::string> best = {};                ///< metric keys that show their best value
    std::vector<std::string> order = {};     ///< ids; columns that are not in it stand where they belong
    std::map<std::string, int> widths = {};  ///< by id, pixels; others fit their contents
    bool operator==(const ColumnChoice&) const = default;
};

/// The columns to show, in order; the name is always first. Those that come by themselves follow from the
/// runs that the filter shows, those that a person switched on from all of them.
std::vector<Column> chooseColumns(const RunKeys& all, const RunKeys& shown, const ColumnChoice& choice);

/// Every column there could be, in the order in which the chooser lists them.
std::vector<Column> allColumns(const RunKeys& keys);

/// Orders metric keys as a person looks at them: loss, adherence, further losses, then by name; no
/// duplicates.
std::vector<std::string> metricOrder(std::vector<std::string> keys);

/// The runs that the store gave, and what is known of them together. Made off the GUI thread.
struct RunSet {
    std::vector<RunPtr> runs;                      ///< newest first, as the store gives them
    std::unordered_map<std::string, int> indexes;  ///< by id
    RunKeys keys;
};
RunSet makeRunSet(std::vector<tracking::Run> runs);

}  // namespace dailies::ui
