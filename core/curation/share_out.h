#pragma once

#include <algorithm>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace dailies::curation {

/// Calls `work(i)` once for each i below `count`, in this order, on up to so many threads of which this is
/// one, and returns when all are done. What one call throws is thrown here once the calls under way have
/// ended; none begins after it.
template <class Work>
void shareOut(std::size_t count, unsigned threads, const Work& work) {
    std::mutex mutex;
    std::size_t next = 0;
    std::exception_ptr failure;
    const auto drain = [&] {
        for (;;) {
            std::size_t taken = 0;
            {
                const std::lock_guard lock(mutex);
                if (next == count || failure) return;
                taken = next++;
            }
            try {
                work(taken);
            } catch (...) {
                const std::lock_guard lock(mutex);
                if (!failure) failure = std::current_exception();
            }
        }
    };
    {
        std::vector<std::jthread> helpers;
        for (std::size_t i = 1; i < std::min<std::size_t>(threads, count); ++i) helpers.emplace_back(drain);
        drain();
    }
    if (failure) std::rethrow_exception(failure);
}

}  // namespace dailies::curation
