#pragma once

#include "core/sweep/environment.h"

#include <string>
#include <vector>

namespace dailies::remote {

/// A path as one shell word, of which the home folder alone ("~" or $HOME) is expanded.
std::string shellPath(const std::string& path);

/// An environment as the pieces of a job's script. All of it is shell text: quoted where it must be.
struct EnvironmentScript {
    std::vector<std::string> lines;        ///< run before the program is started
    std::vector<std::string> srunOptions;  ///< of the srun that starts the program: Pyxis
    std::vector<std::string> launcher;     ///< words before the program's: Apptainer

    /// The words before a single program that is to run inside the container; none: there is no container.
    std::vector<std::string> containerCommand() const;
};

struct ContainerNeeds {
    std::string workspace;  ///< folder that the program must see
    bool gpus = false;      ///< the node's GPUs and their driver, too
};

/// `setup`: the profile's own shell lines, which stand behind modules and the fabric's variables, so that
/// they may change both, and before the Python environment and the variables.
EnvironmentScript scriptOf(const sweep::Environment& environment, const std::vector<std::string>& setup,
                           const ContainerNeeds& needs);

/// Its lines alone, which also hold outside of a job: where Slurm's commands and PyTorch are looked for.
std::vector<std::string> setupLines(const sweep::Environment& environment,
                                    const std::vector<std::string>& setup);

}  // namespace dailies::remote
