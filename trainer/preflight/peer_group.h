#pragma once

#include "trainer/parallel/dist_env.h"

#include <ATen/core/Tensor.h>
#include <c10/util/intrusive_ptr.h>

#include <chrono>
#include <string>

namespace c10d {
class Backend;
class Store;
}  // namespace c10d

namespace dailies::trainer {

/// The store of rank 0 at which the ranks of a preflight meet. Waits for none of them: who is missing is what
/// a preflight wants to know. Throws `Error` when rank 0 is not reached in time.
c10::intrusive_ptr<c10d::Store> openStore(const DistEnv& ranks, std::chrono::milliseconds maxWait);

/// Some of the ranks, connected with each other and no others, so that one which fails spoils this group
/// alone. Every call gives up after the group's `maxWait` and throws `Error`; the group is then of no more
/// use. NCCL on GPUs, Gloo on CPUs.
class PeerGroup {
public:
    /// Meets the others of the group, which give the same name and size. `hostName`: as in DistEnv::address.
    PeerGroup(const c10::intrusive_ptr<c10d::Store>& store, const std::string& name, int rank, int size,
              const std::string& address, at::Device device, std::chrono::milliseconds maxWait);
    ~PeerGroup();
    PeerGroup(const PeerGroup&) = delete;
    PeerGroup& operator=(const PeerGroup&) = delete;

    int rank() const { return m_rank; }
    int size() const { return m_size; }
    at::Device device() const { return m_device; }

    void send(const at::Tensor& tensor, int to);
    void receive(const at::Tensor& tensor, int from);
    void allReduce(const at::Tensor& tensor);

private:
    int m_rank, m_size;
    at::Device m_device;
    std::chrono::milliseconds m_maxWait;
    c10::intrusive_ptr<c10d::Backend> m_backend;
};

}  // namespace dailies::trainer
