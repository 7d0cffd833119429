#pragma once

#include "trainer/parallel/mesh.h"
#include "trainer/parallel/process_group.h"

#include <memory>

namespace dailies::trainer {

/// A rank among those that stand at its place in each stage of a pipeline: what it sends to the stages before
/// and behind it. Each direction of each pair of stages has a group of its own, in which one sends and the
/// other receives: however the two stages interleave their passes, what is sent first is received first, and
/// no send waits in line behind a receive.
class PipelineLinks {
public:
    /// All ranks make theirs at the same time. `world` must outlive this.
    PipelineLinks(const Mesh& mesh, ProcessGroup& world);

    std::int64_t stage() const { return m_stages->rank(); }
    std::int64_t stages() const { return m_stages->size(); }
    /// Runs of blocks of each stage. With several, what the last stage made of one goes round to the first.
    std::int64_t chunks() const { return m_chunks; }

    ProcessGroup& all() const { return *m_stages; }  ///< in the order of the stages

    // Tokens go on to the next stage, their gradients back to the one before.
    WorkHandle startSendForward(const at::Tensor& tokens) const { return m_forwardToNext->startSend(tokens); }
    WorkHandle startReceiveForward(const at::Tensor& tokens) const {
        return m_forwardFromPrevious->startReceive(tokens);
    }
    WorkHandle startSendBackward(const at::Tensor& gradient) const {
        return m_backwardToPrevious->startSend(gradient);
    }
    WorkHandle startReceiveBackward(const at::Tensor& gradient) const {
        return m_backwardFromNext->startReceive(gradient);
    }

private:
    std::int64_t m_chunks;
    std::unique_ptr<ProcessGroup> m_stages;
    // null where there is no such stage
    std::unique_ptr<ProcessGroup> m_forwardToNext, m_forwardFromPrevious, m_backwardToPrevious,
        m_backwardFromNext;
};

}  // namespace dailies::trainer
