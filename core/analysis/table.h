#pragma once

#include "core/tracking/store.h"

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

/// What the runs' params did to a metric: typed columns, rank correlation, importance, a smoothed surface.
/// Pure functions of their arguments; any thread.
namespace dailies::analysis {

/// Shared and never changed, as the pages hand runs around.
using Runs = std::vector<std::shared_ptr<const tracking::Run>>;

/// Something that every run may have one value of.
struct Field {
    enum class Source { Param, Metric, Start, Duration };
    Source source = Source::Param;
    std::string key = {};  ///< of the param or metric; empty otherwise
    bool operator==(const Field&) const = default;
};

/// "param:optimizer.lr", "metric:loss", "start", "duration": how a field is saved.
std::string toText(const Field& field);
/// A text that is none of these gives a param of that name, which no run has.
Field fieldFromText(const std::string& text);

/// The values of one field over some runs.
///
/// A param is a number when every text that stands for something reads as one; "", "None", "null" and "NaN"
/// stand for nothing then. Otherwise each different text is a category. A number column is logarithmic when
/// its values are all positive, span at least two decades, and lie more evenly on a logarithmic scale than on
/// a linear one: people searched it that way. Times are Unix milliseconds, durations milliseconds.
struct Column {
    enum class Kind { Number, Category };
    Field field = {};
    Kind kind = Kind::Number;
    bool logarithmic = false;
    std::vector<double> values = {};  ///< a run each: number, index of the category, NaN where there is none;
                                      ///< a metric may also be ±infinity
    std::vector<std::string> categories = {};  ///< in the order of their names, numbers by value

    /// At least two different values, "none" counting as one.
    bool varies() const;
    /// Each run has a text of its own (paths, names, ids): nothing can be learnt from such a column.
    bool isUniquePerRun() const;
};

/// `nowMs` ends the duration of runs that go on.
Column columnOf(const Runs& runs, const Field& field, std::int64_t nowMs = 0);

/// The runs that train; all of them where none does.
Runs mainRuns(const Runs& runs);

/// What these runs can be placed by. Params that are equal in all the main runs that have them are not among
/// `params` (a run without one does not make it differ); nor are those that only other runs have.
struct Fields {
    std::vector<Field> params;   ///< those that differ, by name
    std::vector<Field> metrics;  ///< by name
};
Fields fieldsOf(const Runs& runs);

/// The metric that a person most likely wants to see first: one that judges the result ("adherence",
/// "accuracy", "score"), then a validation loss, then a loss, then the first. Null when there is none.
const Field* likelyTarget(const std::vector<Field>& metrics);

inline constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

}  // namespace dailies::analysis
