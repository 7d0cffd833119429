#include "ui/run_details/run_columns.h"

#include "core/base/text.h"
#include "core/config/schema.h"
#include "core/tracking/compared_value.h"
#include "core/tracking/run_notes.h"
#include "core/tracking/training_run.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

namespace dailies::ui {

namespace {

constexpr std::size_t kMetricColumns = 3;
constexpr std::size_t kParamColumns =
    40;  ///< that come by themselves: more would be a wall; any can be chosen

constexpr std::array<std::pair<Column::Kind, const char*>, 11> kKinds{
    {{Column::Kind::Name, "name"},
     {Column::Kind::Status, "status"},
     {Column::Kind::Sweep, "sweep"},
     {Column::Kind::Experiment, "experiment"},
     {Column::Kind::Param, "param:"},
     {Column::Kind::Tag, "tag:"},
     {Column::Kind::Notes, "notes"},
     {Column::Kind::Metric, "metric:"},
     {Column::Kind::Curve, "curve:"},
     {Column::Kind::Duration, "duration"},
     {Column::Kind::Started, "started"}}};

/// Counts the keys of a run among those of all in one pass over both; true when a key was new.
template <typename Count, typename Value, typename Touch>
bool mergeKeys(tracking::KeyedValues<Count>& counts, const tracking::KeyedValues<Value>& values,
               Touch touch) {
    bool grew = false;
    if (counts.empty() && !values.empty()) {
        counts = values.template withSameKeys<Count>();
        grew = true;
    }
    auto at = counts.begin();
    if (&counts.keys() == &values.keys()) {  // as in most runs: nothing to compare
        for (const auto& [key, value] : values) {
            touch(at->second, value);
            ++at;
        }
        return grew;
    }
    for (const auto& [key, value] : values) {
        // Mostly the next one: runs of one sweep have the same keys.
        while (at != counts.end() && at->first < key) {
            ++at;
        }
        if (at == counts.end() || at->first != key) {
            at = counts.emplace(key).first;
            grew = true;
        }
        touch(at->second, value);
    }
    return grew;
}

template <typename Counts>
std::vector<std::string> keysOf(const Counts& counts) {
    std::vector<std::string> keys;
    keys.reserve(counts.size());
    for (const auto& [key, count] : counts) {
        keys.push_back(key);
    }
    return keys;
}

/// The schema's order where the schema knows the key, then the rest by name (runs of other trainers).
std::vector<std::string> inSchemaOrder(std::vector<std::string> keys) {
    static const std::map<std::string, std::size_t, std::less<>> ranks = [] {
        std::map<std::string, std::size_t, std::less<>> result;
        for (const auto& field : config::trainSchema()) {
            result.emplace(field.key, result.size());
        }
        return result;
    }();
    const auto rank = [&](const std::string& key) {
        const auto found = ranks.find(key);
        return found == ranks.end() ? ranks.size() : found->second;
    };
    std::stable_sort(keys.begin(), keys.end(),
                     [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
    return keys;
}

bool isOwnTag(const std::string& key) {
    return key.starts_with("mlflow.") || key.starts_with("dailies.");
}

void addTitled(std::vector<Column>& columns, Column::Kind kind, const std::vector<std::string>& keys) {
    const auto titles = shortKeys(keys);
    for (std::size_t i = 0; i < keys.size(); ++i) {
        columns.push_back({kind, keys[i], titles[i]});
    }
}

/// Brings the columns that the order names into it, each after the one before it, and leaves the others where
/// they are.
void applyOrder(std::vector<Column>& columns, const std::vector<std::string>& order) {
    std::map<std::string, std::size_t> ranks;
    for (const auto& id : order) {
        ranks.emplace(id, ranks.size());
    }
    std::vector<std::size_t> places;
    std::vector<Column> named;
    for (std::size_t i = 1; i < columns.size(); ++i) {
        if (ranks.contains(columns[i].id())) {
            places.push_back(i);
            named.push_back(columns[i]);
        }
    }
    std::stable_sort(named.begin(), named.end(),
                     [&](const Column& a, const Column& b) { return ranks[a.id()] < ranks[b.id()]; });
    for (std::size_t i = 0; i < places.size(); ++i) {
        columns[places[i]] = std::move(named[i]);
    }
}

}  // namespace

std::string Column::id() const {
    const auto found =
        std::find_if(kKinds.begin(), kKinds.end(), [&](const auto& k) { return k.first == kind; });
    return found->second + key;
}

Column columnOf(const std::string& id) {
    for (const auto& [kind, word] : kKinds) {
        const std::string prefix = word;
        if (prefix.back() == ':' ? id.starts_with(prefix) : id == prefix) {
            return {kind, id.substr(prefix.size())};
        }
    }
    return {};
}

void RunKeys::add(const tracking::Run& run) {
    Params& params = tracking::isTrainingRun(run) ? m_training : m_jobs;
    ++params.runs;
    bool changed = mergeKeys(params.byKey, run.params, [&](Param& param, const std::string& value) {
        if (param.runs++ == 0) {
            param.value = tracking::comparedValue(run, value);
        } else if (!param.differs && param.value != tracking::comparedValue(run, value)) {
            param.differs = true;
            ++m_version;
        }
    });
    const auto count = [](std::size_t& runs, const auto&) { ++runs; };
    changed |= mergeKeys(m_metrics, run.metrics, count);
    changed |= mergeKeys(m_tags, run.tags, count);
    changed |= m_experiments[run.experiment]++ == 0;
    m_version += changed ? 1 : 0;
}

void RunKeys::remove(const tracking::Run& run) {
    Params& params = tracking::isTrainingRun(run) ? m_training : m_jobs;
    --params.runs;
    bool changed = false;
    const auto drop = [&](auto& counts, const auto& values, auto countOf) {
        for (const auto& [key, value] : values) {
            if (const auto at = counts.find(key); at != counts.end() && --countOf(at->second) == 0) {
                counts.erase(key);
                changed = true;
            }
        }
    };
    drop(params.byKey, run.params, [](Param& param) -> std::size_t& { return param.runs; });
    const auto itself = [](std::size_t& runs) -> std::size_t& { return runs; };
    drop(m_metrics, run.metrics, itself);
    drop(m_tags, run.tags, itself);
    if (const auto at = m_experiments.find(run.experiment); at != m_experiments.end() && --at->second == 0) {
        m_experiments.erase(at);
        changed = true;
    }
    m_version += changed ? 1 : 0;
}

std::vector<std::string> RunKeys::metrics() const {
    return metricOrder(keysOf(m_metrics));
}

std::vector<std::string> RunKeys::params() const {
    auto keys = keysOf(m_training.byKey);
    for (const auto& [key, param] : m_jobs.byKey) {
        if (!m_training.byKey.contains(key)) {
            keys.push_back(key);
        }
    }
    std::sort(keys.begin(), keys.end());
    return inSchemaOrder(std::move(keys));
}

std::vector<std::string> RunKeys::mainParams() const {
    return inSchemaOrder(keysOf(main().byKey));
}

std::vector<std::string> RunKeys::variedParams() const {
    std::vector<std::string> keys;
    for (const auto& [key, param] : main().byKey) {
        if (param.differs) {
            keys.push_back(key);
        }
    }
    return inSchemaOrder(std::move(keys));
}

std::vector<std::string> RunKeys::tags() const {
    auto keys = keysOf(m_tags);
    std::erase_if(keys, isOwnTag);
    return keys;
}

std::vector<std::string> RunKeys::experiments() const {
    return keysOf(m_experiments);
}

bool RunKeys::anyNotes() const {
    return m_tags.contains(tracking::tag::kNotes);
}

std::vector<Column> allColumns(const RunKeys& keys) {
    // How the runs did comes before what they were, which may be dozens of params.
    std::vector<Column> columns{{Column::Kind::Name, {}, "Run"}, {Column::Kind::Status, {}, "Status"}};
    const auto metrics = keys.metrics();
    for (const auto& key : metrics) {
        columns.push_back({Column::Kind::Metric, key, key});
        columns.push_back({Column::Kind::Curve, key, key});
    }
    columns.push_back({Column::Kind::Sweep, {}, "Sweep"});
    columns.push_back({Column::Kind::Experiment, {}, "Experiment"});
    addTitled(columns, Column::Kind::Param, keys.params());
    addTitled(columns, Column::Kind::Tag, keys.tags());
    columns.push_back({Column::Kind::Notes, {}, "Notes"});
    columns.push_back({Column::Kind::Duration, {}, "Duration"});
    columns.push_back({Column::Kind::Started, {}, "Started"});
    return columns;
}

std::vector<Column> chooseColumns(const RunKeys& all, const RunKeys& shown, const ColumnChoice& choice) {
    std::set<std::string> byThemselves{"name", "status", "sweep", "duration", "started"};
    if (shown.experiments().size() > 1) {
        byThemselves.insert("experiment");
    }
    if (shown.anyNotes()) {
        byThemselves.insert("notes");
    }
    const auto params = choice.differsOnly ? shown.variedParams() : shown.mainParams();
    for (std::size_t i = 0; i < std::min(params.size(), kParamColumns); ++i) {
        byThemselves.insert("param:" + params[i]);
    }
    const auto metrics = shown.metrics();
    for (std::size_t i = 0; i < std::min(metrics.size(), kMetricColumns); ++i) {
        byThemselves.insert("metric:" + metrics[i]);
    }
    if (!metrics.empty()) {
        byThemselves.insert("curve:" + metrics.front());
    }
    std::vector<Column> columns;
    std::vector<std::string> paramKeys;
    for (auto& column : allColumns(all)) {
        const std::string id = column.id();
        const bool wanted =
            choice.shown.contains(id) || (byThemselves.contains(id) && !choice.hidden.contains(id));
        if (wanted || column.kind == Column::Kind::Name) {
            column.best = column.kind == Column::Kind::Metric && choice.best.contains(column.key);
            if (column.kind == Column::Kind::Param) {
                paramKeys.push_back(column.key);
            }
            columns.push_back(std::move(column));
        }
    }
    // Among the params on show alone, a shorter title may do.
    const auto titles = shortKeys(paramKeys);
    std::size_t next = 0;
    for (auto& column : columns) {
        if (column.kind == Column::Kind::Param) {
            column.title = titles[next++];
        }
    }
    applyOrder(columns, choice.order);
    return columns;
}

std::vector<std::string> metricOrder(std::vector<std::string> keys) {
    const auto rank = [](const std::string& key) {
        if (key == "loss" || key == "train/loss") {
            return 0;
        }
        if (key == "adherence") {
            return 1;
        }
        return key.find("loss") != std::string::npos ? 2 : 3;
    };
    std::sort(keys.begin(), keys.end(),
              [&](const auto& a, const auto& b) { return std::pair(rank(a), a) < std::pair(rank(b), b); });
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
    return keys;
}

RunSet makeRunSet(std::vector<tracking::Run> runs) {
    RunSet set;
    set.runs.reserve(runs.size());
    set.indexes.reserve(runs.size());
    for (auto& run : runs) {
        set.keys.add(run);
        set.indexes.emplace(run.id, static_cast<int>(set.runs.size()));
        set.runs.push_back(std::make_shared<const tracking::Run>(std::move(run)));
    }
    return set;
}

}  // namespace dailies::ui
