#include "core/base/error.h"
#include "core/base/files.h"
#include "core/config/train_config.h"
#include "trainer/parallel/ranks.h"
#include "trainer/run_log.h"
#include "trainer/stop_signal.h"
#include "trainer/trainer.h"
#include "trainer/verbs/verbs.h"

#include <cstdlib>
#include <filesystem>
#include <memory>

namespace dailies::trainer {

namespace {

struct TrainArguments {
    std::filesystem::path config, runFolder;
};

TrainArguments parseTrain(const std::vector<std::string>& words) {
    TrainArguments arguments;
    for (std::size_t i = 0; i < words.size(); i += 2) {
        const bool known = words[i] == "--config" || words[i] == "--run-dir";
        if (!known)
            throw InputError("train: unknown option \"" + words[i] + "\".",
                             "Give --config FILE and perhaps --run-dir DIR.");
        if (i + 1 == words.size()) throw InputError("train: " + words[i] + " needs a value.");
        (words[i] == "--config" ? arguments.config : arguments.runFolder) = words[i + 1];
    }
    if (arguments.config.empty()) throw InputError("train: --config is missing.", "Give --config FILE.");
    if (arguments.runFolder.empty())
        arguments.runFolder = std::filesystem::absolute(arguments.config).parent_path();
    if (!std::filesystem::is_directory(arguments.runFolder))
        throw InputError("train: the run directory " + arguments.runFolder.string() + " does not exist.");
    return arguments;
}

config::TrainConfig readConfig(const std::filesystem::path& file) {
    if (!std::filesystem::is_regular_file(file))
        throw InputError("train: there is no config file " + file.string() + ".");
    return config::resolve(parseJson(readFile(file), file.string()));
}

}  // namespace

int train(const Words& words) {
    const auto arguments = parseTrain(words);
    installStopSignals();
    const auto ranks = ranksFromEnvironment([](const char* name) { return std::getenv(name); });
    RunLog log(arguments.runFolder, ranks.leads());
    std::unique_ptr<Trainer> trainer;
    try {
        trainer = std::make_unique<Trainer>(readConfig(arguments.config), arguments.runFolder, ranks, log);
        log.append(trainer->train());
        return kDone;
    } catch (const std::exception& error) {
        log.append(events::End{"failed", trainer ? trainer->step() : 0, messageOf(error)});
        return report(error);
    }
}

}  // namespace dailies::trainer
