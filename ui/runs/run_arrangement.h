#pragma once

#include "ui/run_details/run_columns.h"
#include "ui/runs/run_matcher.h"

#include <QString>

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace dailies::ui {

/// By what runs stand together.
struct Grouping {
    enum class By { None, Sweep, Status, Experiment, Param, Tag };
    By by = By::None;
    std::string key = {};  ///< of the param or tag
    bool operator==(const Grouping&) const = default;

    std::string id() const;  ///< "sweep", "param:optimizer.lr", "" for none: how saved views name it
    static Grouping of(const std::string& id);
};

/// The best value of some metrics by metric and run id; runs without points are missing.
using BestValues = std::map<std::string, std::unordered_map<std::string, double>>;
using BestPtr = std::shared_ptr<const BestValues>;

/// Which runs the table shows, and in which order.
struct ArrangementSpec {
    std::string experiment = {};  ///< empty: all
    RunMatcher matcher = {};
    Grouping grouping = {};
    std::optional<Column> sortBy = {};  ///< none: newest first
    bool descending = false;
    std::set<std::string> pinned = {};          ///< run ids, on top in any order
    std::set<std::string> collapsed = {};       ///< values of groups that show only their head
    std::vector<Column> metrics = {};           ///< the metric columns that groups summarise
    std::set<std::string> higherIsBetter = {};  ///< which of them
    bool countKeys = false;                     ///< gather the keys of the runs that match, too

    bool showsAll() const { return experiment.empty() && matcher.all(); }
};

/// A metric over the runs of a group, over those with a finite value.
struct Summary {
    double mean = 0;
    double deviation = 0;  ///< standard deviation of the sample (n − 1); 0 for one run
    double best = 0;
    std::size_t runs = 0;
};

struct RunGroup {
    std::string value;  ///< the sweep's name, the param's text, …; "" for runs without one
    QString title;      ///< for a person
    int runs = 0;
    bool collapsed = false;
    std::vector<Summary> metrics;  ///< parallel to `ArrangementSpec::metrics`
};

struct ArrangedRow {
    int run = -1;    ///< index of the run; −1: the head of a group
    int group = -1;  ///< index of the group; −1: not in one
    bool operator==(const ArrangedRow&) const = default;
};

struct Arrangement {
    std::vector<ArrangedRow> rows;
    std::vector<RunGroup> groups;
    std::vector<int> shown;       ///< the runs that match, in order, those of collapsed groups too
    std::vector<int> groupOf;     ///< parallel to `shown`; −1: pinned, or not grouped
    std::optional<RunKeys> keys;  ///< of the runs that match; none: not asked for, or no run matches
};

/// Filters, sorts and groups. A few milliseconds for 5,000 runs (plain words: some tens), so not on the GUI
/// thread. Values that are numbers sort as numbers and before texts, texts as people count ("run 9" before
/// "run 10"); NaN and missing values come last in both directions; ties stay newest first.
Arrangement arrange(const std::vector<RunPtr>& runs, const BestPtr& best, const ArrangementSpec& spec);

}  // namespace dailies::ui
