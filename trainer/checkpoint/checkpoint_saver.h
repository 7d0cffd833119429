#pragma once

#include "trainer/checkpoint/checkpoints.h"

#include <future>
#include <string>
#include <vector>

namespace dailies::trainer {

/// Saves checkpoints while training goes on. The state is copied into buffers of the host, which are kept
/// from save to save (pinned where the weights are on a GPU), and a thread writes from there. On CPUs the
/// thread copies too, while the next step runs forward and backward, which only read the weights; on GPUs the
/// copies are queued in the stream before the next step. Belongs to the loop's thread.
class CheckpointSaver {
public:
    explicit CheckpointSaver(const Checkpoints& checkpoints) : m_checkpoints(checkpoints) {}
    ~CheckpointSaver();  ///< waits for the disk
    CheckpointSaver(const CheckpointSaver&) = delete;
    CheckpointSaver& operator=(const CheckpointSaver&) = delete;

    struct Result {
        std::int64_t step = 0;
        Checkpoints::Saved saved;
        std::string error;        ///< why it was not written; empty when it was
        double seconds = 0;       ///< from the call to the finished file
        double stallSeconds = 0;  ///< of these, how long training waited
    };

    /// Begins to save; waits for the former save. Where the host lacks the memory for a copy it writes at
    /// once.
    void begin(const TrainingState& state);

    /// Must be called before the tensors of the state are changed again.
    void waitUntilCopied();

    /// The saves that have ended since the last call.
    std::vector<Result> takeFinished();

    void finish();  ///< waits until nothing is being written

private:
    void startThread(const TrainingState& state);
    void collect();

    const Checkpoints& m_checkpoints;
    TrainingState m_host;  ///< what the thread writes; the loop touches it between saves only
    std::future<void> m_copied;
    std::future<Result> m_writing;
    double m_stall = 0;  ///< of the save in progress
    std::vector<Result> m_finished;
};

}  // namespace dailies::trainer
