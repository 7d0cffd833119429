#pragma once

#include "trainer/parallel/ranks.h"
#include "trainer/run_log.h"
#include "trainer/stop_signal.h"
#include "trainer/verbs/run_words.h"

#include <cstdlib>
#include <memory>

namespace dailies::trainer {

/// Trains with a `Loop` (Trainer, VaeTrainer) made from config, run folder, ranks and log; its end, or why it
/// failed, closes the log.
template <class Loop>
int runLoop(const std::string& verb, const Words& words) {
    const auto parsed = RunWords::parse(verb, words);
    installStopSignals();
    const auto ranks = ranksFromEnvironment([](const char* name) { return std::getenv(name); });
    RunLog log(parsed.runFolder, ranks.leads());
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
