#pragma once

#include <cstddef>
#include <string>
#include <string_view>

// What MLflow's servers accept (mlflow/utils/validation.py, 3.17; earlier releases are stricter nowhere that
// matters here but in the length of a tag's value, which was 5,000).
namespace dailies::exchange {

inline constexpr std::size_t kMetricsPerBatch = 1'000;
inline constexpr std::size_t kPairsPerBatch = 100;      ///< params, and tags
inline constexpr std::size_t kBytesPerBatch = 900'000;  ///< the server refuses bodies above 1,000,000
inline constexpr std::size_t kMaxKeyLength = 250;       ///< characters
inline constexpr std::size_t kMaxParamLength = 6'000;   ///< characters
inline constexpr std::size_t kMaxTagLength = 5'000;     ///< characters

/// The name with every character that MLflow refuses replaced by '_': it takes letters and digits of any
/// script, '_', '-', '.', ' ', ':' and '/', and no name that as a path would mean another ("a//b", "./a").
/// Too long a name is cut.
std::string sanitizeMlflowName(std::string_view name);

/// The first `most` characters, never half of one.
std::string truncateUtf8(std::string_view text, std::size_t most);

}  // namespace dailies::exchange
