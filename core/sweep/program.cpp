#include "core/sweep/program.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace dailies::sweep {

namespace {

constexpr std::array kStarts = {
    std::pair{std::string_view("process"), Start::Process},
    std::pair{std::string_view("torchrun"), Start::Torchrun},
    std::pair{std::string_view("accelerate"), Start::Accelerate},
    std::pair{std::string_view("deepspeed"), Start::Deepspeed},
    std::pair{std::string_view("tasks"), Start::Tasks},
};

/// "configs/base", "run.sh" and "--config=base.yaml"; not "0.5", "/data/base.yaml" and
/// "${run_dir}/base.yaml".
bool namesRelativeFile(std::string_view word) {
    if (word.starts_with('-')) word.remove_prefix(std::min(word.find('=') + 1, word.size()));
    if (word.empty() || word.starts_with('-') || word.starts_with('/') || word.starts_with('~') ||
        word.starts_with("${"))
        return false;
    const auto dot = word.rfind('.');
    if (word.find('/') != std::string_view::npos) return true;
    if (dot == std::string_view::npos || dot + 1 == word.size()) return false;
    const auto isLetterOrDigit = [](unsigned char c) { return std::isalnum(c) != 0; };
    return std::isalpha(static_cast<unsigned char>(word[dot + 1])) != 0 &&
           std::ranges::all_of(word.substr(dot + 1), isLetterOrDigit);
}

}  // namespace

const std::vector<std::string>& defaultCommand() {
    static const std::vector<std::string> words = {"${env}", "${interpreter}", "${program}", "${args}"};
    return words;
}

const std::vector<std::string>& commandOf(const Program& program) {
    return program.command.empty() ? defaultCommand() : program.command;
}

std::string nameOf(const Program& program) {
    if (!program.file.empty()) return program.file;
    std::string first;
    for (std::size_t i = 0; i < program.command.size(); ++i) {
        const std::string& word = program.command[i];
        if (word == "-m" && i + 1 < program.command.size()) return program.command[i + 1];
        if (word.starts_with("${")) continue;
        if (word.ends_with(".py")) return word;
        if (first.empty()) first = word;
    }
    return first;
}

bool isInstalled(const Program& program) {
    if (!program.file.empty()) return false;
    const auto& words = commandOf(program);
    return std::ranges::none_of(words, [&](const std::string& word) {
        const bool isModule = &word != words.data() && *(&word - 1) == "-m";
        return !isModule && namesRelativeFile(word);
    });
}

std::optional<Start> startFromName(std::string_view name) {
    const auto* const found = std::ranges::find(kStarts, name, &decltype(kStarts)::value_type::first);
    return found == kStarts.end() ? std::nullopt : std::optional(found->second);
}

std::string_view nameOf(Start start) {
    return std::ranges::find(kStarts, start, &decltype(kStarts)::value_type::second)->first;
}

std::vector<std::string> startNames() {
    std::vector<std::string> names;
    for (const auto& [name, start] : kStarts) names.emplace_back(name);
    return names;
}

bool startsLauncherItself(const Program& program) {
    const auto isLauncherWord = [](std::string_view word) {
        const auto name = word.substr(word.rfind('/') + 1);
        return name == "torchrun" || name == "accelerate" || name == "deepspeed" ||
               word.starts_with("torch.distributed.") || word.starts_with("accelerate.commands.");
    };
    const auto& words = commandOf(program);
    const auto isProgram = [](const std::string& word) {
        return word == "${program}" || word.ends_with(".py");
    };
    // what stands behind the program is for the program
    return std::any_of(words.begin(), std::ranges::find_if(words, isProgram), isLauncherWord);
}

const std::vector<Resume>& resumePresets() {
    using Way = StopRequest::Way;
    static const std::vector<Resume> presets = {
        // asks dailies.should_stop() of our dailies.py, and takes its newest checkpoint by itself
        {.preset = "dailies", .stop = {Way::File, "dailies.stop"}},
        // "latest" with none there starts anew
        {.preset = "diffusers",
         .arguments = {"--resume_from_checkpoint=latest"},
         .checkpoints = "checkpoint-*",
         .always = true},
        // Takes the last folder of its output_dir, by name, and fails where that has no checkpoint, so the
        // folder must be its own. Polls for the file in the folder of that name.
        {.preset = "diffusion-pipe",
         .arguments = {"--resume_from_checkpoint"},
         .checkpoints = "output/*/latest",
         .stop = {Way::File, "output/*/save_quit"}},
        {.preset = "musubi", .arguments = {"--resume=${checkpoint}"}, .checkpoints = "*-state"},
        {.preset = "transformers",
         .arguments = {"--resume_from_checkpoint=${checkpoint}"},
         .checkpoints = "checkpoint-*"},
        // takes its newest checkpoint by itself
        {.preset = "torchtitan", .checkpoints = "checkpoint/step-*"},
        // answers USR1 by hpc_ckpt_N.ckpt, which it takes by itself, and by requeueing its job
        {.preset = "lightning", .stop = {Way::Signal, "USR1"}, .requeuesItself = true},
        {.preset = "fastvideo",
         .arguments = {"--resume-from-checkpoint=${checkpoint}"},
         .checkpoints = "checkpoint-*"},
    };
    return presets;
}

}  // namespace dailies::sweep
