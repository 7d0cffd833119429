#pragma once

#include "core/sweep/sweep.h"

#include <cstddef>
#include <string>
#include <vector>

namespace dailies::sweep {

/// What a launcher (torchrun, accelerate launch, deepspeed) stands in front of.
struct LaunchedWords {
    enum class Kind {
        Script,   ///< ${program}, whose interpreter the launcher starts by itself
        Module,   ///< ${program} behind -m
        Command,  ///< a program that is no Python script as far as one can see
    };
    Kind kind = Kind::Command;
    std::size_t first = 0;  ///< of the command's words the first that stays
};

LaunchedWords launchedWords(const Program& program);

/// The launcher with its options, as words of a command: one on each node, for all ranks of it. None where
/// `start` has no launcher.
std::vector<std::string> launcherWords(const Program& program, const Resources& resources);

/// Whether the command's variables are those of each node, and not of the first alone: launchers and ranks
/// have a number of their own there.
bool startsOnEachNode(const Program& program, const Resources& resources);

/// The file in a run's folder that names its nodes; only deepspeed on several nodes reads one.
inline constexpr const char* kHostFile = "hostfile";
bool needsHostFile(const Program& program, const Resources& resources);

/// Why the command cannot be started so; empty when it can.
std::string startProblem(const Program& program);

/// What of nodes and ranks stays unused, and where a launcher goes whose place was not clear.
std::vector<std::string> startNotices(const Program& program, const Resources& resources);

}  // namespace dailies::sweep
