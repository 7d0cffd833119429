#pragma once

#include <c10/core/Device.h>

#include <filesystem>

namespace dailies::trainer {

/// How a rank spent a step that was traced, in seconds.
struct TracedStep {
    double computing = 0;  ///< in operations: on a GPU those of its streams, else LibTorch's on any thread
    double communicating = 0;  ///< with a collective under way
    double both = 0;           ///< of this, how long it computed meanwhile
};

/// Records every operation and collective of this rank from its making until it is finished, with LibTorch's
/// own profiler (Kineto; on GPUs it needs CUPTI, which PyTorch brings along). The device must have nothing to
/// do at both ends. One at a time; operations of threads that this one starts, backward's among them, count.
class StepTrace {
public:
    explicit StepTrace(at::Device device);
    ~StepTrace();  ///< what was recorded is dropped unless it was finished
    StepTrace(const StepTrace&) = delete;
    StepTrace& operator=(const StepTrace&) = delete;

    /// Ends the recording and writes it for Perfetto and chrome://tracing. Throws `Error` when the disk
    /// refuses the file.
    TracedStep finish(const std::filesystem::path& file);

private:
    at::Device m_device;
    bool m_recording = true;
};

}  // namespace dailies::trainer
