#pragma once

#include "core/base/json.h"
#include "ui/run_details/run_columns.h"
#include "ui/runs/run_arrangement.h"

#include <QString>

#include <set>
#include <string>

namespace dailies::ui {

/// Everything about the run table that a person arranged, as a saved view keeps it.
struct ViewState {
    std::string experiment = {};  ///< empty: all
    std::string filter = {};      ///< the box's text
    Grouping grouping = {};
    std::string sortBy = {};  ///< a column's id; empty: newest first
    bool descending = false;
    std::set<std::string> pinned = {};      ///< run ids
    std::set<std::string> hiddenRuns = {};  ///< run ids whose curves are not drawn
    std::set<std::string> collapsed = {};   ///< values of groups
    ColumnChoice columns = {};
    bool operator==(const ViewState&) const = default;
};

/// What the store keeps under a view's name. `viewFromJson` takes what it knows and leaves the rest at its
/// default, so that a view of another version opens as far as it can.
Json toJson(const ViewState& state);
ViewState viewFromJson(const Json& json);
/// Whether a saved view is one of the run table (the charts save theirs in the same table).
bool isTableView(const Json& json);

}  // namespace dailies::ui
