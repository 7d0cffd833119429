#include "core/compare/comparison.h"

#include "core/base/json.h"
#include "core/base/numbers.h"
#include "core/base/text.h"
#include "core/compare/rows.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>

namespace dailies::compare {

namespace detail {

namespace {

bool sameText(const Cell& a, const Cell& b) {
    if (a.present != b.present || a.text == b.text) return a.present == b.present;
    const auto x = parseAs<double>(a.text), y = parseAs<double>(b.text);
    return x && y && (*x == *y || (std::isnan(*x) && std::isnan(*y)));
}

}  // namespace

std::string digits(double value, int significant) {
    char buffer[32];
    std::snprintf(buffer, sizeof buffer, "%.*g", significant, value);
    return buffer;
}

std::string differenceText(double value, double reference) {
    const double difference = value - reference;
    if (!std::isfinite(difference) || difference == 0) return {};
    return (difference > 0 ? "+" : "−") + digits(std::abs(difference), 3);
}

std::string ratioText(double value, double reference) {
    if (!std::isfinite(value) || !std::isfinite(reference) || value == reference) return {};
    if (value * reference <= 0) return differenceText(value, reference);
    const double ratio = value / reference;
    // At two digits a ratio close to one would read "×1".
    if (ratio > 0.9 && ratio < 1.1) return differenceText(value, reference);
    if (ratio >= 100 && ratio < 1e4) return "×" + std::to_string(std::lround(ratio));  // rather than 1.5e+02
    return "×" + digits(ratio, 2);
}

void markDifferences(Row& row, std::size_t reference) {
    for (Cell& cell : row.cells) {
        cell.differs = !sameText(cell, row.cells[reference]);
        row.differs |= cell.differs;
    }
}

void markDifferentValues(Row& row, std::size_t reference) {
    const Cell* first = nullptr;
    for (Cell& cell : row.cells) {
        if (!cell.present) continue;
        if (!first) first = &cell;
        row.differs |= !sameText(cell, *first);
        cell.differs = row.cells[reference].present && !sameText(cell, row.cells[reference]);
    }
}

}  // namespace detail

Comparison compareRuns(const ComparisonInput& subject) {
    Comparison comparison;
    comparison.reference = subject.reference;
    for (const auto* run : subject.runs) {
        comparison.runIds.push_back(run->id);
        comparison.names.push_back(run->name.empty() ? run->id.substr(0, 8) : run->name);
    }
    if (!subject.runs.empty())
        comparison.sections = {detail::configSection(subject), detail::environmentSection(subject),
                               detail::metricsSection(subject)};
    return comparison;
}

namespace {

bool mentions(const Section& section, const Row& row, const std::string& word) {
    const auto holds = [&](const std::string& text) { return lowered(text).find(word) != std::string::npos; };
    return holds(row.key) || holds(row.name) || holds(row.unit) || holds(section.title) ||
           std::any_of(row.cells.begin(), row.cells.end(), [&](const Cell& c) { return holds(c.text); });
}

}  // namespace

std::vector<Line> linesOf(const Comparison& comparison, const LineFilter& filter) {
    std::vector<std::string> words;
    for (const auto& word : split(lowered(filter.words), ' '))
        if (!word.empty()) words.push_back(word);

    std::vector<Line> lines;
    for (const Section& section : comparison.sections) {
        bool sectionSaid = false;
        for (const Group& group : section.groups) {
            bool groupSaid = group.title.empty();
            for (const Row& row : group.rows) {
                if (filter.differencesOnly && !row.differs) continue;
                if (!std::all_of(words.begin(), words.end(),
                                 [&](const std::string& word) { return mentions(section, row, word); }))
                    continue;
                if (!std::exchange(sectionSaid, true)) lines.push_back({Line::Kind::Section, &section});
                if (!std::exchange(groupSaid, true)) lines.push_back({Line::Kind::Group, &section, &group});
                lines.push_back({Line::Kind::Row, &section, &group, &row});
            }
        }
    }
    return lines;
}

}  // namespace dailies::compare
