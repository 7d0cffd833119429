#pragma once

#include "core/config/train_config.h"
#include "trainer/verbs/verbs.h"

#include <filesystem>

namespace dailies::trainer {

/// The words that the verbs of a run share: --config FILE and perhaps --run-dir DIR, else the config's own
/// folder. Throws `InputError` that begins with the verb.
struct RunWords {
    std::filesystem::path config, runFolder;

    static RunWords parse(const std::string& verb, const Words& words);
    config::TrainConfig readConfig() const;

private:
    std::string m_verb;
};

}  // namespace dailies::trainer
