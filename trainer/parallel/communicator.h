#pragma once

#include "trainer/parallel/ranks.h"

#include <ATen/core/Tensor.h>

#include <memory>
#include <string>

namespace dailies::trainer {

/// The collectives that data parallelism needs. Every rank must make the same calls in the same order. Throws
/// `Error` when a peer is gone.
class Communicator {
public:
    virtual ~Communicator() = default;

    /// Replaces the tensor, on every rank, by the sum over the ranks: bit-equal on all of them.
    virtual void sum(at::Tensor& tensor) = 0;
    virtual void broadcastFromLeader(at::Tensor& tensor) = 0;

    virtual std::string name() const = 0;  ///< "single process", "gloo", "nccl"
};

/// Meets the other ranks (a minute's patience for late starters); does nothing for a single process. NCCL on
/// GPUs, Gloo on CPUs. Throws `InputError` when this build has no such backend.
std::unique_ptr<Communicator> makeCommunicator(const Ranks& ranks, at::Device device);

}  // namespace dailies::trainer
