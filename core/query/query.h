#pragma once

#include "core/query/query_error.h"
#include "core/query/vocabulary.h"
#include "core/tracking/store.h"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

/// MLflow's language for searching runs, answered in memory, so that the table and the command line mean the
/// same.
///
///     metrics.loss < 0.5 AND params.`optimizer name` = 'adam' AND tags.dailies.sweep_name LIKE 'lr%'
///
/// **As MLflow.** What MLflow 3.17 accepts gives the answer that it gives on SQLite
/// (tests/interop/query_conformance.py asks both). That includes: entities are `metrics`, `params`, `tags`,
/// `attributes` and their other spellings, in lower case; `status`, `run_name`, `run_id`, `start_time`,
/// `end_time`, `user_id`, `artifact_uri` stand without one; keys with other characters than letters, digits,
/// `_` and `.` go in backticks or double quotes; a quote inside a text cannot be escaped; a comparison with a
/// key that a run lacks is false, `!=` too; NaN is unequal to every number; an infinity compares as the
/// largest double; LIKE minds the case, ILIKE ignores it for ASCII letters only; conditions that merely
/// follow one another are joined by AND.
///
/// **Beyond MLflow** (which refuses all of it): `OR`, `NOT` and parentheses (NOT binds before AND, AND before
/// OR; `NOT x` holds wherever `x` does not, missing keys included); params and tags compared with a number,
/// where a value that is no number never matches; `IN`, `NOT IN`, `IS NULL` and `IS NOT NULL` for everything;
/// `NOT LIKE`, `NOT ILIKE`; `==` and `<>`; keys such as `train/loss` without quotes; the attributes `name`
/// (run_name) and `experiment`; local times such as `start_time > '2026-07-01 14:30'`; numbers such as `+1`
/// and `1e+5`; an order by several fields in one text and by `number(params.lr)`. Where keys are known, the
/// end of a param's or metric's key after a dot stands for the whole, `params.lr` for `params.optimizer.lr`,
/// unless a key is called so; one that could stand for several is refused.
///
/// **Not as MLflow.** `datasets.…` is refused: a `Run` holds none. So are accidents of its SQL parser: a
/// blank or nothing after the dot (MLflow then looks for a key that begins with a blank), `params.x desc =
/// …`, `params.x->y = …`, `1e5AND`, adjoining texts in a list.
namespace dailies::query {

namespace detail {
struct Condition;
}

/// A parsed filter. Copies share one immutable tree; any thread may use a copy.
class Filter {
public:
    Filter() = default;  ///< holds for every run
    explicit Filter(std::shared_ptr<const detail::Condition> root) : m_root(std::move(root)) {}

    bool empty() const { return m_root == nullptr; }  ///< whether it holds for every run
    const detail::Condition* root() const { return m_root.get(); }

private:
    std::shared_ptr<const detail::Condition> m_root;
};

/// Throws `QueryError`, which proposes the nearest of the known keys. A text of blanks gives the empty
/// filter.
Filter parseFilter(std::string_view text, const Vocabulary& known = {});

bool matches(const Filter& filter, const tracking::Run& run);

/// A key that a filter or an order asks for and no run has: not an error (MLflow answers with no run), mostly
/// a mistake.
struct UnknownKey {
    std::size_t position = 0, length = 0;  ///< of the field, in bytes of the parsed text
    std::string message;                   ///< "No run has the metric "los"; did you mean metrics.loss?"
    Proposal proposal = {};
};
std::vector<UnknownKey> unknownKeys(const Filter& filter, const Vocabulary& known);

/// What runs have values under.
enum class Entity { Metric, Param, Tag, Attribute };

/// The attributes of a run.
enum class Attribute { RunId, RunName, Status, StartTime, EndTime, UserId, ArtifactUri, Experiment };

/// What a comparison or an order asks a run for.
struct Field {
    Entity entity = Entity::Attribute;
    std::string key;                         ///< of a metric, param or tag
    Attribute attribute = Attribute::RunId;  ///< only where entity is Attribute
    bool operator==(const Field&) const = default;
};

struct Order {
    Field field;
    bool descending = false;
    bool asNumber =
        false;  ///< number(params.lr): by the number, not by the text; what is no number comes last
    bool operator==(const Order&) const = default;
};

/// "metrics.loss DESC, start_time": one order or several with commas. Throws `QueryError`, also where a field
/// stands twice. A text of blanks gives none.
std::vector<Order> parseOrderBy(std::string_view text, const Vocabulary& known = {});

/// The order of `runs` as indices into them. As MLflow on SQLite: runs without the value come last in both
/// directions, after those with NaN; params and tags by their bytes; ties by start time, newest first, then
/// by run id.
std::vector<std::size_t> sortedIndices(const std::vector<const tracking::Run*>& runs,
                                       const std::vector<Order>& orders);

/// Brings `runs` themselves into that order.
void sortRuns(std::vector<tracking::Run>& runs, const std::vector<Order>& orders);

/// The field as it is written in a filter, quoted where its key needs it: "params.`optimizer name`". Empty
/// where no quotes can hold the key.
std::string formatField(const Field& field);

/// A text as it is written in a filter: "'adam'". Empty where no quotes can hold it, for MLflow's language
/// has no escapes (both kinds of quotes in it, or a backslash before its end).
std::string quoteValue(std::string_view value);

}  // namespace dailies::query
