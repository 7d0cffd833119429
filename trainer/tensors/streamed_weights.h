#pragma once

#include "trainer/tensors/int8_matrix.h"
#include "trainer/tensors/params.h"

#include <memory>
#include <string>

namespace dailies::trainer {

/// Weights that nobody trains, of which some wait where they take less of the device: in the node's memory,
/// or in 8 bits. A pass fills those of a block on the device when it comes to it, and frees them again when
/// it has left it, so that the device holds those of one block at a time. Backward fills them once more. One
/// thread at a time.
class StreamedWeights {
public:
    explicit StreamedWeights(at::Device device);
    ~StreamedWeights();

    /// One that is on the device at all times.
    void addResident(const std::string& name, const at::Tensor& weight);
    /// One of a block, on the CPU: pinned, where the device is a GPU, or every copy waits.
    void addWaiting(const std::string& name, at::Tensor weight);
    /// One of a block, on the CPU alike or on the device, which passes read as `type`.
    void addWaiting(const std::string& name, Int8Matrix weight, at::ScalarType type);

    /// Passes that compute with these must end before this does, their backward passes included.
    const Params& onDevice() const { return m_onDevice; }

private:
    class Blocks;
    at::Device m_device;
    std::unique_ptr<Blocks> m_blocks;
    Params m_onDevice;
};

}  // namespace dailies::trainer
