#pragma once

namespace dailies::judging {

/// The version of the `dailies_` tables since which judgements have theirs (resources/tracking).
inline constexpr int kJudgingVersion = 3;

}  // namespace dailies::judging
