#pragma once

#include "trainer/cli/run_options.h"
#include "trainer/mirror/mirrored_run.h"
#include "trainer/parallel/dist_env.h"
#include "trainer/runtime/run_log.h"
#include "trainer/runtime/stop_signal.h"

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <exception>
#include <memory>
#include <optional>
#include <utility>

namespace dailies::trainer {

/// Trains with a `Loop` (Trainer, VaeTrainer) made from config, run folder, ranks and log; its end, or why it
/// failed, closes the log.
template <class Loop>
int runLoop(const std::string& verb, const Args& args) {
    const auto parsed = RunOptions::parse(verb, args);
    installStopSignals();
    auto ranks = distEnvFrom([](const char* name) { return std::getenv(name); });
    MirroredRun mirrored;
    std::optional<config::TrainConfig> config;
    std::exception_ptr refused;
    try {
        config = parsed.readConfig();
        if (ranks.isRank0()) mirrored.open(config->checkpoint.mirror, parsed.runFolder);
        // what rank 0 fetches there before it meets the others may be large
        if (!config->checkpoint.mirror.empty())
            ranks.patience = std::chrono::seconds(std::llround(config->watchdog.start_limit));
    } catch (const std::exception&) {
        refused = std::current_exception();
    }
    RunLog log(parsed.runFolder, ranks.isRank0());
    std::unique_ptr<Loop> loop;
    try {
        if (refused) std::rethrow_exception(refused);
        mirrored.start(log);
        loop = std::make_unique<Loop>(*config, parsed.runFolder, ranks, log);
        auto end = loop->train();
        loop.reset();  // the other ranks are gone by the time that a copy takes
        mirrored.finish(log, std::move(end));
        return kDone;
    } catch (const std::exception& error) {
        const auto step = loop ? loop->step() : 0;
        loop.reset();
        mirrored.finish(log, events::End{"failed", step, messageOf(error)});
        return report(error);
    }
}

}  // namespace dailies::trainer
