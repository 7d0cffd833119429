#include "remote/job_script/program_parts.h"

#include "core/base/text.h"
#include "core/sweep/command.h"
#include "core/sweep/launcher.h"
#include "remote/cluster/environment_script.h"
#include "remote/job_script/sbatch_text.h"
#include "remote/job_script/templates.h"

#include <algorithm>

namespace dailies::remote {

ProgramParts trainerParts(const std::string& path, const std::string& verb, const std::string& option) {
    ProgramParts parts;
    parts.settings = "program=" + shellQuote(path) + "\nmax_kills=" + std::to_string(kMaxKills) +
                     "\nmax_hangs=" + std::to_string(kMaxHangs);
    parts.begin = withoutLastLineFeed(std::string(kTrainerBegin));
    parts.start = "\"$program\" " + verb + " " + option + " \"$run/config.json\"";
    // srun passes USR1 on, by which the trainer writes a checkpoint, but answers TERM by killing the step
    parts.forward = R"([ -z "$step" ] || kill -USR1 "$step" 2>/dev/null)";
    parts.end = withoutLastLineFeed(std::string(kTrainerEnd));
    parts.takesSignals = true;
    parts.isPreflighted = verb == "train";
    return parts;
}

ProgramParts trainerPartsWithInit(const std::string& path) {
    auto parts = trainerParts(path, "train");
    parts.enter = withoutLastLineFeed(std::string(kTrainerInit));
    return parts;
}

namespace {

/// What lets a further job of the run go on where an earlier one was stopped.
void addResume(ProgramParts& parts, const sweep::Resume& resume) {
    using Way = sweep::StopRequest::Way;
    const auto setting = [&](const std::string& name, const std::string& value) {
        parts.settings += "\n" + name + "=" + (value.empty() ? "" : shellQuote(value));
    };
    const auto stopBy = [&](Way way) { return resume.stop.way == way ? resume.stop.what : std::string(); };
    setting("checkpoints", resume.checkpoints);
    setting("stop_signal", stopBy(Way::Signal));
    setting("stop_file", stopBy(Way::File));
    setting("requeues_itself", resume.requeuesItself ? "yes" : "");
    setting("max_kills", std::to_string(kMaxKills));
    parts.begin += "\n" + withoutLastLineFeed(std::string(kProgramResume));
    parts.forward = "request_stop";
    parts.takesSignals = true;
    parts.signalLead = resume.stop.lead;
}

/// What processes on several nodes need to find each other, and their own numbers.
void addRanks(ProgramParts& parts, const sweep::Program& program, const sweep::Resources& resources) {
    std::string ranks(kProgramRanks);
    if (sweep::needsHostFile(program, resources))
        ranks += "scontrol show hostnames \"$SLURM_JOB_NODELIST\" | sed 's/$/ slots=" +
                 std::to_string(std::max(resources.ranksPerNode, 1)) + "/' >\"$run/" + sweep::kHostFile +
                 "\"\n";
    parts.enter = ranks + parts.enter;
    parts.start = R"(bash -c '. "$DAILIES_RUN_DIR/command.sh" && exec "${command[@]}"')";
}

}  // namespace

ProgramParts ownProgramParts(const std::string& code, const sweep::Program& program,
                             const sweep::Resources& resources,
                             const std::optional<sweep::CheckpointSampling>& sampling) {
    ProgramParts parts;
    parts.settings = "code_folder=";
    if (!code.empty()) parts.settings += shellPath(code);  // "~" is the home of who runs the job
    parts.begin = withoutLastLineFeed(std::string(kProgramBegin));
    parts.enter = withoutLastLineFeed(std::string(kProgramEnter));
    parts.start = R"("${command[@]}")";
    parts.forward = ":";  // Slurm's own signals reach the step
    const std::string markEnd =
        program.resume ? withoutLastLineFeed(std::string(kProgramRequeue)) : "mark end \"$code\"";
    parts.end = withoutLastLineFeed(fill(kProgramEnd, {{"MARK_END", markEnd}}));
    if (program.resume || sampling) parts.begin += "\n" + withoutLastLineFeed(std::string(kProgramPaths));
    if (program.resume) addResume(parts, *program.resume);
    if (sampling) {
        std::vector<std::string> words;
        for (const auto& word : sweep::samplingWords(*sampling)) words.push_back(sweep::shellWord(word));
        parts.sampling = {sweep::sampledCheckpoints(*sampling, program), join(words, " "), code,
                          sweep::samplingResources(*sampling, resources)};
    }
    parts.startsItsRanks = program.start != sweep::Start::Tasks;
    if (sweep::startsOnEachNode(program, resources))
        addRanks(parts, program, resources);
    else
        parts.onFirstNode = resources.nodes > 1;
    return parts;
}

}  // namespace dailies::remote
