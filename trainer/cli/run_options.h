#pragma once

#include "core/config/train_config.h"
#include "trainer/cli/verbs.h"

#include <filesystem>

namespace dailies::trainer {

/// The args that the verbs of a run share: --config FILE and perhaps --run-dir DIR, else the config's own
/// folder. Throws `InputError` that begins with the verb.
struct RunOptions {
    std::filesystem::path config, runFolder;

    static RunOptions parse(const std::string& verb, const Args& args);
    config::TrainConfig readConfig() const;

private:
    std::string m_verb;
};

}  // namespace dailies::trainer
