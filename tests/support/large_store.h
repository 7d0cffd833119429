#pragma once

#include <cstdint>
#include <filesystem>

namespace dailies::test {

struct LargeStoreOptions {
    int runs = 200;
    int params = 30;          ///< of each run
    int metrics = 30;         ///< of each run
    int points = 100;         ///< of each metric
    int sweeps = 0;           ///< 0: one for about every 40 runs
    bool mlflowOnly = false;  ///< a file as MLflow itself leaves it: nothing of Dailies in it
    std::int64_t startMs = 1'763'700'000'000;  ///< of the newest run
};

/// Makes a store that looks like months of work of a group: experiments, sweeps, runs in every state, params
/// that vary within a sweep, curves that fall or rise with noise, spikes, NaN and infinities. The same every
/// time. Written with direct SQL: about a million points in three seconds.
void makeLargeStore(const std::filesystem::path& file, const LargeStoreOptions& options);

}  // namespace dailies::test
