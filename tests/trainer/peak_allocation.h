#pragma once

#include <c10/core/Allocator.h>
#include <c10/util/ThreadLocalDebugInfo.h>

#include <algorithm>
#include <cstdint>
#include <memory>

namespace dailies::trainer {

/// Counts what tensors on the CPU take of memory while it lives, on this thread.
class PeakAllocation {
public:
    PeakAllocation()
        : m_counter(std::make_shared<Counter>()), m_guard(c10::DebugInfoKind::PROFILER_STATE, m_counter) {}

    void restart() { m_counter->now = m_counter->most = 0; }
    /// The most at one moment, beyond what there was at the start.
    std::int64_t bytes() const { return m_counter->most; }

private:
    struct Counter : c10::MemoryReportingInfoBase {
        std::int64_t now = 0, most = 0;

        bool memoryProfilingEnabled() const override { return true; }
        void reportMemoryUsage(void*, std::int64_t bytes, std::size_t, std::size_t, c10::Device) override {
            now += bytes;
            most = std::max(most, now);
        }
    };

    std::shared_ptr<Counter> m_counter;
    c10::DebugInfoGuard m_guard;
};

}  // namespace dailies::trainer
