#pragma once

#include "trainer/parallel/dist_env.h"
#include "trainer/parallel/traffic.h"

#include <ATen/core/Tensor.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace dailies::trainer {

/// A collective that was begun. Its tensors must live and stay untouched until `wait` has returned; on GPUs
/// that queues the wait in the stream. Throws `LostRank` when a peer is gone.
class WorkHandle {
public:
    WorkHandle() = default;
    explicit WorkHandle(std::function<void()> wait) : m_wait(std::move(wait)) {}
    void wait() {
        if (auto wait = std::exchange(m_wait, nullptr)) wait();
    }

private:
    std::function<void()> m_wait;
};

/// The collectives of a group of ranks. Every rank must make the same calls in the same order. Tensors are
/// dense. Throws `LostRank` when a peer is gone.
class ProcessGroup {
public:
    virtual ~ProcessGroup() = default;

    virtual std::int64_t rank() const = 0;  ///< in this group
    virtual std::int64_t size() const = 0;

    /// Replaces the tensor, on every rank, by the sum over the ranks: bit-equal on all of them.
    virtual void allReduce(at::Tensor& tensor) = 0;
    virtual void broadcastFromRank0(at::Tensor& tensor) = 0;

    virtual WorkHandle startAllReduce(const at::Tensor& tensor) = 0;
    /// `part` becomes this rank's part, counted by ranks, of the sum of the ranks' `whole`.
    virtual WorkHandle startReduceScatter(const at::Tensor& part, const at::Tensor& whole) = 0;
    /// `whole` becomes the ranks' parts one behind the other, along the first dim; `part` may lie at its
    /// place in it.
    virtual WorkHandle startAllGather(const at::Tensor& whole, const at::Tensor& part) = 0;
    /// Of `given`, `givenRows[i]` rows go to rank i; `taken` gets `takenRows[i]` rows from rank i.
    virtual WorkHandle startAllToAll(const at::Tensor& taken, const at::Tensor& given,
                                     std::vector<std::int64_t> takenRows,
                                     std::vector<std::int64_t> givenRows) = 0;

    // Of a group of two: one sends, the other receives a tensor of the same type and size. In the order in
    // which they begin.
    virtual WorkHandle startSend(const at::Tensor& tensor) = 0;
    virtual WorkHandle startReceive(const at::Tensor& tensor) = 0;

    /// A group of some of these ranks, in their order, this rank among them. All of its members ask for it
    /// with the same name, which names this one group.
    virtual std::unique_ptr<ProcessGroup> newGroup(const std::string& name,
                                                   const std::vector<std::int64_t>& members) = 0;

    /// All of these ranks once more: what one group does need not wait in line with what the other does. Made
    /// by the first call, which every rank must make.
    ProcessGroup& duplicate();

    virtual std::string name() const = 0;  ///< "single process", "gloo", "nccl"

    /// Of this group and all groups that were made of it.
    const Traffic& traffic() const { return *m_traffic; }

protected:
    std::shared_ptr<Traffic> m_traffic = std::make_shared<Traffic>();

private:
    std::unique_ptr<ProcessGroup> m_twin;
};

/// Meets the other ranks (five minutes' patience for late starters); does nothing for a single process. NCCL
/// on GPUs, Gloo on CPUs. Throws `InputError` when this build has no such backend.
std::unique_ptr<ProcessGroup> makeProcessGroup(const DistEnv& ranks, at::Device device);

}  // namespace dailies::trainer
