#include "app/terminal/environment_options.h"

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/sweep/nccl.h"

namespace dailies::app {

void EnvironmentOptions::addTo(CLI::App& command) {
    command.add_option("--module", modules, "Module to load before building and training; may repeat")
        ->type_name("NAME");
    command.add_option("--venv", venv, "Folder of a Python environment to activate there")
        ->type_name("FOLDER");
    command.add_option("--conda", conda, "Conda environment to activate there, name or folder")
        ->type_name("NAME");
    command.add_option("--container", container, "Image to build and train in")->type_name("IMAGE");
    command
        .add_option("--container-runtime", containerRuntime,
                    "What runs it: " + join(sweep::containerRuntimes(), ", ") + "; default apptainer")
        ->type_name("NAME");
    command
        .add_option("--mount", mounts, "Folder that the container sees, /there[:/inside[:ro]]; may repeat")
        ->type_name("MOUNT");
    command
        .add_option("--fabric", fabric, "What joins the nodes, for NCCL: " + join(sweep::fabricNames(), ", "))
        ->type_name("NAME");
    command.add_option("--env", variables, "Variable of the trainer, NAME=VALUE; may repeat")
        ->type_name("PAIR");
}

sweep::Environment EnvironmentOptions::environment() const {
    Json options = Json::object();
    if (!modules.empty()) options["modules"] = modules;
    if (!venv.empty()) options["venv"] = venv;
    if (!conda.empty()) options["conda"] = conda;
    if (!fabric.empty()) options["fabric"] = fabric;
    if (!container.empty()) options["container"]["image"] = container;
    if (!containerRuntime.empty()) options["container"]["runtime"] = containerRuntime;
    if (!mounts.empty()) options["container"]["mounts"] = mounts;
    for (const auto& pair : variables) {
        const auto equals = pair.find('=');
        if (equals == std::string::npos)
            throw InputError("--env: found " + sanitizedText(pair) + ", expected NAME=VALUE.");
        options["variables"][pair.substr(0, equals)] = pair.substr(equals + 1);
    }
    return sweep::environmentFromJson(options);
}

}  // namespace dailies::app
