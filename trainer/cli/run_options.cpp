#include "trainer/cli/run_options.h"

#include "core/base/error.h"
#include "core/base/files.h"

namespace dailies::trainer {

RunOptions RunOptions::parse(const std::string& verb, const Args& args) {
    RunOptions parsed;
    parsed.m_verb = verb;
    for (std::size_t i = 0; i < args.size(); i += 2) {
        const bool known = args[i] == "--config" || args[i] == "--run-dir";
        if (!known)
            throw InputError(verb + ": unknown option \"" + args[i] + "\".",
                             "Give --config FILE and perhaps --run-dir DIR.");
        if (i + 1 == args.size()) throw InputError(verb + ": " + args[i] + " needs a value.");
        (args[i] == "--config" ? parsed.config : parsed.runFolder) = args[i + 1];
    }
    if (parsed.config.empty()) throw InputError(verb + ": --config is missing.", "Give --config FILE.");
    if (parsed.runFolder.empty()) parsed.runFolder = std::filesystem::absolute(parsed.config).parent_path();
    if (!std::filesystem::is_directory(parsed.runFolder))
        throw InputError(verb + ": the run directory " + parsed.runFolder.string() + " does not exist.");
    return parsed;
}

config::TrainConfig RunOptions::readConfig() const {
    if (!std::filesystem::is_regular_file(config))
        throw InputError(m_verb + ": there is no config file " + config.string() + ".");
    return config::resolve(parseJson(readFile(config), config.string()));
}

}  // namespace dailies::trainer
