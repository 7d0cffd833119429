#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/text.h"
#include "core/config/schema.h"
#include "core/config/train_config.h"
#include "trainer/checkpoint/checkpoints.h"
#include "trainer/parallel/ranks.h"
#include "trainer/run_log.h"
#include "trainer/stop_signal.h"
#include "trainer/trainer.h"

#include <c10/util/Exception.h>

#include <cstdlib>
#include <iostream>

namespace dailies::trainer {

namespace {

constexpr int kDone = 0, kFailed = 1, kBadInput = 2;

constexpr const char* kUsage =
    "dailies-train " DAILIES_VERSION
    ", the trainer of Dailies\n\n"
    "  dailies-train train --config config.json [--run-dir DIR]   train, or go on from the newest "
    "checkpoint\n"
    "  dailies-train inspect CHECKPOINT                           print a checkpoint's manifest\n"
    "  dailies-train schema                                       print every key of the configuration\n\n"
    "The run directory is the config's own folder unless --run-dir names another. Exit status: 0 done or "
    "stopped\n"
    "with a checkpoint, 1 the work failed, 2 the words or the input were wrong.\n";

/// What went wrong, in one line for a person: LibTorch's own messages carry a stack trace that helps nobody
/// here.
std::string messageOf(const std::exception& error) {
    if (const auto* ours = dynamic_cast<const Error*>(&error)) return ours->full();
    if (const auto* torch = dynamic_cast<const c10::Error*>(&error)) return torch->what_without_backtrace();
    return error.what();
}

int exitStatus(const std::exception& error) {
    return dynamic_cast<const InputError*>(&error) ? kBadInput : kFailed;
}

int report(const std::exception& error) {
    std::cerr << "dailies-train: " << inertText(messageOf(error)) << std::endl;
    return exitStatus(error);
}

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

int train(const std::vector<std::string>& words) {
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

int inspect(const std::vector<std::string>& words) {
    if (words.size() != 1) throw InputError("inspect: expected one checkpoint folder.");
    std::cout << inspectCheckpoint(words[0]).dump(2) << std::endl;
    return kDone;
}

int run(const std::vector<std::string>& words) {
    const std::string verb = words.empty() ? "" : words[0];
    const std::vector<std::string> rest(words.begin() + (words.empty() ? 0 : 1), words.end());
    if (verb == "train") return train(rest);
    if (verb == "inspect") return inspect(rest);
    if (verb == "schema") {
        std::cout << config::schemaToJson().dump(2) << std::endl;
        return kDone;
    }
    const bool asked = verb == "help" || verb == "--help" || verb == "-h";
    (asked ? std::cout : std::cerr) << kUsage;
    return asked ? kDone : kBadInput;
}

}  // namespace

}  // namespace dailies::trainer

int main(int count, char** words) {
    try {
        return dailies::trainer::run({words + 1, words + count});
    } catch (const std::exception& error) {
        return dailies::trainer::report(error);
    }
}
