#pragma once

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/base/process.h"
#include "tests/support/folders.h"

#include <chrono>
#include <string>
#include <sys/resource.h>
#include <vector>

namespace dailies::test {

namespace detail {

inline double cpuSecondsOf(int who) {
    rusage used{};
    ::getrusage(who, &used);
    const auto seconds = [](const timeval& t) {
        return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
    };
    return seconds(used.ru_utime) + seconds(used.ru_stime);
}

}  // namespace detail

/// CPU seconds of this program so far, all threads, user and system.
inline double cpuSeconds() {
    return detail::cpuSecondsOf(RUSAGE_SELF);
}

/// Likewise of the programs that it ran to their end.
inline double childCpuSeconds() {
    return detail::cpuSecondsOf(RUSAGE_CHILDREN);
}

/// What a script of tests/bench prints when it does the same job with MLflow's own client: one JSON document.
/// Throws `Error` with what the script said where it fails, or where MLflow is not installed.
inline Json mlflowPeer(const std::string& script, std::vector<std::string> words) {
    words.insert(words.begin(), {DAILIES_SOURCE_FOLDER "/tests/interop/with_mlflow.sh",
                                 DAILIES_SOURCE_FOLDER "/tests/bench/" + script});
    const auto result = runProcess(words, {.timeout = std::chrono::minutes(30)});
    if (!result.ok()) throw Error("MLflow's client failed: " + result.err);
    return parseJson(result.out, script);
}

}  // namespace dailies::test
