#pragma once

#include "trainer/parallel/communicator.h"
#include "trainer/parallel/mesh.h"

#include <memory>

namespace dailies::trainer {

/// A rank among those that stand at its place in each stage of a pipeline: what it sends to the stages before
/// and behind it. Each direction of each pair of stages has a group of its own, in which one sends and the
/// other receives: however the two stages interleave their passes, what is sent first is received first, and
/// no send waits in line behind a receive.
class PipelineLinks {
public:
    /// All ranks make theirs at the same time. `world` must outlive this.
    PipelineLinks(const Mesh& mesh, Communicator& world);

    std::int64_t stage() const { return m_stages->rank(); }
    std::int64_t stages() const { return m_stages->size(); }
    /// Runs of blocks of each stage. With several, what the last stage made of one goes round to the first.
    std::int64_t chunks() const { return m_chunks; }

    Communicator& all() const { return *m_stages; }  ///< in the order of the stages

    // Tokens go on to the next stage, their gradients back to the one before.
    Pending startSendOn(const at::Tensor& tokens) const { return m_onToNext->startSend(tokens); }
    Pending startReceiveOn(const at::Tensor& tokens) const { return m_onFromBefore->startReceive(tokens); }
    Pending startSendBack(const at::Tensor& gradient) const { return m_backToBefore->startSend(gradient); }
    Pending startReceiveBack(const at::Tensor& gradient) const {
        return m_backFromNext->startReceive(gradient);
    }

private:
    std::int64_t m_chunks;
    std::unique_ptr<Communicator> m_stages;
    // null where there is no such stage
    std::unique_ptr<Communicator> m_onToNext, m_onFromBefore, m_backToBefore, m_backFromNext;
};

}  // namespace dailies::trainer
