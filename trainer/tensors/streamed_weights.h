#pragma once

#include "trainer/tensors/params.h"

#include <functional>
#include <memory>
#include <string>

namespace dailies::trainer {

/// Weights that nobody trains, of which some blocks wait in the node's memory: a pass copies each to the
/// device when it comes to it, and frees it again when it has left it, so that the device holds one of them
/// at a time. Backward copies them once more. One thread at a time.
class StreamedWeights {
public:
    /// `weights`: those of the streamed blocks on the CPU (pinned, where the device is a GPU, or every copy
    /// waits); the others are copied to the device unless they are there.
    StreamedWeights(Params weights, at::Device device,
                    const std::function<bool(const std::string& block)>& isStreamed);
    ~StreamedWeights();

    /// Passes that compute with these must end before this does, their backward passes included.
    const Params& onDevice() const { return m_onDevice; }

private:
    class Blocks;
    std::unique_ptr<Blocks> m_blocks;
    Params m_onDevice;
};

}  // namespace dailies::trainer
