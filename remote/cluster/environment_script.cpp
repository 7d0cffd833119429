#include "remote/cluster/environment_script.h"

#include "core/base/text.h"
#include "core/sweep/nccl.h"

namespace dailies::remote {

namespace {

/// What fails here must not be found out by a program that runs without it.
std::string orEnd(const std::string& command, const std::string& why) {
    return command + " || { echo " + shellQuote("dailies: " + why) + " >&2; exit 78; }";
}

void addModules(const std::vector<std::string>& modules, std::vector<std::string>& lines) {
    if (modules.empty()) return;
    // a shell that is no login shell has no command module at many sites
    lines.push_back("command -v module >/dev/null || . /etc/profile >/dev/null 2>&1");
    for (const auto& module : modules)
        lines.push_back(orEnd("module load " + shellQuote(module),
                              "the module " + module + " could not be loaded (module avail lists them)."));
}

void addPython(const sweep::Environment& environment, std::vector<std::string>& lines) {
    if (const auto& venv = environment.venv; !venv.empty())
        lines.push_back(
            orEnd(". " + shellPath(venv) + "/bin/activate", "there is no Python environment " + venv + "."));
    if (const auto& conda = environment.conda; !conda.empty()) {
        lines.push_back(
            orEnd("eval \"$(conda shell.bash hook)\"", "there is no conda; load its module first."));
        lines.push_back(
            orEnd("conda activate " + shellPath(conda), "there is no conda environment " + conda + "."));
    }
}

void addVariables(const std::map<std::string, std::string>& variables, std::vector<std::string>& lines) {
    for (const auto& [name, value] : variables) lines.push_back("export " + name + "=" + shellQuote(value));
}

/// "/there:/inside:ro"; Pyxis wants both sides.
std::string mountWithBothSides(const std::string& mount) {
    return mount.find(':') == std::string::npos ? mount + ":" + mount : mount;
}

}  // namespace

std::string shellPath(const std::string& path) {
    for (const std::string_view home : {"~", "$HOME"}) {
        if (path == home) return "\"$HOME\"";
        if (path.starts_with(std::string(home) + "/"))
            return "\"$HOME\"" + shellQuote(path.substr(home.size()));
    }
    return shellQuote(path);
}

std::vector<std::string> setupLines(const sweep::Environment& environment,
                                    const std::vector<std::string>& setup) {
    std::vector<std::string> lines;
    addModules(environment.modules, lines);
    if (const auto* fabric = sweep::findFabric(environment.fabric))
        for (const auto& variable : fabric->variables)
            lines.push_back("export " + std::string(variable.name) + "=" + shellQuote(variable.value));
    lines.insert(lines.end(), setup.begin(), setup.end());
    addPython(environment, lines);
    addVariables(environment.variables, lines);
    return lines;
}

EnvironmentScript scriptOf(const sweep::Environment& environment, const std::vector<std::string>& setup,
                           const ContainerNeeds& needs) {
    EnvironmentScript script;
    script.lines = setupLines(environment, setup);
    const auto& container = environment.container;
    if (container.image.empty()) return script;
    if (container.runtime == "pyxis") {
        std::vector<std::string> mounts = {mountWithBothSides(needs.workspace)};
        for (const auto& mount : container.mounts) mounts.push_back(mountWithBothSides(mount));
        script.srunOptions = {"--container-image=" + shellPath(container.image),
                              "--container-mounts=" + shellQuote(join(mounts, ","))};
        return script;
    }
    script.launcher = {container.runtime.empty() ? "apptainer" : container.runtime, "exec"};
    if (needs.gpus) script.launcher.push_back("--nv");
    script.launcher.insert(script.launcher.end(), {"--bind", shellQuote(needs.workspace)});
    for (const auto& mount : container.mounts)
        script.launcher.insert(script.launcher.end(), {"--bind", shellQuote(mount)});
    script.launcher.push_back(shellPath(container.image));
    return script;
}

std::vector<std::string> EnvironmentScript::containerCommand() const {
    if (srunOptions.empty()) return launcher;
    std::vector<std::string> words = {"srun"};
    words.insert(words.end(), srunOptions.begin(), srunOptions.end());
    return words;
}

}  // namespace dailies::remote
