#pragma once

#include "trainer/parallel/ranks.h"

#include <c10/util/intrusive_ptr.h>

#include <chrono>

namespace c10d {
class Store;
}

namespace dailies::trainer {

/// How long ranks wait for each other.
struct Timeouts {
    std::chrono::milliseconds rendezvous = std::chrono::minutes(5);  ///< for all of them to start
    /// For what one of them does after that while the others wait: opens the data, whose first use of NCCL
    /// the others meet through the store; samples clips; writes checkpoints.
    std::chrono::milliseconds step = std::chrono::minutes(30);
};

/// The store in which all ranks meet, once all of them have come. Throws `Error` when they do not.
c10::intrusive_ptr<c10d::Store> meet(const Ranks& ranks, const Timeouts& timeouts = {});

}  // namespace dailies::trainer
