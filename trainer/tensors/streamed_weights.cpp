#include "trainer/tensors/streamed_weights.h"

#include "trainer/tensors/tensor_memory.h"

#include <torch/types.h>

#include <map>
#include <utility>
#include <variant>
#include <vector>

namespace dailies::trainer {

class StreamedWeights::Blocks : public UnshardHooks {
public:
    using Waiting = std::variant<at::Tensor, Int8Matrix>;

    /// Returns what passes read of it, `onDevice`, which has no memory from here on.
    at::Tensor add(const std::string& block, Waiting waiting, const at::Tensor& onDevice) {
        freeMemory(onDevice);
        // another name of the same memory: autograd need not know that it is filled again
        m_blocks[block].push_back({std::move(waiting), onDevice.variable_data()});
        return onDevice;
    }

    void enter(const std::string& block) override { take(block); }

    void leave(const std::string& block, const at::Tensor& output) override {
        if (output.defined() && output.requires_grad())
            output.register_hook([this, block](const at::Tensor&) { take(block); });
        free();
    }

private:
    struct Weight {
        Waiting waiting;
        at::Tensor memory;
    };

    static void fill(const at::Tensor& memory, const Waiting& waiting) {
        constexpr bool kNonBlocking = true;
        if (const auto* matrix = std::get_if<Int8Matrix>(&waiting))
            fromInt8({matrix->values.to(memory.device(), kNonBlocking),
                      matrix->scales.to(memory.device(), kNonBlocking)},
                     memory);
        else
            at::Tensor(memory).copy_(std::get<at::Tensor>(waiting), kNonBlocking);
    }

    void take(const std::string& block) {
        if (block == m_there) return;
        free();
        const auto found = m_blocks.find(block);
        if (found == m_blocks.end()) return;  // it is on the device at all times
        const at::NoGradGuard noGradients;
        for (const auto& [waiting, memory] : found->second) {
            takeMemory(memory);
            fill(memory, waiting);
        }
        m_there = block;
    }

    void free() {
        if (m_there.empty()) return;
        for (const auto& weight : m_blocks.at(m_there)) freeMemory(weight.memory);
        m_there.clear();
    }

    std::map<std::string, std::vector<Weight>> m_blocks;
    std::string m_there;  ///< the one that the device holds; empty: none
};

StreamedWeights::StreamedWeights(at::Device device)
    : m_device(device), m_blocks(std::make_unique<Blocks>()) {}

StreamedWeights::~StreamedWeights() = default;

void StreamedWeights::addResident(const std::string& name, const at::Tensor& weight) {
    m_onDevice.add(name, weight.to(m_device));
}

void StreamedWeights::addWaiting(const std::string& name, at::Tensor weight) {
    const auto onDevice = at::empty_like(weight, weight.options().device(m_device).pinned_memory(false));
    m_onDevice.add(name, m_blocks->add(blockOf(name), std::move(weight), onDevice));
    m_onDevice.setUnshardHooks(m_blocks.get());
}

void StreamedWeights::addWaiting(const std::string& name, Int8Matrix weight, at::ScalarType type) {
    const auto onDevice = at::empty(weight.values.sizes(), at::TensorOptions().dtype(type).device(m_device));
    m_onDevice.add(name, m_blocks->add(blockOf(name), std::move(weight), onDevice));
    m_onDevice.setUnshardHooks(m_blocks.get());
}

}  // namespace dailies::trainer
