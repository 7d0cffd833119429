#pragma once

#include <cstdint>
#include <memory>

namespace dailies::trainer {

/// Counts what tensors on the meta device, which have sizes and no memory, would take: those that this thread
/// makes while it lives, until they are gone. One at a time on each thread.
class MemoryMeter {
public:
    MemoryMeter();
    ~MemoryMeter();
    MemoryMeter(const MemoryMeter&) = delete;
    MemoryMeter& operator=(const MemoryMeter&) = delete;

    std::int64_t currentBytes() const;
    /// At one moment since the meter was made, or since `resetPeak`.
    std::int64_t peakBytes() const;
    void resetPeak();

    struct Counts;

private:
    std::shared_ptr<Counts> m_counts;
};

}  // namespace dailies::trainer
