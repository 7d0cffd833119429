// The params of the runs, grouped as the schema groups them.
#include "core/base/numbers.h"
#include "core/compare/rows.h"
#include "core/config/schema.h"
#include "core/tracking/compared_value.h"

#include <algorithm>
#include <set>

namespace dailies::compare::detail {

namespace {

/// Keys that any of the runs has: the schema's first, in its order; the others by name.
std::vector<std::string> keysOf(const ComparisonInput& subject) {
    std::set<std::string> all;
    for (const auto* run : subject.runs)
        for (const auto& [key, value] : run->params) all.insert(key);
    std::vector<std::string> keys;
    for (const auto& field : config::trainSchema())
        if (all.erase(field.key) > 0) keys.push_back(field.key);
    keys.insert(keys.end(), all.begin(), all.end());
    return keys;
}

/// A seed's ratio to another says nothing.
bool isQuantity(const std::string& key) {
    return key != "seed" && !key.ends_with(".seed") && !key.ends_with("_seed");
}

Row makeRow(const ComparisonInput& subject, const std::string& key, const std::string& name) {
    Row row{.key = key, .name = name};
    if (const auto* field = config::findField(key)) {
        row.unit = field->unit;
        row.doc = field->label + ". " + field->doc + " Accepts " + field->accepted() + ".";
    }
    for (const auto* run : subject.runs) {
        const auto found = run->params.find(key);
        row.cells.push_back(
            found == run->params.end()
                ? Cell{}
                : Cell{.text = tracking::comparedValue(*run, found->second), .present = true});
    }
    markDifferentValues(row, subject.reference);
    const auto reference = parseAs<double>(row.cells[subject.reference].text);
    if (row.differs && reference && isQuantity(key))
        for (Cell& cell : row.cells)
            if (const auto value = parseAs<double>(cell.text); value && cell.differs)
                cell.change = ratioText(*value, *reference);
    return row;
}

}  // namespace

Section configSection(const ComparisonInput& subject) {
    Section section{.kind = SectionKind::Config, .title = "Configuration"};
    for (const std::string& key : keysOf(subject)) {
        const auto dot = key.find('.');
        const std::string title = dot == std::string::npos ? "" : key.substr(0, dot);
        auto group = std::find_if(section.groups.begin(), section.groups.end(),
                                  [&](const Group& g) { return g.title == title; });
        if (group == section.groups.end()) {
            // Keys without a group stand first, wherever their first one is met: below a title they would
            // seem to belong to it.
            const auto at = title.empty() ? section.groups.begin() : section.groups.end();
            group = section.groups.insert(at, Group{.title = title});
        }
        group->rows.push_back(makeRow(subject, key, dot == std::string::npos ? key : key.substr(dot + 1)));
    }
    return section;
}

}  // namespace dailies::compare::detail
