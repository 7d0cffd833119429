#include "trainer/preflight/peer_group.h"

#include "core/base/error.h"
#include "trainer/parallel/backend.h"

#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>
#include <torch/types.h>

#include <thread>

namespace dailies::trainer {

namespace {

std::string firstLineOf(const std::exception& error) {
    const auto* detailed = dynamic_cast<const c10::Error*>(&error);
    const std::string text = detailed ? detailed->what_without_backtrace() : error.what();
    return text.substr(0, text.find('\n'));
}

/// Everything that c10d throws, as ours.
template <class Call>
auto guarded(const std::string& doing, Call call) {
    try {
        return call();
    } catch (const Error&) {
        throw;
    } catch (const std::exception& error) {
        throw Error(doing + ": " + firstLineOf(error));
    }
}

/// NCCL's work waits on the device's stream for ever, so the host looks on.
void finishWithin(c10d::Work& work, at::Device device, std::chrono::milliseconds maxWait) {
    if (!device.is_cuda()) {
        work.wait(maxWait);
        return;
    }
    const auto deadline = std::chrono::steady_clock::now() + maxWait;
    while (!work.isCompleted()) {
        if (std::chrono::steady_clock::now() > deadline) {
            work.abort();
            throw Error("No answer within " + std::to_string(maxWait.count()) + " ms.");
        }
        std::this_thread::yield();
    }
    work.synchronize();
}

}  // namespace

c10::intrusive_ptr<c10d::Store> openStore(const DistEnv& ranks, std::chrono::milliseconds maxWait) {
    c10d::TCPStoreOptions options;
    options.port = ranks.port;
    options.isServer = ranks.isRank0();
    options.waitWorkers = false;
    options.timeout = maxWait;
    return guarded("Rank 0 at " + ranks.address + ":" + std::to_string(ranks.port) + " was not reached",
                   [&]() -> c10::intrusive_ptr<c10d::Store> {
                       return c10::make_intrusive<c10d::TCPStore>(ranks.address, options);
                   });
}

PeerGroup::PeerGroup(const c10::intrusive_ptr<c10d::Store>& store, const std::string& name, int rank,
                     int size, const std::string& address, at::Device device,
                     std::chrono::milliseconds maxWait)
    : m_rank(rank), m_size(size), m_device(device), m_maxWait(maxWait) {
    m_backend = guarded("No connection", [&] {
        return connectBackend(c10::make_intrusive<c10d::PrefixStore>(name, store), rank, size, address,
                              device, maxWait);
    });
}

PeerGroup::~PeerGroup() = default;

void PeerGroup::send(const at::Tensor& tensor, int to) {
    std::vector<at::Tensor> tensors{tensor};
    guarded("Sending failed", [&] { finishWithin(*m_backend->send(tensors, to, 0), m_device, m_maxWait); });
}

void PeerGroup::receive(const at::Tensor& tensor, int from) {
    std::vector<at::Tensor> tensors{tensor};
    guarded("Receiving failed",
            [&] { finishWithin(*m_backend->recv(tensors, from, 0), m_device, m_maxWait); });
}

void PeerGroup::allReduce(const at::Tensor& tensor) {
    std::vector<at::Tensor> tensors{tensor};
    guarded("The all-reduce failed",
            [&] { finishWithin(*m_backend->allreduce(tensors), m_device, m_maxWait); });
}

}  // namespace dailies::trainer
