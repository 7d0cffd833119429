#pragma once

namespace dailies::tracking::tag {

/// A run's notes, Markdown; MLflow's own pages show it as the run's description.
inline constexpr const char* kNotes = "mlflow.note.content";

}  // namespace dailies::tracking::tag
