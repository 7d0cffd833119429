#include "ui/runs/run_arrangement.h"

#include "core/base/clock.h"
#include "core/base/numbers.h"
#include "core/tracking/run_notes.h"
#include "core/tracking/run_time.h"
#include "ui/widgets/run_text.h"
#include "ui/widgets/widgets.h"

#include <QCollator>
#include <QLocale>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <string_view>

namespace dailies::ui {

namespace {

using tracking::Run;

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

/// Made once a run, so that sorting compares two numbers.
struct SortKey {
    enum Class : std::uint8_t { Number, Text, Nan, Missing };
    Class kind = Missing;
    double value = 0;  ///< of a text: its rank among the texts
};

/// Active runs first, then by how they ended.
int statusRank(tracking::RunStatus status) {
    switch (status) {
        case tracking::RunStatus::Running:
            return 0;
        case tracking::RunStatus::Scheduled:
            return 1;
        case tracking::RunStatus::Failed:
            return 2;
        case tracking::RunStatus::Killed:
            return 3;
        case tracking::RunStatus::Finished:
            return 4;
    }
    return 5;
}

SortKey numberKey(double value) {
    return {std::isnan(value) ? SortKey::Nan : SortKey::Number, value};
}

/// The text that a run has in a column whose values are texts; null: none.
const std::string* textIn(const Run& run, const Column& column) {
    const auto find = [](const auto& map, const std::string& key) {
        const auto found = map.find(key);
        return found == map.end() ? nullptr : &found->second;
    };
    switch (column.kind) {
        case Column::Kind::Name:
            return &run.name;
        case Column::Kind::Experiment:
            return &run.experiment;
        case Column::Kind::Sweep:
            return find(run.tags, tracking::tag::kSweepName);
        case Column::Kind::Tag:
            return find(run.tags, column.key);
        case Column::Kind::Notes:
            return find(run.tags, tracking::tag::kNotes);
        case Column::Kind::Param:
            return find(run.params, column.key);
        default:
            return nullptr;
    }
}

/// Ranks texts as people count and without regard to case; each different text is collated once.
std::unordered_map<std::string_view, double> rankTexts(const std::vector<const std::string*>& texts) {
    std::unordered_map<std::string_view, double> ranks;
    for (const auto* text : texts) {
        ranks.emplace(*text, 0);
    }
    // A fixed locale: the same order on every machine, and digits in texts counted, which the C locale
    // cannot.
    QCollator collator(QLocale(QLocale::English));
    collator.setNumericMode(true);
    collator.setCaseSensitivity(Qt::CaseInsensitive);
    std::vector<std::pair<QCollatorSortKey, std::string_view>> ordered;
    ordered.reserve(ranks.size());
    for (const auto& [text, rank] : ranks) {
        ordered.emplace_back(
            collator.sortKey(QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()))), text);
    }
    std::sort(ordered.begin(), ordered.end(), [](const auto& a, const auto& b) {
        const int order = a.first.compare(b.first);
        return order != 0 ? order < 0 : a.second < b.second;
    });
    double rank = 0;
    for (const auto& [key, text] : ordered) {
        ranks[text] = rank++;
    }
    return ranks;
}

double metricOf(const Run& run, const Column& column, const BestPtr& best, bool* has) {
    if (column.best) {
        if (best) {
            if (const auto values = best->find(column.key); values != best->end()) {
                if (const auto found = values->second.find(run.id); found != values->second.end()) {
                    *has = true;
                    return found->second;
                }
            }
        }
        *has = false;
        return kNothing;
    }
    const auto found = run.metrics.find(column.key);
    *has = found != run.metrics.end();
    return *has ? found->second.value : kNothing;
}

std::vector<SortKey> sortKeys(const std::vector<RunPtr>& runs, const std::vector<int>& rows,
                              const Column& column, const BestPtr& best) {
    std::vector<SortKey> keys(runs.size());
    const auto each = [&](auto keyOf) {
        for (const int row : rows) {
            const auto at = static_cast<std::size_t>(row);
            keys[at] = keyOf(*runs[at]);
        }
    };
    switch (column.kind) {
        case Column::Kind::Status:
            each([](const Run& run) { return numberKey(statusRank(run.status)); });
            return keys;
        case Column::Kind::Metric:
        case Column::Kind::Curve:
            each([&](const Run& run) {
                bool has = false;
                const double value = metricOf(run, column, best, &has);
                return has ? numberKey(value) : SortKey{};
            });
            return keys;
        case Column::Kind::Duration:
            each([now = unixMillis()](const Run& run) {
                const auto duration = tracking::trainingMs(run, now);
                return duration > 0 ? numberKey(static_cast<double>(duration)) : SortKey{};
            });
            return keys;
        case Column::Kind::Started:
            each([](const Run& run) {
                return run.startMs > 0 ? numberKey(static_cast<double>(run.startMs)) : SortKey{};
            });
            return keys;
        default:
            break;
    }
    std::vector<const std::string*> texts;
    const bool numbers = column.kind == Column::Kind::Param || column.kind == Column::Kind::Tag;
    for (const int row : rows) {
        const auto at = static_cast<std::size_t>(row);
        if (const auto* text = textIn(*runs[at], column); text && !text->empty()) {
            if (const auto number = numbers ? parseAs<double>(*text) : std::nullopt) {
                keys[at] = numberKey(*number);
            } else {
                keys[at].kind = SortKey::Text;
                texts.push_back(text);
            }
        }
    }
    const auto ranks = rankTexts(texts);
    for (const int row : rows) {
        const auto at = static_cast<std::size_t>(row);
        if (keys[at].kind == SortKey::Text) {
            keys[at].value = ranks.at(*textIn(*runs[at], column));
        }
    }
    return keys;
}

void sortRows(std::vector<int>& rows, const std::vector<SortKey>& keys, bool descending) {
    std::stable_sort(rows.begin(), rows.end(), [&](int a, int b) {
        const SortKey& left = keys[static_cast<std::size_t>(a)];
        const SortKey& right = keys[static_cast<std::size_t>(b)];
        if (left.kind != right.kind) {
            const bool valued = left.kind < SortKey::Nan && right.kind < SortKey::Nan;
            return descending && valued ? left.kind > right.kind : left.kind < right.kind;
        }
        if (left.kind >= SortKey::Nan) {
            return false;
        }
        return descending ? left.value > right.value : left.value < right.value;
    });
}

Column columnFor(const Grouping& grouping) {
    switch (grouping.by) {
        case Grouping::By::Sweep:
            return {Column::Kind::Sweep};
        case Grouping::By::Experiment:
            return {Column::Kind::Experiment};
        case Grouping::By::Param:
            return {Column::Kind::Param, grouping.key};
        case Grouping::By::Tag:
            return {Column::Kind::Tag, grouping.key};
        case Grouping::By::Status:
        case Grouping::By::None:
            break;
    }
    return {Column::Kind::Status};
}

std::string groupValue(const Run& run, const Grouping& grouping) {
    if (grouping.by == Grouping::By::Status) {
        return std::string(tracking::toText(run.status));
    }
    if (grouping.by == Grouping::By::Sweep) {
        // By its id: two sweeps may have one name.
        const std::string id = tagOf(run, tracking::tag::kSweep);
        return id.empty() ? tagOf(run, tracking::tag::kSweepName) : id;
    }
    const auto* text = textIn(run, columnFor(grouping));
    return text ? *text : std::string();
}

QString groupTitle(const std::string& value, const Grouping& grouping, const Run& first) {
    if (grouping.by == Grouping::By::Status) {
        return first.status == tracking::RunStatus::Running     ? QStringLiteral("Running")
               : first.status == tracking::RunStatus::Scheduled ? QStringLiteral("Waiting")
               : first.status == tracking::RunStatus::Killed    ? QStringLiteral("Cancelled")
               : first.status == tracking::RunStatus::Failed    ? QStringLiteral("Failed")
                                                                : QStringLiteral("Finished");
    }
    if (!value.empty()) {
        const std::string name =
            grouping.by == Grouping::By::Sweep ? tagOf(first, tracking::tag::kSweepName) : value;
        return sanitized(name.empty() ? value : name);
    }
    switch (grouping.by) {
        case Grouping::By::Sweep:
            return QStringLiteral("No sweep");
        case Grouping::By::Param:
        case Grouping::By::Tag:
            return QStringLiteral("Without %1").arg(sanitized(grouping.key));
        default:
            return QStringLiteral("None");
    }
}

/// Gathers the values of one metric over one group; Welford's method, so that large equal values leave no
/// deviation.
class Gathering {
public:
    void add(double value, bool higherIsBetter) {
        if (!std::isfinite(value)) {
            return;
        }
        const bool better =
            m_result.runs == 0 || (higherIsBetter ? value > m_result.best : value < m_result.best);
        m_result.best = better ? value : m_result.best;
        ++m_result.runs;
        const double delta = value - m_result.mean;
        m_result.mean += delta / static_cast<double>(m_result.runs);
        m_squares += delta * (value - m_result.mean);
    }
    Summary result() const {
        Summary summary = m_result;
        if (summary.runs > 1) {
            summary.deviation = std::sqrt(m_squares / static_cast<double>(summary.runs - 1));
        }
        return summary;
    }

private:
    Summary m_result;
    double m_squares = 0;
};

}  // namespace

std::string Grouping::id() const {
    switch (by) {
        case By::None:
            return {};
        case By::Sweep:
            return "sweep";
        case By::Status:
            return "status";
        case By::Experiment:
            return "experiment";
        case By::Param:
            return "param:" + key;
        case By::Tag:
            return "tag:" + key;
    }
    return {};
}

Grouping Grouping::of(const std::string& id) {
    const Column column = columnOf(id);
    switch (column.kind) {
        case Column::Kind::Sweep:
            return {By::Sweep};
        case Column::Kind::Status:
            return {By::Status};
        case Column::Kind::Experiment:
            return {By::Experiment};
        case Column::Kind::Param:
            return {By::Param, column.key};
        case Column::Kind::Tag:
            return {By::Tag, column.key};
        default:
            return {};
    }
}

Arrangement arrange(const std::vector<RunPtr>& runs, const BestPtr& best, const ArrangementSpec& spec) {
    std::vector<int> rows;
    rows.reserve(runs.size());
    for (std::size_t i = 0; i < runs.size(); ++i) {
        if ((spec.experiment.empty() || runs[i]->experiment == spec.experiment) &&
            spec.matcher.matches(*runs[i])) {
            rows.push_back(static_cast<int>(i));
        }
    }
    if (spec.sortBy) {
        sortRows(rows, sortKeys(runs, rows, *spec.sortBy, best), spec.descending);
    }
    const auto runAt = [&](int row) -> const Run& { return *runs[static_cast<std::size_t>(row)]; };
    const auto unpinned = std::stable_partition(rows.begin(), rows.end(),
                                                [&](int row) { return spec.pinned.contains(runAt(row).id); });

    Arrangement result;
    if (spec.countKeys && !rows.empty()) {
        result.keys.emplace();
        for (const int row : rows) {
            result.keys->add(runAt(row));
        }
    }
    result.shown.assign(rows.begin(), unpinned);
    result.groupOf.assign(result.shown.size(), -1);
    for (const int row : result.shown) {
        result.rows.push_back({row, -1});
    }
    if (spec.grouping.by == Grouping::By::None) {
        for (auto row = unpinned; row != rows.end(); ++row) {
            result.rows.push_back({*row, -1});
            result.shown.push_back(*row);
        }
        result.groupOf.assign(result.shown.size(), -1);
        return result;
    }

    // Groups stand in the order of their first run; unsorted, by their own value.
    std::vector<int> rest(unpinned, rows.end());
    std::vector<int> byGroup = rest;
    if (!spec.sortBy) {
        sortRows(byGroup, sortKeys(runs, byGroup, columnFor(spec.grouping), best), false);
    }
    std::unordered_map<std::string, int> groups;
    for (const int row : byGroup) {
        const std::string value = groupValue(runAt(row), spec.grouping);
        if (groups.emplace(value, static_cast<int>(result.groups.size())).second) {
            result.groups.push_back(
                {value, groupTitle(value, spec.grouping, runAt(row)), 0, spec.collapsed.contains(value), {}});
        }
    }
    std::vector<std::vector<int>> members(result.groups.size());
    std::vector<std::vector<Gathering>> gathered(result.groups.size(),
                                                 std::vector<Gathering>(spec.metrics.size()));
    for (const int row : rest) {
        const auto group = static_cast<std::size_t>(groups.at(groupValue(runAt(row), spec.grouping)));
        members[group].push_back(row);
        for (std::size_t i = 0; i < spec.metrics.size(); ++i) {
            bool has = false;
            gathered[group][i].add(metricOf(runAt(row), spec.metrics[i], best, &has),
                                   spec.higherIsBetter.contains(spec.metrics[i].key));
        }
    }
    for (std::size_t group = 0; group < members.size(); ++group) {
        auto& head = result.groups[group];
        head.runs = static_cast<int>(members[group].size());
        for (const auto& gathering : gathered[group]) {
            head.metrics.push_back(gathering.result());
        }
        const int at = static_cast<int>(group);
        result.rows.push_back({-1, at});
        for (const int row : members[group]) {
            result.shown.push_back(row);
            result.groupOf.push_back(at);
            if (!head.collapsed) {
                result.rows.push_back({row, at});
            }
        }
    }
    return result;
}

}  // namespace dailies::ui
