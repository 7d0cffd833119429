#include "remote/program/own_program.h"

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/rules/source_rules.h"
#include "core/sweep/command.h"
#include "core/sweep/config_file.h"
#include "remote/cluster/remote_folder.h"
#include "remote/job_script/sbatch_text.h"
#include "remote/job_script/templates.h"
#include "remote/program/code_clone.h"
#include "remote/program/code_location.h"
#include "remote/program/code_upload.h"

#include <algorithm>

namespace dailies::remote {

namespace {

/// Shown where the folder is known only once the code was brought to the cluster.
constexpr const char* kFutureCode = "/code/VERSION";

std::string folderOf(const sweep::Sweep& sweep, const ReadyProgram& ready, const std::string& workspace) {
    if (!ready.path.empty()) return ready.path;
    using Place = sweep::Code::Place;
    const auto& code = sweep.program->code;
    if (code.place == Place::Unknown && isInstalled(*sweep.program)) return {};
    return code.place == Place::Cluster ? code.folder : workspace + kFutureCode;
}

/// The folder with "~" expanded. Throws `InputError` where it is not there.
std::string folderThere(Cluster& cluster, const std::string& named, std::stop_token stop) {
    const bool isBelowHome = named == "~" || named.starts_with("~/");
    const auto folder = isBelowHome ? resolveRemotePath(cluster.session(), named, stop) : named;
    if (!folder.starts_with('/'))
        throw InputError("code: found " + sanitizedText(folder) +
                         ", expected a folder that begins with / or ~.");
    if (!isRemoteFolder(cluster.session(), folder, stop))
        throw InputError("code: there is no folder " + sanitizedText(folder) + " on cluster '" +
                             cluster.profile().name + "'.",
                         "Name one that is there, or a folder of this machine, which is uploaded.");
    return folder;
}

void readConfigFileThere(Cluster& cluster, const std::string& folder, sweep::ConfigFile& file,
                         std::stop_token stop) {
    const std::string path = file.path.starts_with('/') ? file.path : folder + "/" + file.path;
    const auto read = cluster.session().run("cat -- " + shellQuote(path) + "\n", stop);
    if (!read.ok())
        throw InputError("config_file: " + sanitizedText(path) + " could not be read on cluster '" +
                             cluster.profile().name + "': " + sanitizedText(trim(read.err)) + ".",
                         "Name it from the folder of the code, or put it beside the sweep file.");
    file.text = read.out;
    checkConfigFile(file);
}

/// The code that was cloned into this folder, as it was asked for.
sweep::Code repositoryOf(const sweep::Code& cloned) {
    const auto commit = cloned.folder.find(cloned.commit + "/");
    return {
        sweep::Code::Place::Git,
        commit == std::string::npos ? std::string() : cloned.folder.substr(commit + cloned.commit.size() + 1),
        cloned.commit, cloned.repository};
}

/// A config.yaml of W&B's, in which a program that calls wandb.init() finds its parameters.
std::string wandbParameters(const Json& drawn) {
    std::string yaml = "wandb_version: 1\n";
    for (const auto& [key, value] : drawn.items())
        yaml += "\n" + Json(key).dump() +
                ":\n  value: " + value.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
    return yaml;
}

std::string commandArray(const std::vector<sweep::CommandWord>& words) {
    std::string script = "command=(\n";
    for (const auto& word : words) script += "    " + shellWord(word) + "\n";
    return script + ")\n";
}

/// Bash 5.2 would take an "&" in the folder's name for what was found. On several nodes each does this.
constexpr std::string_view kPlaceRunFolder = R"sh(shopt -u patsub_replacement 2>/dev/null
config=$(<"$DAILIES_RUN_DIR/@NAME@")
printf '%s\n' "${config//'${run_dir}'/$DAILIES_RUN_DIR}" >"$DAILIES_RUN_DIR/@NAME@.$SLURM_NODEID.${SLURM_LOCALID-}.new"
mv -f -- "$DAILIES_RUN_DIR/@NAME@.$SLURM_NODEID.${SLURM_LOCALID-}.new" "$DAILIES_RUN_DIR/@NAME@"
)sh";

/// What the job script reads the words from, in bash, with the variables of the node.
std::string commandScript(const sweep::Sweep& sweep, const sweep::RunCommand& command) {
    std::string script = "# How this run is started. Written by Dailies.\n";
    if (sweep.program->start == sweep::Start::Tasks)
        script +=
            "export RANK=$SLURM_PROCID LOCAL_RANK=$SLURM_LOCALID WORLD_SIZE=$SLURM_NTASKS "
            "LOCAL_WORLD_SIZE=" +
            std::to_string(std::max(sweep.resources.ranksPerNode, 1)) + "\n";
    if (sweep.program->configFile) {
        const std::string name = nameInRun(*sweep.program->configFile);
        if (const auto file = command.files.find(name);
            file != command.files.end() && file->second.find("${run_dir}") != std::string::npos)
            script += fill(kPlaceRunFolder, {{"NAME", name}});
    }
    script += commandArray(command.words);
    if (command.resumedWords != command.words)
        script += "if [ -n \"$DAILIES_RESUMES\" ]; then # from a checkpoint\n" +
                  commandArray(command.resumedWords) + "fi\n";
    return script;
}

}  // namespace

std::string OwnProgram::name(const sweep::Sweep& sweep) const {
    return nameOf(*sweep.program);
}

ReadyProgram OwnProgram::prepare(Cluster& cluster, sweep::Sweep& sweep, const Progress& progress,
                                 std::stop_token stop) const {
    using Place = sweep::Code::Place;
    auto& code = sweep.program->code;
    switch (code.place) {
        case Place::Local:
            code = uploadCode(cluster, name(sweep), code.folder, progress, stop);
            break;
        case Place::Git:
            code = cloneCode(cluster, code, progress, stop);
            break;
        case Place::Cluster:
            code.folder = folderThere(cluster, code.folder, stop);
            break;
        case Place::Unknown:
            if (isInstalled(*sweep.program)) return {};
            throw InputError(
                "code: found nothing, expected where " + sanitizedText(name(sweep)) + " is to be started.",
                "Name a folder: --code FOLDER of this machine, or --code cluster:FOLDER.");
    }
    if (auto& file = sweep.program->configFile; file && file->text.empty())
        readConfigFileThere(cluster, code.folder, *file, stop);
    return {{}, code.folder};
}

ReadyProgram OwnProgram::present(const std::string&) const {
    return {};
}

ReadyProgram OwnProgram::prepareAgain(Cluster& cluster, RepeatedLaunch& launch, std::stop_token stop) const {
    const auto& code = launch.sweep.program->code;
    const auto& folder = code.folder;
    if (code.place == sweep::Code::Place::Unknown) return {};
    if (!isRemoteFolder(cluster.session(), folder, stop)) {
        if (!code.repository.empty() && cloneCode(cluster, repositoryOf(code), {}, stop).folder == folder)
            return {{}, folder};
        throw InputError("The code of " + sanitizedText(name(launch.sweep)) +
                             " is gone from the cluster: there is no folder " + sanitizedText(folder) + ".",
                         "Launch its sweep file with the code that you mean.");
    }
    return {{}, folder};
}

ProgramParts OwnProgram::parts(const sweep::Sweep& sweep, const ReadyProgram& ready,
                               const std::string& workspace) const {
    return ownProgramParts(folderOf(sweep, ready, workspace), *sweep.program, sweep.resources,
                           sweep.sampleCheckpoints);
}

std::vector<std::string> OwnProgram::command(const sweep::Sweep& sweep, const sweep::PlannedRun& run,
                                             const ReadyProgram&, const std::string&) const {
    return shownWords(renderCommand(sweep, run).words);
}

std::map<std::string, std::string> OwnProgram::runFiles(const sweep::Sweep& sweep,
                                                        const sweep::PlannedRun& run) const {
    auto command = renderCommand(sweep, run);
    command.files["command.sh"] = commandScript(sweep, command);
    command.files["wandb_parameters.yaml"] = wandbParameters(run.drawn);
    return std::move(command.files);
}

std::map<std::string, std::string> OwnProgram::sweepFiles() const {
    return {{"dailies.py", std::string(kPythonModule)}};
}

std::map<std::string, std::string> OwnProgram::tags(const sweep::Sweep& sweep) const {
    const auto& code = sweep.program->code;
    std::map<std::string, std::string> tags = {{tracking::tag::kProgram, name(sweep)},
                                               {"mlflow.source.name", name(sweep)}};
    if (!code.folder.empty()) tags[tracking::tag::kCode] = code.folder;
    if (!code.commit.empty()) tags["mlflow.source.git.commit"] = code.commit;
    if (!code.repository.empty()) tags["mlflow.source.git.repoURL"] = code.repository;
    if (!sweep.program->sources.isEmpty())
        tags[tracking::tag::kSourceRules] = rules::toText(sweep.program->sources);
    return tags;
}

std::vector<ClusterFinding> OwnProgram::findings(const sweep::Sweep&) const {
    return {};
}

MemoryCheck OwnProgram::memory(const sweep::Sweep& sweep, const std::vector<sweep::PlannedRun>&,
                               const ClusterProfile&, const slurm::ClusterFacts*) const {
    return {planner::FitVerdict::unknown,
            "How much memory " + sanitizedText(name(sweep)) + " needs is not known.",
            {}};
}

std::optional<SweepStorage> OwnProgram::storage(const std::vector<sweep::PlannedRun>&, std::size_t) const {
    return std::nullopt;
}

bool OwnProgram::canBeAskedToStop(const sweep::Sweep& sweep) const {
    const auto& resume = sweep.program->resume;
    return resume && resume->stop.way != sweep::StopRequest::Way::None;
}

std::optional<std::int64_t> OwnProgram::steps(const tracking::Run&) const {
    return std::nullopt;
}

std::optional<std::int64_t> OwnProgram::plannedSteps(const Json&) const {
    return std::nullopt;
}

Json OwnProgram::configAgain(const tracking::Run&, Json planned) const {
    return planned;
}

Program::Predict OwnProgram::predictor(const sweep::Sweep&, const ClusterProfile&,
                                       const slurm::ClusterFacts&) const {
    return [](tracking::Run&, const Json&) {};
}

}  // namespace dailies::remote
