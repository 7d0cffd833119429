#include "ui/runs/view_state.h"

namespace dailies::ui {

namespace {

constexpr const char* kKind = "run table";

template <typename T>
T read(const Json& json, const char* key, T otherwise) {
    try {
        return json.at(key).get<T>();
    } catch (const Json::exception&) {
        return otherwise;
    }
}

}  // namespace

Json toJson(const ViewState& state) {
    return {{"kind", kKind},
            {"experiment", state.experiment},
            {"filter", state.filter},
            {"group", state.grouping.id()},
            {"sort", state.sortBy},
            {"descending", state.descending},
            {"pinned", state.pinned},
            {"hidden_runs", state.hiddenRuns},
            {"collapsed", state.collapsed},
            {"differs_only", state.columns.differsOnly},
            {"shown", state.columns.shown},
            {"hidden", state.columns.hidden},
            {"best", state.columns.best},
            {"order", state.columns.order},
            {"widths", state.columns.widths}};
}

ViewState viewFromJson(const Json& json) {
    ViewState state;
    state.experiment = read(json, "experiment", state.experiment);
    state.filter = read(json, "filter", state.filter);
    state.grouping = Grouping::of(read<std::string>(json, "group", {}));
    state.sortBy = read(json, "sort", state.sortBy);
    state.descending = read(json, "descending", state.descending);
    state.pinned = read(json, "pinned", state.pinned);
    state.hiddenRuns = read(json, "hidden_runs", state.hiddenRuns);
    state.collapsed = read(json, "collapsed", state.collapsed);
    state.columns.differsOnly = read(json, "differs_only", state.columns.differsOnly);
    state.columns.shown = read(json, "shown", state.columns.shown);
    state.columns.hidden = read(json, "hidden", state.columns.hidden);
    state.columns.best = read(json, "best", state.columns.best);
    state.columns.order = read(json, "order", state.columns.order);
    state.columns.widths = read(json, "widths", state.columns.widths);
    return state;
}

bool isTableView(const Json& json) {
    return json.is_object() && read<std::string>(json, "kind", {}) == kKind;
}

}  // namespace dailies::ui
