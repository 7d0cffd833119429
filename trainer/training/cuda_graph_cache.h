#pragma once

#include "trainer/denoising/micro_batch.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace dailies::trainer {

/// Work on fixed tensors that can be done again as a whole: see `makeGraphCapture`.
class CapturedGraph {
public:
    virtual ~CapturedGraph() = default;
    virtual void replay() = 0;
};

/// Makes a recording of work, without doing it. Throws where it cannot be recorded.
using GraphCaptureFn = std::function<std::unique_ptr<CapturedGraph>(const std::function<void()>& work)>;

/// Forward and backward passes that are recorded once for each shape of their input and played back from then
/// on: the first few passes of a shape run as ever, which warms libraries up and is training, too. A shape
/// that cannot be recorded, and shapes beyond the first `maxShapes`, run as ever always.
class CudaGraphCache {
public:
    /// Computes the losses of an input's clips and adds to the gradients of the weights. What it captures
    /// must outlive the recordings.
    using Pass = std::function<at::Tensor(const MicroBatch&)>;

    static constexpr int kWarmUps = 3;
    static constexpr std::size_t kMaxShapes = 16;

    CudaGraphCache(GraphCaptureFn recorder, Pass pass, std::size_t maxShapes = kMaxShapes)
        : m_capture(std::move(recorder)), m_pass(std::move(pass)), m_maxShapes(maxShapes) {}

    at::Tensor run(const MicroBatch& input);

    /// What people should know of it since the last call.
    std::vector<std::string> takeNotes() { return std::exchange(m_notes, {}); }

private:
    struct Shape {
        int warmUps = 0;
        bool plain = false;      ///< never recorded
        MicroBatch input = {};   ///< what the recording reads
        at::Tensor losses = {};  ///< what it writes, beside the gradients
        std::unique_ptr<CapturedGraph> recording = {};
    };

    bool recorded(Shape& shape, const MicroBatch& input);

    GraphCaptureFn m_capture;
    Pass m_pass;
    std::size_t m_maxShapes, m_recordedShapes = 0;
    std::map<std::string, Shape> m_shapes;  ///< by `shapeKey`; their places in memory stay
    std::vector<std::string> m_notes;
};

/// Why passes of this configuration are not to be recorded; empty where they are.
std::string whyNotCaptured(const config::TrainConfig& config, bool onGpu);

}  // namespace dailies::trainer
