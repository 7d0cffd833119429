#include "trainer/parallel/rendezvous.h"

#include "core/base/error.h"

#include <c10/util/Exception.h>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

namespace dailies::trainer {

c10::intrusive_ptr<c10d::Store> meet(const DistEnv& ranks, std::chrono::milliseconds timeout) {
    c10d::TCPStoreOptions options;
    options.port = ranks.port;
    options.isServer = ranks.isRank0();
    options.numWorkers = static_cast<std::size_t>(ranks.size);
    options.timeout = ranks.patience;
    try {
        auto store = c10::make_intrusive<c10d::TCPStore>(ranks.address, options);
        store->setTimeout(timeout);
        return store;
    } catch (const std::exception& error) {
        const auto* detailed = dynamic_cast<const c10::Error*>(&error);
        throw Error("The " + std::to_string(ranks.size) + " ranks could not meet at " + ranks.address + ":" +
                        std::to_string(ranks.port) + ": " +
                        (detailed ? detailed->what_without_backtrace() : error.what()),
                    "Check that rank 0 started and that its host and port can be reached (MASTER_ADDR, "
                    "MASTER_PORT).");
    }
}

}  // namespace dailies::trainer
