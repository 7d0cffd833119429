#pragma once

#include "ui/wall/review_data.h"

#include <QString>

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace dailies::ui {

/// What the wall's columns or rows can stand for.
enum class WallAxis { Run, Step, PromptAndSeed, Prompt, Seed, Param };

struct AxisChoice {
    WallAxis axis = WallAxis::Run;
    std::string param = {};  ///< of WallAxis::Param: "optimizer.lr"
    bool operator==(const AxisChoice&) const = default;
};

QString axisName(const AxisChoice& choice);  ///< "Run", "Prompt and seed", "lr"

/// The axes that make sense for these runs: params only where the runs differ in them.
std::vector<AxisChoice> axisChoices(const ReviewData& data);

/// Whether a wall can have these two axes: they must not both say which run, or both which prompt (or seed).
bool canCombine(const AxisChoice& a, const AxisChoice& b);

/// One place on an axis, and which clips belong there. Empty members leave it open.
struct AxisItem {
    std::string id;                        ///< of this place on its axis
    std::vector<std::string> runIds = {};  ///< the best first
    std::optional<std::int64_t> step = {};
    std::optional<std::string> prompt = {};
    std::optional<std::int64_t> seed = {};
    std::string value = {};  ///< the param's, as recorded
    bool operator==(const AxisItem&) const = default;
};

/// How a wall is arranged, and what is held where neither axis says it.
struct WallArrangement {
    AxisChoice columns{WallAxis::Run};
    AxisChoice rows{WallAxis::PromptAndSeed};
    std::int64_t step = 0;    ///< shown, or the nearest earlier one
    std::string runId = {};   ///< empty, or not among the runs: the best one
    std::string prompt = {};  ///< empty, or none of the data's: the first one
    std::optional<std::int64_t> seed = {};
    std::string metric = {};  ///< runs are in order of this one, the best first; empty: as launched
    std::string pinned = {};  ///< the id of the column that stands first: the reference
    std::set<std::string> expanded = {};  ///< runs whose resamples stand beside them, in places of their own
};

/// The places of an axis in the order in which the wall shows them, without regard to a pinned one. A run's
/// resamples share its place, as a stack, where they are not `expanded`.
std::vector<AxisItem> axisItems(const ReviewData& data, const AxisChoice& axis, const std::string& metric,
                                const std::set<std::string>& expanded = {});

/// The clip where a column and a row cross, and its run; no clip when there is none.
struct CellClip {
    const tracking::Run* run = nullptr;
    ReviewRow row = {};  ///< prompt and seed
    const tracking::ClipRecord* clip = nullptr;
    bool earlier = false;  ///< made at an earlier step than the wall's, and not the last that the run made
};
CellClip resolveCell(const ReviewData& data, const WallArrangement& arrangement, const AxisItem& column,
                     const AxisItem& row);

}  // namespace dailies::ui
