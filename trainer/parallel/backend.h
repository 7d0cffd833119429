#pragma once

#include <ATen/core/Tensor.h>
#include <c10/util/intrusive_ptr.h>

#include <chrono>
#include <string>

namespace c10d {
class Backend;
class Store;
}  // namespace c10d

namespace dailies::trainer {

/// Whether this build has the backend that such devices need: NCCL for GPUs, Gloo for CPUs.
bool hasBackend(at::Device device);

/// Connects this rank with the others of a group that come to the same store; waits for them for as long as
/// `maxWait`, which is also that of each collective. `address`: of the rank that all meet at; a group that
/// meets at the loopback stays on it. Throws `InputError` when this build lacks the backend, and what c10d
/// throws when the others do not come.
c10::intrusive_ptr<c10d::Backend> connectBackend(const c10::intrusive_ptr<c10d::Store>& store, int rank,
                                                 int size, const std::string& address, at::Device device,
                                                 std::chrono::milliseconds maxWait);

}  // namespace dailies::trainer
