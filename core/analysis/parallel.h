#pragma once

#include "core/base/error.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <stop_token>
#include <thread>
#include <vector>

namespace dailies::analysis {

/// Calls `work(i)` once for every i below `count`, on up to `threads` threads of which this is one, and
/// returns when all are done. Throws `Cancelled` when asked to stop, after the calls under way have ended.
/// `work` must not throw, and its result must not depend on which thread calls it.
template <typename Work>
void forEachIndex(std::size_t count, unsigned threads, std::stop_token stop, const Work& work) {
    std::atomic<std::size_t> next{0};
    const auto drain = [&] {
        for (std::size_t i = next++; i < count && !stop.stop_requested(); i = next++) {
            work(i);
        }
    };
    {
        std::vector<std::jthread> helpers;
        for (std::size_t t = 1; t < std::min<std::size_t>(threads, count); ++t) {
            helpers.emplace_back(drain);
        }
        drain();
    }
    if (stop.stop_requested()) {
        throw Cancelled();
    }
}

}  // namespace dailies::analysis
