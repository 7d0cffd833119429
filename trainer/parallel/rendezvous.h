#pragma once

#include "trainer/parallel/dist_env.h"

#include <c10/util/intrusive_ptr.h>

#include <chrono>

namespace c10d {
class Store;
}

namespace dailies::trainer {

/// For what one rank does while the others wait, once all have started: opens the data, whose first use of
/// NCCL the others meet through the store; samples clips; writes checkpoints.
inline constexpr std::chrono::milliseconds kStepTimeout = std::chrono::minutes(30);

/// The store in which all ranks meet, once all of them have come, for which each has its `patience`; later
/// waits end after `timeout`. Throws `Error` when they do not come.
c10::intrusive_ptr<c10d::Store> meet(const DistEnv& ranks, std::chrono::milliseconds timeout = kStepTimeout);

}  // namespace dailies::trainer
