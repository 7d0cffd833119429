// The metrics of the runs: their last and their best value.
#include "core/compare/rows.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace dailies::compare::detail {

using sweep::Goal;

namespace {

using tracking::MetricPoint;
using Points = std::vector<std::optional<MetricPoint>>;

std::string valueText(double value) {
    if (std::isnan(value)) return "NaN";
    if (std::isinf(value)) return value > 0 ? "∞" : "−∞";
    return digits(value, 4);
}

void markBest(Row& row, const Points& points, Goal goal) {
    const MetricPoint* best = nullptr;
    bool several = false;  // different values
    for (const auto& point : points) {
        if (!point) continue;
        several |= best && point->value != best->value;
        if (!best || isBetter(point->value, best->value, goal)) best = &*point;
    }
    if (!several || std::isnan(best->value)) return;
    for (std::size_t i = 0; i < points.size(); ++i)
        row.cells[i].best = points[i] && points[i]->value == best->value;
}

Row makeRow(const ComparisonInput& subject, const std::string& key, const std::string& name,
            const Points& points, Goal goal) {
    Row row{.key = key, .name = name};
    if (isGoalKnown(key, subject.goals))
        row.doc = goal == Goal::Minimize ? "Lower is better." : "Higher is better.";
    const auto& reference = points[subject.reference];
    for (const auto& point : points) {
        Cell cell;
        if (point) {
            cell = {.text = valueText(point->value),
                    .note = "step " + std::to_string(point->step),
                    .present = true};
            if (reference) cell.change = differenceText(point->value, reference->value);
        }
        // Four digits may hide a difference, so the values decide and not their texts.
        cell.differs = point.has_value() != reference.has_value() ||
                       (point && point->value != reference->value &&
                        !(std::isnan(point->value) && std::isnan(reference->value)));
        row.differs |= cell.differs;
        row.cells.push_back(std::move(cell));
    }
    if (isGoalKnown(key, subject.goals)) markBest(row, points, goal);
    return row;
}

}  // namespace

Section metricsSection(const ComparisonInput& subject) {
    Section section{.kind = SectionKind::Metrics, .title = "Metrics"};
    std::set<std::string> keys;
    for (const auto* run : subject.runs)
        for (const auto& [key, point] : run->metrics) keys.insert(std::string(key));

    // "loss/train" and "loss/val" are of one group; keys without a prefix stand first.
    std::map<std::string, Group> groups;
    for (const std::string& key : keys) {
        const auto slash = key.find('/');
        const std::string title = slash == std::string::npos ? "" : key.substr(0, slash);
        const std::string name = slash == std::string::npos ? key : key.substr(slash + 1);
        Group& group = groups.try_emplace(title, Group{.title = title}).first->second;

        const Goal goal = goalOf(key, subject.goals);
        Points last, best;
        bool anyBest = false;
        for (const auto* run : subject.runs) {
            const auto found = run->metrics.find(key);
            last.push_back(found == run->metrics.end() ? std::nullopt : std::optional(found->second));
            const auto top = subject.best.find({run->id, key});
            anyBest |= top != subject.best.end();
            best.push_back(top == subject.best.end() ? std::nullopt : std::optional(top->second));
        }
        group.rows.push_back(makeRow(subject, key, name + ", last", last, goal));
        if (anyBest)
            group.rows.push_back(makeRow(
                subject, key, name + (goal == Goal::Minimize ? ", lowest" : ", highest"), best, goal));
    }
    for (auto& [title, group] : groups) section.groups.push_back(std::move(group));
    return section;
}

}  // namespace dailies::compare::detail
