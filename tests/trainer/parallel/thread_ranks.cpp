#include "tests/trainer/parallel/thread_ranks.h"

#include "tests/trainer/free_port.h"

#include <ATen/Parallel.h>
#include <torch/types.h>

#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace dailies::trainer {

void onRanks(int size, const std::function<void(ProcessGroup&)>& work) {
    const auto port = freePort();
    std::exception_ptr failure;
    std::mutex mutex;
    std::vector<std::thread> threads;
    for (int rank = 0; rank < size; ++rank)
        threads.emplace_back([&, rank] {
            at::set_num_threads(1);
            try {
                // closed where the work throws, which lets the other ranks go
                const auto world = makeProcessGroup(
                    {rank, size, rank, "127.0.0.1", port, std::chrono::minutes(5), {}}, at::kCPU);
                work(*world);
                at::Tensor together = at::ones({1});
                world->allReduce(together);  // who is done early must not hang up on the others
            } catch (...) {
                const std::lock_guard lock(mutex);
                if (!failure) failure = std::current_exception();
            }
        });
    for (auto& thread : threads) thread.join();
    if (failure) std::rethrow_exception(failure);
}

config::TrainConfig configWith(const Json& layout) {
    config::TrainConfig config;
    config.layout.cp = layout.value("cp", config.layout.cp);
    config.layout.ring = layout.value("ring", config.layout.ring);
    config.layout.tp = layout.value("tp", config.layout.tp);
    config.layout.pp = layout.value("pp", config.layout.pp);
    config.layout.pp_chunks = layout.value("pp_chunks", config.layout.pp_chunks);
    config.layout.shard = layout.value("shard", config.layout.shard);
    config.layout.shard_ranks = layout.value("shard_ranks", config.layout.shard_ranks);
    return config;
}

DistEnv ranksOf(const ProcessGroup& world) {
    DistEnv ranks;
    ranks.rank = world.rank();
    ranks.size = world.size();
    return ranks;
}

}  // namespace dailies::trainer
