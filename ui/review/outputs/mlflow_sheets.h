#pragma once

#include "ui/review/outputs/clip_grid.h"

#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

namespace dailies::ui {

/// A contact sheet of one run at one step at which it sampled clips.
struct RunSheet {
    std::string runId;
    std::int64_t step = 0;
    WallScene scene;
};

/// Of each run at each of its steps of which a clip has arrived. GUI thread, as `makeScene`.
std::vector<RunSheet> runSheets(const ReviewData& data);

/// Puts the sheets where MLflow's own pages find the images that a run logged: an artifact
/// images/clips+step+N+timestamp+MS+ID.png, with a smaller …+compressed.webp beside it, and the tag
/// mlflow.loggedImages. `mlflow ui` then shows them under a step slider. A run's earlier sheets are replaced
/// where they differ and else stay as they are. How many are new or changed. Any thread. Throws `Error`,
/// `Cancelled`.
int addToMlflow(const std::vector<RunSheet>& sheets, const std::filesystem::path& storeFile,
                const OutputProgress& progress = {}, const std::stop_token& stop = {});

}  // namespace dailies::ui
