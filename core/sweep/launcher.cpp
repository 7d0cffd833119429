#include "core/sweep/launcher.h"

#include <algorithm>
#include <utility>

namespace dailies::sweep {

namespace {

bool isInterpreter(std::string_view word) {
    return word == "${env}" || word == "${interpreter}" || word == "-u" ||
           word.substr(word.rfind('/') + 1).starts_with("python");
}

int ranksOf(const Resources& resources) {
    return std::max(resources.ranksPerNode, 1);
}

/// How each launcher is told what it starts.
const char* flagOf(Start start, LaunchedWords::Kind kind) {
    using enum LaunchedWords::Kind;
    if (kind == Script) return nullptr;
    if (kind == Module) return start == Start::Deepspeed ? "--module" : "-m";
    return start == Start::Torchrun ? "--no-python" : "--no_python";
}

std::vector<std::string> torchrun(const Resources& resources) {
    return {"torchrun",
            "--nnodes=${envvar:SLURM_NNODES}",
            "--nproc-per-node=" + std::to_string(ranksOf(resources)),
            "--rdzv-id=${envvar:SLURM_JOB_ID}",
            "--rdzv-backend=c10d",
            "--rdzv-endpoint=${envvar:MASTER_ADDR}:${envvar:MASTER_PORT}"};
}

std::vector<std::string> accelerate(const Resources& resources) {
    const int nodes = std::max(resources.nodes, 1);
    std::vector<std::string> words = {"accelerate",
                                      "launch",
                                      "--num_machines=" + std::to_string(nodes),
                                      "--num_processes=" + std::to_string(nodes * ranksOf(resources)),
                                      "--machine_rank=${envvar:SLURM_NODEID}",
                                      "--main_process_ip=${envvar:MASTER_ADDR}",
                                      "--main_process_port=${envvar:MASTER_PORT}",
                                      "--rdzv_backend=c10d"};
    // It finds out by itself where a node has several GPUs. Said there, it would override a person's config.
    if (nodes > 1 && ranksOf(resources) == 1 && resources.gpusPerNode > 0) words.emplace_back("--multi_gpu");
    return words;
}

std::vector<std::string> deepspeed(const Program& program, const Resources& resources) {
    if (!needsHostFile(program, resources))
        return {"deepspeed", "--num_gpus=" + std::to_string(ranksOf(resources)),
                "--master_port=${envvar:MASTER_PORT}"};
    return {"deepspeed",
            std::string("--hostfile=${run_dir}/") + kHostFile,
            "--no_ssh",
            "--node_rank=${envvar:SLURM_NODEID}",
            "--master_addr=${envvar:MASTER_ADDR}",
            "--master_port=${envvar:MASTER_PORT}"};
}

}  // namespace

LaunchedWords launchedWords(const Program& program) {
    using enum LaunchedWords::Kind;
    const auto& words = commandOf(program);
    const auto at = std::ranges::find(words, "${program}");
    const bool isModule = at != words.begin() && at != words.end() && *(at - 1) == "-m";
    if (at == words.end() || !std::all_of(words.begin(), isModule ? at - 1 : at, isInterpreter)) return {};
    return {isModule ? Module : Script, static_cast<std::size_t>(at - words.begin())};
}

std::vector<std::string> launcherWords(const Program& program, const Resources& resources) {
    if (!isLauncher(program.start)) return {};
    auto words = program.start == Start::Torchrun     ? torchrun(resources)
                 : program.start == Start::Accelerate ? accelerate(resources)
                                                      : deepspeed(program, resources);
    if (const char* flag = flagOf(program.start, launchedWords(program).kind)) words.emplace_back(flag);
    return words;
}

bool startsOnEachNode(const Program& program, const Resources& resources) {
    return program.start != Start::Process || (resources.nodes > 1 && startsLauncherItself(program));
}

bool needsHostFile(const Program& program, const Resources& resources) {
    return program.start == Start::Deepspeed && resources.nodes > 1;
}

std::string startProblem(const Program& program) {
    if (program.start == Start::Process || !startsLauncherItself(program)) return {};
    return "start: found " + std::string(nameOf(program.start)) +
           ", but command starts a launcher by itself. Leave out start, which then runs the command once on "
           "each node, or the launcher's words.";
}

std::vector<std::string> startNotices(const Program& program, const Resources& resources) {
    std::vector<std::string> notices;
    const std::string ranks = std::to_string(ranksOf(resources)), nodes = std::to_string(resources.nodes);
    const std::string instead = "start: torchrun, accelerate, deepspeed or tasks";
    if (program.start == Start::Process && !startsLauncherItself(program)) {
        if (resources.nodes > 1)
            notices.push_back("start: of the " + nodes + " nodes of a run the first alone is used, by one " +
                              "process. Write " + instead + " to use them all.");
        else if (ranksOf(resources) > 1)
            notices.push_back("start: one process has the CPUs and GPUs of " + ranks + " ranks. Write " +
                              instead + " to start that many.");
    }
    if (isLauncher(program.start) && launchedWords(program).kind == LaunchedWords::Kind::Command) {
        std::string sentence = "start: ";
        sentence += nameOf(program.start);
        sentence +=
            " is put in front of the whole command, because it is not an interpreter alone that stands "
            "before "
            "${program}.";
        notices.push_back(std::move(sentence));
    }
    if (program.start == Start::Accelerate && resources.gpusPerNode == 0 &&
        resources.nodes * ranksOf(resources) > 1)
        notices.emplace_back(
            "start: without GPUs accelerate launch starts one process on each node, whatever it "
            "is told. Set resources.gpus_per_node, or write start: torchrun.");
    return notices;
}

}  // namespace dailies::sweep
