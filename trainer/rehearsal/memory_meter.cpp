#include "trainer/rehearsal/memory_meter.h"

#include <c10/core/Allocator.h>

#include <algorithm>
#include <atomic>

namespace dailies::trainer {

struct MemoryMeter::Counts {
    std::atomic<std::int64_t> held = 0, peak = 0;
};

namespace {

thread_local std::shared_ptr<MemoryMeter::Counts> countedHere;

struct CountedMemory {
    std::int64_t bytes;
    std::shared_ptr<MemoryMeter::Counts> counts;  ///< null: nobody counts
};

/// Gives out addresses at which there is nothing: kernels take them of sizes that they never read or write.
class CountingAllocator final : public c10::Allocator {
public:
    c10::DataPtr allocate(std::size_t bytes) override {
        auto* memory = new CountedMemory{static_cast<std::int64_t>(bytes), countedHere};
        if (memory->counts) {
            const auto held = memory->counts->held += memory->bytes;
            memory->counts->peak = std::max(memory->counts->peak.load(), held);
        }
        return {&m_nothing, memory, &forget, c10::Device(c10::kMeta)};
    }
    c10::DeleterFnPtr raw_deleter() const override { return nullptr; }
    void copy_data(void*, const void*, std::size_t) const override {}

private:
    static void forget(void* given) {
        const std::unique_ptr<CountedMemory> memory(static_cast<CountedMemory*>(given));
        if (memory->counts) memory->counts->held -= memory->bytes;
    }

    alignas(64) char m_nothing = 0;
};

void countMetaTensors() {
    static CountingAllocator allocator;
    static const bool done = [] {
        c10::SetAllocator(c10::kMeta, &allocator, /*priority=*/1);
        return true;
    }();
    static_cast<void>(done);
}

}  // namespace

MemoryMeter::MemoryMeter() : m_counts(std::make_shared<Counts>()) {
    countMetaTensors();
    countedHere = m_counts;
}

MemoryMeter::~MemoryMeter() {
    countedHere.reset();
}

std::int64_t MemoryMeter::currentBytes() const {
    return m_counts->held;
}

std::int64_t MemoryMeter::peakBytes() const {
    return m_counts->peak;
}

void MemoryMeter::resetPeak() {
    m_counts->peak = m_counts->held.load();
}

}  // namespace dailies::trainer
