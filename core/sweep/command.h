#pragma once

#include "core/sweep/sweep.h"

#include <map>
#include <string>
#include <vector>

namespace dailies::sweep {

/// One word of a command line. A variable's value is known where the run starts, and nowhere before.
struct CommandWord {
    struct Part {
        std::string text;         ///< or the name of a variable
        bool isVariable = false;  ///< of the environment; where it is not set its bare name stays, as in W&B

        bool operator==(const Part&) const = default;
    };
    std::vector<Part> parts;

    bool operator==(const CommandWord&) const = default;
};

/// For a person: variables as a sweep file writes them, "${envvar:HOME}/data".
std::string shownWord(const CommandWord& word);
std::vector<std::string> shownWords(const std::vector<CommandWord>& words);

/// For bash: one word, whatever it holds, with its variables expanded: '--out='"${HOME-HOME}"'/data'.
std::string shellWord(const CommandWord& word);

/// A word as it is typed in a shell: quoted only where the shell would read it otherwise.
std::string commandLineWord(const std::string& word);

/// The variable that holds a run's folder in its job.
inline constexpr const char* kRunFolderVariable = "DAILIES_RUN_DIR";

/// The variable that holds the newest checkpoint of the run's earlier jobs.
inline constexpr const char* kCheckpointVariable = "DAILIES_CHECKPOINT";

/// What a run of the user's own program is started with.
struct RunCommand {
    std::vector<CommandWord> words;
    std::vector<CommandWord> resumedWords;     ///< of a job that goes on; the same where nothing is added
    std::map<std::string, std::string> files;  ///< by name, in the run's folder: what the words refer to
};

/// The command of one run, by W&B's rules (wandb/wandb_agent.py, wandb/sdk/launch/sweeps/utils.py): a macro
/// is replaced where it is a whole word, values are written as Python's str() does, nested parameters are one
/// dict. Some rules are Dailies' own: a listed number keeps the spelling of the file (1e-4), a parameter that
/// is null is left out of the arguments, ${run_dir} is the run's folder wherever it stands in a word, and
/// ${config_file} the run's own copy of `configFile`, in which ${run_dir} is that folder, too;
/// ${resume} is where the arguments of `resume` go (else they go to the end), and an unknown macro is refused
/// by `commandProblem`. `sweep.program` must be there.
RunCommand renderCommand(const Sweep& sweep, const PlannedRun& run);

/// The variables that hold what is sampled in the job that samples a checkpoint.
inline constexpr const char* kStepVariable = "DAILIES_STEP";
inline constexpr const char* kClipsVariable = "DAILIES_CLIPS";

/// The pattern of the checkpoints that are sampled; empty: nothing says it.
std::string sampledCheckpoints(const CheckpointSampling& sampling, const Program& program);

/// What a job asks for that samples one.
Resources samplingResources(const CheckpointSampling& sampling, const Resources& ofRun);

/// The command that samples a checkpoint.
std::vector<CommandWord> samplingWords(const CheckpointSampling& sampling);

/// Why this cannot sample anything, with what to write instead; empty when it can.
std::string samplingProblem(const CheckpointSampling& sampling, const Program& program);

/// Why this command cannot start anything, with what to write instead; empty when it can.
std::string commandProblem(const Program& program);

/// What W&B does with this command in silence and its author may not have meant: one sentence each.
std::vector<std::string> commandNotices(const Sweep& sweep);

/// Which parameters the program's configuration file does not have: one sentence each, once it was read.
std::vector<std::string> configFileNotices(const Sweep& sweep);

/// The key as an argument's name; refused names would not come back from any parser of arguments.
bool isArgumentName(const std::string& key);

}  // namespace dailies::sweep
