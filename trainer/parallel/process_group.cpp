#include "trainer/parallel/process_group.h"

#include "core/base/error.h"
#include "trainer/parallel/backend.h"
#include "trainer/parallel/lost_rank.h"
#include "trainer/parallel/rendezvous.h"
#include "trainer/runtime/flight_recorder.h"

#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/types.h>

#include <algorithm>
#include <numeric>

namespace dailies::trainer {

namespace {

void copyUnlessSame(const at::Tensor& to, const at::Tensor& from) {
    if (to.const_data_ptr() != from.const_data_ptr()) to.copy_(from);
}

class SingleProcess : public ProcessGroup {
public:
    std::int64_t rank() const override { return 0; }
    std::int64_t size() const override { return 1; }
    void allReduce(at::Tensor&) override {}
    void broadcastFromRank0(at::Tensor&) override {}
    WorkHandle startAllReduce(const at::Tensor&) override { return {}; }
    WorkHandle startReduceScatter(const at::Tensor& part, const at::Tensor& whole) override {
        copyUnlessSame(part, whole);
        return {};
    }
    WorkHandle startAllGather(const at::Tensor& whole, const at::Tensor& part) override {
        copyUnlessSame(whole, part);
        return {};
    }
    WorkHandle startAllToAll(const at::Tensor& taken, const at::Tensor& given, std::vector<std::int64_t>,
                             std::vector<std::int64_t>) override {
        copyUnlessSame(taken, given);
        return {};
    }
    WorkHandle startSend(const at::Tensor&) override {
        throw Error("A process alone has nobody to send to.");
    }
    WorkHandle startReceive(const at::Tensor&) override {
        throw Error("A process alone has nobody to receive from.");
    }
    std::unique_ptr<ProcessGroup> newGroup(const std::string&, const std::vector<std::int64_t>&) override {
        return std::make_unique<SingleProcess>();
    }
    std::string name() const override { return "single process"; }
};

using Backend = c10::intrusive_ptr<c10d::Backend>;

/// Makes the backend of a group whose members find each other in the store.
using BackendMaker = std::function<Backend(const c10::intrusive_ptr<c10d::Store>& store, int rank, int size)>;

class Distributed : public ProcessGroup {
public:
    Distributed(c10::intrusive_ptr<c10d::Store> store, BackendMaker make, std::int64_t rank,
                std::int64_t size, std::shared_ptr<Traffic> traffic = {})
        : m_store(std::move(store)),
          m_make(std::move(make)),
          m_backend(m_make(m_store, static_cast<int>(rank), static_cast<int>(size))),
          m_rank(rank),
          m_size(size) {
        if (traffic) m_traffic = std::move(traffic);
    }

    std::int64_t rank() const override { return m_rank; }
    std::int64_t size() const override { return m_size; }
    std::string name() const override { return m_backend->getBackendName(); }

    void allReduce(at::Tensor& tensor) override { startAllReduce(tensor).wait(); }

    void broadcastFromRank0(at::Tensor& tensor) override {
        const auto recorded = record("broadcast", tensor);
        std::vector<at::Tensor> tensors{tensor};
        pending(recorded, begun([&] { return m_backend->broadcast(tensors); })).wait();
    }

    WorkHandle startAllReduce(const at::Tensor& tensor) override {
        m_traffic->addAllReduce(bytesOf(tensor), m_size);
        const auto recorded = record("all-reduce", tensor);
        std::vector<at::Tensor> tensors{tensor};
        return pending(recorded, begun([&] { return m_backend->allreduce(tensors); }));
    }

    WorkHandle startReduceScatter(const at::Tensor& part, const at::Tensor& whole) override {
        m_traffic->addReduceScatter(bytesOf(whole), m_size);
        const auto recorded = record("reduce-scatter", whole);
        auto out = part, in = whole;
        return pending(recorded, begun([&] { return m_backend->_reduce_scatter_base(out, in); }));
    }

    WorkHandle startAllGather(const at::Tensor& whole, const at::Tensor& part) override {
        m_traffic->addAllGather(bytesOf(whole), m_size);
        const auto recorded = record("all-gather", whole);
        auto out = whole, in = part;
        return pending(recorded, begun([&] { return m_backend->_allgather_base(out, in); }));
    }

    WorkHandle startAllToAll(const at::Tensor& taken, const at::Tensor& given,
                             std::vector<std::int64_t> takenRows,
                             std::vector<std::int64_t> givenRows) override {
        m_traffic->addAllToAll(bytesOf(given), given.size(0), givenRows[static_cast<std::size_t>(m_rank)]);
        const auto recorded = record("all-to-all", given);
        auto out = taken, in = given;
        return pending(recorded,
                       begun([&] { return m_backend->alltoall_base(out, in, takenRows, givenRows); }));
    }

    WorkHandle startSend(const at::Tensor& tensor) override {
        m_traffic->addSend(bytesOf(tensor));
        const auto began = record("send", tensor);
        std::vector<at::Tensor> tensors{tensor};
        auto work = begun([&] { return m_backend->send(tensors, other(), kTag); });
        // under way only for as long as it holds this rank up: its stage goes on with the next pass meanwhile
        return WorkHandle([tensor, work = std::move(work)] { pending(record("send", tensor), work).wait(); });
    }

    WorkHandle startReceive(const at::Tensor& tensor) override {
        const auto recorded = record("receive", tensor);
        std::vector<at::Tensor> tensors{tensor};
        return pending(recorded, begun([&] { return m_backend->recv(tensors, other(), kTag); }));
    }

    std::unique_ptr<ProcessGroup> newGroup(const std::string& name,
                                           const std::vector<std::int64_t>& members) override {
        const auto own = std::ranges::find(members, m_rank) - members.begin();
        if (members.size() == 1) return std::make_unique<SingleProcess>();
        // groups of one name are told apart by the first of their members
        const auto store =
            c10::make_intrusive<c10d::PrefixStore>(name + "/" + std::to_string(members.front()), m_store);
        return std::make_unique<Distributed>(store, m_make, own, static_cast<std::int64_t>(members.size()),
                                             m_traffic);
    }

private:
    static constexpr int kTag = 0;
    inline static const std::string kLost = "The connection to another rank broke: ";

    static double bytesOf(const at::Tensor& tensor) { return static_cast<double>(tensor.nbytes()); }

    /// Of a group of two.
    int other() const { return static_cast<int>(1 - m_rank); }

    /// From before a collective begins until it was waited for: some backends hang in the first call already.
    using Recorded = std::shared_ptr<CollectiveScope>;
    static Recorded record(const char* what, const at::Tensor& tensor) {
        return std::make_shared<CollectiveScope>(what, static_cast<std::int64_t>(tensor.nbytes()));
    }

    /// NCCL connects, and tells of a connection that broke before, where a collective begins.
    template <class Call>
    static c10::intrusive_ptr<c10d::Work> begun(Call call) {
        try {
            return call();
        } catch (const std::exception& error) {
            if (!isLostConnection(error)) throw;
            throw LostRank(kLost + extractFault(error.what()));
        }
    }

    static WorkHandle pending(Recorded recorded, c10::intrusive_ptr<c10d::Work> work) {
        return WorkHandle([recorded = std::move(recorded), work = std::move(work)] {
            try {
                work->wait();
            } catch (const c10::OutOfMemoryError&) {
                throw;
            } catch (const c10::Error& error) {
                throw LostRank(kLost + extractFault(error.what_without_backtrace()));
            } catch (const std::runtime_error& error) {
                throw LostRank(kLost + extractFault(error.what()));
            }
        });
    }

    c10::intrusive_ptr<c10d::Store> m_store;
    BackendMaker m_make;
    Backend m_backend;
    std::int64_t m_rank, m_size;
};

}  // namespace

ProcessGroup& ProcessGroup::duplicate() {
    if (m_twin) return *m_twin;
    std::vector<std::int64_t> members(static_cast<std::size_t>(size()));
    std::iota(members.begin(), members.end(), 0);
    m_twin = newGroup("twin", members);
    return *m_twin;
}

std::unique_ptr<ProcessGroup> makeProcessGroup(const DistEnv& ranks, at::Device device) {
    if (ranks.size == 1) return std::make_unique<SingleProcess>();
    const auto connect = [address = ranks.address, device](const c10::intrusive_ptr<c10d::Store>& store,
                                                           int rank, int size) {
        return connectBackend(store, rank, size, address, device, kStepTimeout);
    };
    return std::make_unique<Distributed>(meet(ranks), connect, ranks.rank, ranks.size);
}

}  // namespace dailies::trainer
