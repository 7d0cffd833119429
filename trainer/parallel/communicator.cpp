#include "trainer/parallel/communicator.h"

#include "core/base/error.h"
#include "trainer/watchdog/flight_record.h"

#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>
#include <torch/types.h>
#if defined(DAILIES_GLOO)
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#endif
#if defined(DAILIES_NCCL)
#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>
#endif

#include <chrono>

namespace dailies::trainer {

namespace {

constexpr std::chrono::minutes kMeetingPatience{1};
// The leader samples clips and writes checkpoints while the others wait for it in the next step's sum.
constexpr std::chrono::minutes kStepPatience{30};

class SingleProcess : public Communicator {
public:
    void sum(at::Tensor&) override {}
    void broadcastFromLeader(at::Tensor&) override {}
    std::string name() const override { return "single process"; }
};

class Distributed : public Communicator {
public:
    Distributed(c10::intrusive_ptr<c10d::Backend> backend, std::string name)
        : m_backend(std::move(backend)), m_name(std::move(name)) {}

    void sum(at::Tensor& tensor) override {
        const RecordedCollective recorded("all-reduce", static_cast<std::int64_t>(tensor.nbytes()));
        std::vector<at::Tensor> tensors{tensor};
        waitFor(m_backend->allreduce(tensors));
    }

    void broadcastFromLeader(at::Tensor& tensor) override {
        const RecordedCollective recorded("broadcast", static_cast<std::int64_t>(tensor.nbytes()));
        std::vector<at::Tensor> tensors{tensor};
        waitFor(m_backend->broadcast(tensors));
    }

    std::string name() const override { return m_name; }

private:
    static void waitFor(const c10::intrusive_ptr<c10d::Work>& work) {
        try {
            work->wait();
        } catch (const c10::Error& error) {
            throw Error(std::string("Lost another rank of this run: ") + error.what_without_backtrace());
        } catch (const std::runtime_error& error) {
            throw Error(std::string("Lost another rank of this run: ") + error.what());
        }
    }

    c10::intrusive_ptr<c10d::Backend> m_backend;
    std::string m_name;
};

[[maybe_unused]] c10::intrusive_ptr<c10d::Store> meet(const Ranks& ranks) {
    c10d::TCPStoreOptions options;
    options.port = ranks.port;
    options.isServer = ranks.leads();
    options.numWorkers = static_cast<std::size_t>(ranks.size);
    options.timeout = kMeetingPatience;
    try {
        return c10::make_intrusive<c10d::TCPStore>(ranks.address, options);
    } catch (const std::exception& error) {
        const auto* detailed = dynamic_cast<const c10::Error*>(&error);
        throw Error("The " + std::to_string(ranks.size) + " ranks could not meet at " + ranks.address + ":" +
                        std::to_string(ranks.port) + ": " +
                        (detailed ? detailed->what_without_backtrace() : error.what()),
                    "Check that rank 0 started and that its host and port can be reached (MASTER_ADDR, "
                    "MASTER_PORT).");
    }
}

[[maybe_unused]] std::unique_ptr<Communicator> gloo([[maybe_unused]] const Ranks& ranks) {
#if defined(DAILIES_GLOO)
    const auto store = c10::make_intrusive<c10d::PrefixStore>("gloo", meet(ranks));
    auto options = c10d::ProcessGroupGloo::Options::create(kStepPatience);
    options->devices.push_back(ranks.address == "127.0.0.1" || ranks.address == "localhost"
                                   ? c10d::ProcessGroupGloo::createDeviceForHostname("127.0.0.1")
                                   : c10d::ProcessGroupGloo::createDefaultDevice());
    return std::make_unique<Distributed>(
        c10::make_intrusive<c10d::ProcessGroupGloo>(store, static_cast<int>(ranks.rank),
                                                    static_cast<int>(ranks.size), options),
        "gloo");
#else
    throw InputError("This dailies-train was built without Gloo and cannot run " +
                         std::to_string(ranks.size) + " processes on CPUs.",
                     "Install libgloo-dev and build it again, or ask for one task.");
#endif
}

[[maybe_unused]] std::unique_ptr<Communicator> nccl([[maybe_unused]] const Ranks& ranks) {
#if defined(DAILIES_NCCL)
    const auto store = c10::make_intrusive<c10d::PrefixStore>("nccl", meet(ranks));
    const auto options = c10d::ProcessGroupNCCL::Options::create();
    options->timeout = kStepPatience;
    return std::make_unique<Distributed>(
        c10::make_intrusive<c10d::ProcessGroupNCCL>(store, static_cast<int>(ranks.rank),
                                                    static_cast<int>(ranks.size), options),
        "nccl");
#else
    throw InputError("This dailies-train was built without NCCL and cannot run " +
                         std::to_string(ranks.size) + " processes on GPUs.",
                     "Build it with a CUDA build of PyTorch, or ask for one task.");
#endif
}

}  // namespace

std::unique_ptr<Communicator> makeCommunicator(const Ranks& ranks, at::Device device) {
    if (ranks.size == 1) return std::make_unique<SingleProcess>();
    return device.is_cuda() ? nccl(ranks) : gloo(ranks);
}

}  // namespace dailies::trainer
