#include "trainer/tensors/streamed_weights.h"

#include "trainer/tensors/tensor_memory.h"

#include <torch/types.h>

#include <map>
#include <utility>
#include <vector>

namespace dailies::trainer {

class StreamedWeights::Blocks : public UnshardHooks {
public:
    /// Returns what passes read of it.
    at::Tensor add(const std::string& block, at::Tensor host, at::Device device) {
        const auto onDevice = at::empty_like(host, device);
        freeMemory(onDevice);
        // another name of the same memory: autograd need not know that it is filled again
        m_blocks[block].push_back({std::move(host), onDevice.variable_data()});
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
        at::Tensor host, memory;
    };

    void take(const std::string& block) {
        if (block == m_there) return;
        free();
        const auto found = m_blocks.find(block);
        if (found == m_blocks.end()) return;  // it is on the device at all times
        for (const auto& [host, memory] : found->second) {
            takeMemory(memory);
            at::Tensor(memory).copy_(host, /*non_blocking=*/true);
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

StreamedWeights::StreamedWeights(Params weights, at::Device device,
                                 const std::function<bool(const std::string& block)>& isStreamed)
    : m_blocks(std::make_unique<Blocks>()) {
    for (const auto& name : weights.names()) {
        const auto block = blockOf(name);
        const bool waits = !block.empty() && isStreamed(block);
        m_onDevice.add(name, waits ? m_blocks->add(block, weights[name], device) : weights[name].to(device));
    }
    m_onDevice.setUnshardHooks(m_blocks.get());
}

StreamedWeights::~StreamedWeights() = default;

}  // namespace dailies::trainer
