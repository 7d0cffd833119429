#pragma once

#include "trainer/cli/run_options.h"
#include "trainer/parallel/dist_env.h"
#include "trainer/runtime/run_log.h"
#include "trainer/runtime/stop_signal.h"

#include <cstdlib>
#include <memory>

namespace dailies::trainer {

/// Trains with a `Loop` (Trainer, VaeTrainer) made from config, run folder, ranks and log; its end, or why it
/// failed, closes the log.
template <class Loop>
int runLoop(const std::string& verb, const Args& args) {
    const auto parsed = RunOptions::parse(verb, args);
    installStopSignals();
    const auto ranks = distEnvFrom([](const char* name) { return std::getenv(name); });
    RunLog log(parsed.runFolder, ranks.isRank0());
    std::unique_ptr<Loop> loop;
    try {
        loop = std::make_unique<Loop>(parsed.readConfig(), parsed.runFolder, ranks, log);
        log.append(loop->train());
        return kDone;
    } catch (const std::exception& error) {
        log.append(events::End{"failed", loop ? loop->step() : 0, messageOf(error)});
        return report(error);
    }
}

}  // namespace dailies::trainer
