#include "remote/job_script/program_parts.h"

#include "core/base/text.h"
#include "remote/job_script/sbatch_text.h"
#include "remote/job_script/templates.h"

namespace dailies::remote {

ProgramParts trainerParts(const std::string& path, const std::string& verb) {
    ProgramParts parts;
    parts.settings = "program=" + shellQuote(path) + "\nmax_kills=" + std::to_string(kMaxKills) +
                     "\nmax_hangs=" + std::to_string(kMaxHangs);
    parts.begin = withoutLastLineFeed(std::string(kTrainerBegin));
    parts.start = "\"$program\" " + verb + " --config \"$run/config.json\"";
    // srun passes USR1 on, by which the trainer writes a checkpoint, but answers TERM by killing the step
    parts.forward = R"([ -z "$step" ] || kill -USR1 "$step" 2>/dev/null)";
    parts.end = withoutLastLineFeed(std::string(kTrainerEnd));
    parts.takesSignals = true;
    parts.isPreflighted = verb == "train";
    return parts;
}

ProgramParts ownProgramParts(const std::string& code) {
    ProgramParts parts;
    // "~" is the home of who runs the job
    const bool inHome = code == "~" || code.starts_with("~/");
    parts.settings =
        "code_folder=" +
        (inHome ? "\"$HOME\"" + (code.size() > 1 ? shellQuote(code.substr(1)) : "") : shellQuote(code));
    parts.begin = withoutLastLineFeed(std::string(kProgramBegin));
    parts.enter = withoutLastLineFeed(std::string(kProgramEnter));
    parts.start = R"("${command[@]}")";
    parts.forward = ":";  // Slurm's own signals reach the step
    parts.end = withoutLastLineFeed(std::string(kProgramEnd));
    return parts;
}

}  // namespace dailies::remote
