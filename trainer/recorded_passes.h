#pragma once

#include "trainer/pass_input.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace dailies::trainer {

/// Work on fixed tensors that can be done again as a whole: see `makeGraphRecorder`.
class Recording {
public:
    virtual ~Recording() = default;
    virtual void replay() = 0;
};

/// Makes a recording of work, without doing it. Throws where it cannot be recorded.
using Recorder = std::function<std::unique_ptr<Recording>(const std::function<void()>& work)>;

/// Forward and backward passes that are recorded once for each shape of their input and played back from then
/// on: the first few passes of a shape run as ever, which warms libraries up and is training, too. A shape
/// that cannot be recorded, and shapes beyond the first `mostShapes`, run as ever always.
class RecordedPasses {
public:
    /// Computes the losses of an input's clips and adds to the gradients of the weights. What it captures
    /// must outlive the recordings.
    using Pass = std::function<at::Tensor(const PassInput&)>;

    static constexpr int kWarmUps = 3;
    static constexpr std::size_t kMostShapes = 16;

    RecordedPasses(Recorder recorder, Pass pass, std::size_t mostShapes = kMostShapes)
        : m_recorder(std::move(recorder)), m_pass(std::move(pass)), m_mostShapes(mostShapes) {}

    at::Tensor run(const PassInput& input);

    /// What people should know of it since the last call.
    std::vector<std::string> takeNotes() { return std::exchange(m_notes, {}); }

private:
    struct Shape {
        int warmUps = 0;
        bool plain = false;      ///< never recorded
        PassInput input = {};    ///< what the recording reads
        at::Tensor losses = {};  ///< what it writes, beside the gradients
        std::unique_ptr<Recording> recording = {};
    };

    bool recorded(Shape& shape, const PassInput& input);

    Recorder m_recorder;
    Pass m_pass;
    std::size_t m_mostShapes, m_recordedShapes = 0;
    std::map<std::string, Shape> m_shapes;  ///< by `shapeKey`; their places in memory stay
    std::vector<std::string> m_notes;
};

/// Why passes of this configuration are not to be recorded; empty where they are.
std::string whyNotRecorded(const config::TrainConfig& config, bool onGpu);

}  // namespace dailies::trainer
