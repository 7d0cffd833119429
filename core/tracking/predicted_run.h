#pragma once

/// What was predicted of a run before it was sent, beside what it measures.
namespace dailies::tracking::tag {

inline constexpr const char* kPredictedTokens = "dailies.predicted.tokens_per_second";
inline constexpr const char* kPredictedBytes = "dailies.predicted.memory_bytes";  ///< of a rank

}  // namespace dailies::tracking::tag
