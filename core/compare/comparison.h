#pragma once

#include "core/compare/goals.h"
#include "core/tracking/store.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace dailies::compare {

/// Runs that are compared at once: more columns than this are no comparison any more.
inline constexpr std::size_t kMaxCompared = 50;

/// What one run has in one row.
struct Cell {
    std::string text = {};    ///< as recorded, or a metric's four significant digits; empty: see `present`
    std::string note = {};    ///< where a value comes from: "step 1600"
    std::string change = {};  ///< against the reference where both are numbers: "×3.3", "+0.012"
    bool present = false;     ///< false: the run has no such key
    bool differs = false;     ///< from the reference; params only where both have one
    bool best = false;        ///< of its row (metrics only); several when equal, none when all are equal
};

/// A key and what every run has there.
struct Row {
    std::string key = {};   ///< as recorded: "optimizer.lr"
    std::string name = {};  ///< below its group's title: "lr"
    std::string unit = {};  ///< "steps", "px"; empty: none
    std::string doc = {};   ///< what the key means; empty: not known
    std::vector<Cell> cells = {};
    bool differs = false;  ///< not all runs have the same here
};

struct Group {
    std::string title = {};  ///< "optimizer"; empty: keys without a group
    std::vector<Row> rows = {};
};

enum class SectionKind { Config, Environment, Metrics };

struct Section {
    SectionKind kind = SectionKind::Config;
    std::string title = {};
    std::vector<Group> groups = {};
};

/// Runs side by side: columns are runs, rows are what is known of them. Made once, then only read.
struct Comparison {
    std::vector<std::string> runIds = {};
    std::vector<std::string> names = {};  ///< parallel to runIds
    std::size_t reference = 0;            ///< the column that the others are compared with
    std::vector<Section> sections = {};
};

/// A metric's best point of one run, by (run id, key).
using BestPoints = std::map<std::pair<std::string, std::string>, tracking::MetricPoint>;

/// What is compared. The pointers and references must live until `compareRuns` returns.
struct ComparisonInput {
    std::vector<const tracking::Run*> runs = {};
    std::map<std::string, std::vector<tracking::Attempt>> attempts = {};  ///< by run id
    BestPoints best = {};
    Goals goals = {};
    std::size_t reference = 0;  ///< index into `runs`
    /// By run id, until when an active run is known to have taken its time; without: no duration is told.
    std::map<std::string, std::int64_t> activeUntilMs = {};
};

/// All sections: configuration, environment, metrics. Numbers are compared by value ("1e-2" is "0.01"), NaN
/// equals NaN. Config keys stand in the schema's order, those that it does not know after them by name.
Comparison compareRuns(const ComparisonInput& subject);

/// One line of a comparison as it is read from top to bottom.
struct Line {
    enum class Kind { Section, Group, Row };
    Kind kind = Kind::Row;
    const Section* section = nullptr;
    const Group* group = nullptr;  ///< null in a section's line
    const Row* row = nullptr;      ///< null but in a row's line
};

/// Which rows are wanted.
struct LineFilter {
    bool differencesOnly = true;
    std::string words = {};  ///< every one must occur in the key, its unit, or a cell; any case
};

/// The lines to show; groups and sections without a row are left out. They point into `comparison`.
std::vector<Line> linesOf(const Comparison& comparison, const LineFilter& filter);

}  // namespace dailies::compare
