#pragma once

#include "core/rules/source_rules.h"
#include "core/sweep/code.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dailies::sweep {

/// The program's own configuration file, of which each run gets one with its values in it.
struct ConfigFile {
    std::string path;       ///< below the folder of the code, or beside the sweep file
    std::string text = {};  ///< its content, kept with the sweep; empty until it was read

    bool operator==(const ConfigFile&) const = default;
};

/// How a program is asked to write a checkpoint and end.
struct StopRequest {
    enum class Way {
        None,    ///< it cannot be asked; near the time limit it is killed when it has a new checkpoint
        Signal,  ///< sent to its processes
        File,    ///< made in the run's folder; the folders before its name may be a pattern
    };
    Way way = Way::None;
    std::string what = {};  ///< "USR1", "*/save_quit"
    int lead = 0;           ///< seconds before the time limit; 0: up to a minute, as the limit allows

    bool operator==(const StopRequest&) const = default;
};

/// How a program goes on from its own checkpoints in a further job of the same run.
struct Resume {
    std::string preset = {};                  ///< by whose conventions the others are filled; may be empty
    std::vector<std::string> arguments = {};  ///< words for the command; ${checkpoint} is the newest one
    std::string checkpoints = {};  ///< a pattern, below the run's folder unless absolute; empty: not known
    bool always = false;           ///< the arguments are given to the first start, too
    StopRequest stop = {};
    bool requeuesItself = false;  ///< it puts its job back into the queue when it is asked to stop

    bool operator==(const Resume&) const = default;
};

/// How the processes of a run begin on its nodes.
enum class Start {
    Process,     ///< one; on each node where the command starts a launcher by itself, else on the first node
    Torchrun,    ///< a launcher on each node, which starts its ranks
    Accelerate,  ///< ″
    Deepspeed,   ///< ″
    Tasks,       ///< one for each rank, with RANK, WORLD_SIZE and the like
};

/// A program of the user's own: what each run of a sweep starts in the place of dailies-train. Its keys are
/// those of W&B's sweep files, which run unchanged; the others are Dailies' own.
struct Program {
    std::string file;                  ///< W&B's key `program`: what ${program} stands for; may be empty
    std::vector<std::string> command;  ///< words and macros; empty: `defaultCommand`
    Code code;
    bool dottedGroups = false;          ///< nested parameters are `--optimizer.lr=0.1`, not one dict argument
    std::optional<Resume> resume = {};  ///< none: a further job starts it as the first one did
    Start start = Start::Process;
    std::optional<ConfigFile> configFile = {};  ///< what ${config_file} is made from
    rules::SourceRules sources = {};            ///< where what no tracker tells of is found

    bool operator==(const Program&) const = default;
};

/// [${env}, ${interpreter}, ${program}, ${args}], as W&B has it.
const std::vector<std::string>& defaultCommand();

/// The words of `command`, or the default ones.
const std::vector<std::string>& commandOf(const Program& program);

/// What a person calls it: "train.py".
std::string nameOf(const Program& program);

/// Whether the program comes with the environment of the job, as "rl_zoo3 train" and "python -m
/// package.train" do, and no word of the command names a file beside it: then it needs no folder of its own.
/// A module may lie in a folder all the same; who finds it there knows.
bool isInstalled(const Program& program);

/// "torchrun" and the like; nullopt: there is no such start.
std::optional<Start> startFromName(std::string_view name);
std::string_view nameOf(Start start);
std::vector<std::string> startNames();

/// Whether one process on each node starts the ranks there.
inline bool isLauncher(Start start) {
    return start == Start::Torchrun || start == Start::Accelerate || start == Start::Deepspeed;
}

/// Whether the command itself starts such a launcher: "accelerate launch train.py", "python -m
/// torch.distributed.run".
bool startsLauncherItself(const Program& program);

/// The conventions of well-known trainers, by the names that `resume.preset` takes.
const std::vector<Resume>& resumePresets();

}  // namespace dailies::sweep
