#include "core/sweep/command.h"

#include "core/base/text.h"
#include "core/sweep/config_file.h"
#include "core/sweep/launcher.h"
#include "core/sweep/parameter.h"
#include "core/sweep/python_text.h"
#include "core/sweep/resources.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <span>
#include <utility>

namespace dailies::sweep {

namespace {

constexpr const char* kJsonFile = "parameters.json";
constexpr std::string_view kVariable = "${envvar:";
constexpr std::string_view kRunFolder = "${run_dir}", kCheckpoint = "${checkpoint}", kResume = "${resume}",
                           kConfigFile = "${config_file}", kStep = "${step}", kClips = "${clips}";

/// What may stand within a word, for a variable of the job.
struct Inside {
    std::string_view macro;
    const char* variable;
};
constexpr Inside kInCommand[] = {{kRunFolder, kRunFolderVariable}};
constexpr Inside kInResume[] = {{kRunFolder, kRunFolderVariable}, {kCheckpoint, kCheckpointVariable}};
constexpr Inside kInSampling[] = {{kRunFolder, kRunFolderVariable},
                                  {kCheckpoint, kCheckpointVariable},
                                  {kStep, kStepVariable},
                                  {kClips, kClipsVariable}};

/// One argument of the program, named as the macros of arguments write it.
struct Argument {
    std::string name;
    Json value;
    std::string text;
};

/// How one macro of arguments writes each of them.
struct ArgumentMacro {
    std::string_view name;
    void (*write)(const Argument& argument, std::vector<std::string>& words);
};

constexpr ArgumentMacro kArgumentMacros[] = {
    {"${args}", [](const Argument& a, auto& words) { words.push_back("--" + a.name + "=" + a.text); }},
    {"${args_no_equals}",
     [](const Argument& a, auto& words) {
         words.insert(words.end(), {"--" + a.name, a.text});
     }},
    {"${args_no_hyphens}", [](const Argument& a, auto& words) { words.push_back(a.name + "=" + a.text); }},
    {"${args_no_boolean_flags}",
     [](const Argument& a, auto& words) {
         if (!a.value.is_boolean())
             words.push_back("--" + a.name + "=" + a.text);
         else if (a.value.get<bool>())
             words.push_back("--" + a.name);
     }},
    {"${args_append_hydra}",
     [](const Argument& a, auto& words) { words.push_back("+" + a.name + "=" + a.text); }},
    {"${args_override_hydra}",
     [](const Argument& a, auto& words) { words.push_back("++" + a.name + "=" + a.text); }},
};

const ArgumentMacro* findArgumentMacro(std::string_view word) {
    const auto* const found = std::ranges::find(kArgumentMacros, word, &ArgumentMacro::name);
    return found == std::end(kArgumentMacros) ? nullptr : found;
}

bool carriesParameters(std::string_view word) {
    return findArgumentMacro(word) || word == "${args_json}" || word == "${args_json_file}";
}

std::vector<std::string> macroNames() {
    std::vector<std::string> names = {"${env}", "${interpreter}", "${program}"};
    for (const auto& macro : kArgumentMacros) names.emplace_back(macro.name);
    names.insert(names.end(), {"${args_json}", "${args_json_file}"});
    names.insert(names.end(), {std::string(kResume), std::string(kRunFolder), std::string(kConfigFile)});
    return names;
}

bool isMacro(std::string_view word) {
    return word.starts_with("${") && word.ends_with("}") && !word.starts_with(kVariable) &&
           !word.starts_with(kRunFolder) && !word.starts_with(kConfigFile);
}

/// A listed number as the file spells it, all else as Python would.
std::string textOf(const Parameter& parameter, const Json& value) {
    const auto at = std::ranges::find(parameter.values, value);
    const auto index = static_cast<std::size_t>(at - parameter.values.begin());
    const auto spelling = spellingOf(parameter, index);
    return spelling.empty() ? pythonText(value) : std::string(spelling);
}

/// The parameters as W&B hands them over: those of a group together, as one dict, unless the sweep wants them
/// dotted. `keepsNull`: in JSON a null is a value; an argument cannot say it.
std::vector<Argument> argumentsOf(const Sweep& sweep, const Json& drawn, bool keepsNull) {
    std::vector<Argument> arguments;
    for (const auto& parameter : sweep.parameters) {
        const Json& value = drawn.at(parameter.key);
        if (parameter.groups.empty() || sweep.program->dottedGroups) {
            if (keepsNull || !value.is_null())
                arguments.push_back({parameter.key, value, textOf(parameter, value)});
            continue;
        }
        auto group = std::ranges::find(arguments, parameter.groups.front(), &Argument::name);
        if (group == arguments.end())
            group = arguments.insert(group, {parameter.groups.front(), Json::object(), {}});
        Json* inside = &group->value;
        for (std::size_t i = 1; i < parameter.groups.size(); ++i) inside = &(*inside)[parameter.groups[i]];
        (*inside)[leafOf(parameter)] = value;
        group->text = pythonText(group->value);
    }
    return arguments;
}

Json objectOf(const std::vector<Argument>& arguments) {
    Json object = Json::object();
    for (const auto& argument : arguments) object[argument.name] = argument.value;
    return object;
}

CommandWord literal(std::string text) {
    return {{{std::move(text), false}}};
}

/// Of ${envvar:X}: capitals, digits and '_', as W&B's expression has it.
bool isVariableName(std::string_view name) {
    return std::ranges::all_of(
        name, [](unsigned char c) { return std::isupper(c) || std::isdigit(c) || c == '_'; });
}

CommandWord withVariables(const std::string& text, std::span<const Inside> known = kInCommand) {
    CommandWord word;
    std::string plain;
    const auto add = [&](std::string variable) {
        if (!plain.empty()) word.parts.push_back({std::exchange(plain, {}), false});
        word.parts.push_back({std::move(variable), true});
    };
    for (std::size_t at = 0; at < text.size();) {
        const auto inside = std::ranges::find_if(
            known, [&](const Inside& one) { return text.compare(at, one.macro.size(), one.macro) == 0; });
        if (inside != known.end()) {
            add(inside->variable);
            at += inside->macro.size();
            continue;
        }
        const auto end =
            text.compare(at, kVariable.size(), kVariable) == 0 ? text.find('}', at) : std::string::npos;
        const auto nameAt = at + kVariable.size();
        if (end == std::string::npos || !isVariableName(text.substr(nameAt, end - nameAt))) {
            plain += text[at++];
            continue;
        }
        if (end > nameAt) add(text.substr(nameAt, end - nameAt));
        at = end + 1;
    }
    if (!plain.empty() || word.parts.empty()) word.parts.push_back({std::move(plain), false});
    return word;
}

/// With the file's place where the macro stands.
std::string withConfigFile(std::string word, const Program& program) {
    if (!program.configFile) return word;
    const std::string place = std::string(kRunFolder) + "/" + nameInRun(*program.configFile);
    for (auto at = word.find(kConfigFile); at != std::string::npos;
         at = word.find(kConfigFile, at + place.size()))
        word.replace(at, kConfigFile.size(), place);
    return word;
}

/// The words of the command; those of `resume` among them or not. Puts what they refer to into `files`.
std::vector<CommandWord> wordsOf(const Sweep& sweep, const PlannedRun& run, bool resumes,
                                 std::map<std::string, std::string>& files) {
    const Program& program = *sweep.program;
    const auto arguments = argumentsOf(sweep, run.drawn, false);
    const auto& given = commandOf(program);
    std::vector<CommandWord> words;
    const auto addResume = [&] {
        if (!resumes) return;
        for (const auto& word : program.resume->arguments) words.push_back(withVariables(word, kInResume));
    };
    for (const auto& word : launcherWords(program, sweep.resources)) words.push_back(withVariables(word));
    for (std::size_t i = isLauncher(program.start) ? launchedWords(program).first : 0; i < given.size();
         ++i) {
        const std::string& word = given[i];
        if (const auto* const macro = findArgumentMacro(word)) {
            std::vector<std::string> written;
            for (const auto& argument : arguments) macro->write(argument, written);
            for (auto& text : written) words.push_back(literal(std::move(text)));
        } else if (word == "${args_json}") {
            words.push_back(literal(pythonJson(objectOf(argumentsOf(sweep, run.drawn, true)))));
        } else if (word == "${args_json_file}") {
            files[kJsonFile] = pythonJson(objectOf(argumentsOf(sweep, run.drawn, true))) + "\n";
            words.push_back({{{kRunFolderVariable, true}, {std::string("/") + kJsonFile, false}}});
        } else if (word == "${env}") {
            words.push_back(literal("/usr/bin/env"));
        } else if (word == "${interpreter}") {
            words.push_back(literal("python"));
        } else if (word == "${program}") {
            words.push_back(literal(program.file));
        } else if (word == kResume) {
            addResume();
        } else {
            words.push_back(withVariables(withConfigFile(word, program)));
        }
    }
    if (std::ranges::find(given, kResume) == given.end()) addResume();
    return words;
}

/// What is wrong with a word of `resume.arguments`.
std::string resumeProblem(const Resume& resume) {
    for (const std::string& word : resume.arguments) {
        if (isMacro(word) && word != kCheckpoint)
            return "resume.arguments: found " + sanitizedText(word) +
                   ", expected a word as the program takes it, with ${checkpoint}, ${run_dir} or "
                   "${envvar:NAME} in it.";
        if (word.find(kCheckpoint) == std::string::npos) continue;
        if (resume.checkpoints.empty())
            return "resume.checkpoints: found nothing, expected a pattern such as checkpoint-*, by which "
                   "${checkpoint} is found.";
        if (resume.always)
            return "resume.always: found true, expected false, because the first start has no checkpoint for "
                   "${checkpoint}.";
    }
    return {};
}

}  // namespace

std::string shownWord(const CommandWord& word) {
    std::string shown;
    for (const auto& part : word.parts) {
        const auto* const inside = std::ranges::find(kInSampling, part.text, &Inside::variable);
        if (!part.isVariable)
            shown += part.text;
        else if (inside != std::end(kInSampling))
            shown += inside->macro;
        else
            shown += "${envvar:" + part.text + "}";
    }
    return shown;
}

std::vector<std::string> shownWords(const std::vector<CommandWord>& words) {
    std::vector<std::string> shown;
    for (const auto& word : words) shown.push_back(shownWord(word));
    return shown;
}

std::string shellWord(const CommandWord& word) {
    std::string shell;
    for (const auto& part : word.parts)
        shell += part.isVariable ? "\"${" + part.text + "-" + part.text + "}\"" : shellQuote(part.text);
    return shell;
}

std::string commandLineWord(const std::string& word) {
    const bool plain = !word.empty() && std::ranges::all_of(word, [](unsigned char c) {
        return std::isalnum(c) ||
               std::string_view("_-+=./:,@%").find(static_cast<char>(c)) != std::string_view::npos;
    });
    // a dict of Python's is read more easily between the other quotes
    const bool isReadable =
        word.find('\'') != std::string::npos && word.find_first_of("\"$`\\!") == std::string::npos;
    return plain ? word : isReadable ? '"' + word + '"' : shellQuote(word);
}

RunCommand renderCommand(const Sweep& sweep, const PlannedRun& run) {
    const Program& program = *sweep.program;
    RunCommand command;
    const bool always = program.resume && program.resume->always;
    command.words = wordsOf(sweep, run, always, command.files);
    if (program.configFile && !program.configFile->text.empty())
        command.files[nameInRun(*program.configFile)] = renderConfigFile(*program.configFile, run.drawn);
    command.resumedWords = wordsOf(sweep, run, program.resume.has_value(), command.files);
    return command;
}

std::string sampledCheckpoints(const CheckpointSampling& sampling, const Program& program) {
    if (!sampling.checkpoints.empty()) return sampling.checkpoints;
    return program.resume ? program.resume->checkpoints : std::string();
}

Resources samplingResources(const CheckpointSampling& sampling, const Resources& ofRun) {
    return sampling.resources ? *sampling.resources : ofOneProcess(ofRun);
}

std::vector<CommandWord> samplingWords(const CheckpointSampling& sampling) {
    std::vector<CommandWord> words;
    for (const auto& word : sampling.command) words.push_back(withVariables(word, kInSampling));
    return words;
}

std::string samplingProblem(const CheckpointSampling& sampling, const Program& program) {
    const std::string key = "sample_checkpoints.";
    if (sampling.command.empty())
        return key +
               "command: found nothing, expected what samples a checkpoint, such as [python, "
               "generate.py, \"--lora=${checkpoint}\", \"--out=${clips}\"].";
    bool namesCheckpoint = false;
    for (const auto& word : sampling.command) {
        if (isMacro(word) && std::ranges::find(kInSampling, word, &Inside::macro) == std::end(kInSampling))
            return key + "command: found " + sanitizedText(word) +
                   ", expected a word as the program takes it, with ${checkpoint}, ${step}, ${clips}, "
                   "${run_dir} or ${envvar:NAME} in it.";
        namesCheckpoint = namesCheckpoint || word.find(kCheckpoint) != std::string::npos;
    }
    if (!namesCheckpoint)
        return key + "command: found no ${checkpoint} in it, by which it learns what to sample.";
    if (sampledCheckpoints(sampling, program).empty())
        return key +
               "checkpoints: found nothing, expected a pattern such as checkpoint-*, for resume names "
               "none.";
    return {};
}

namespace {

bool namesConfigFile(const std::vector<std::string>& words) {
    return std::ranges::any_of(
        words, [](const std::string& word) { return word.find(kConfigFile) != std::string::npos; });
}

}  // namespace

std::string commandProblem(const Program& program) {
    const auto& words = commandOf(program);
    if (auto problem = startProblem(program); !problem.empty()) return problem;
    const std::string example = "command: [${env}, ${interpreter}, ${program}, ${args}]";
    const auto names = macroNames();
    for (const std::string& word : words) {
        if (word.find(kCheckpoint) != std::string::npos)
            return "command: found " + sanitizedText(word) +
                   ", but a first start has no checkpoint. Put the word into resume.arguments, and ${resume} "
                   "in its place here.";
        if (!isMacro(word) || std::ranges::find(names, word) != names.end()) continue;
        const std::string meant = nearestWord(word, names);
        return "command: found " + sanitizedText(word) + ", expected one of: " + join(names, ", ") +
               ", ${envvar:NAME}" + (meant.empty() ? "." : "; did you mean " + meant + "?") +
               " W&B leaves such a word out without a word.";
    }
    if (program.resume)
        if (auto problem = resumeProblem(*program.resume); !problem.empty()) return problem;
    if (std::ranges::find(words, kResume) != words.end() && !program.resume)
        return "command: found ${resume}, but the sweep does not say how it resumes; add a line such as "
               "resume: {preset: diffusers}.";
    if (!program.configFile && namesConfigFile(words))
        return "command: found ${config_file}, but the sweep names no file; add a line such as config_file: "
               "examples/config.toml.";
    if (program.file.empty() && std::ranges::find(words, "${program}") != words.end())
        return program.command.empty()
                   ? "program: found nothing, expected the file that the runs start, such as train.py."
                   : "command: found ${program}, but the sweep names none; add a line such as program: "
                     "train.py.";
    const auto first = std::ranges::find_if(
        words, [](const auto& word) { return word != "${env}" && word != "${interpreter}"; });
    if (first == words.end()) return "command: found no program in it, expected one, as in " + example + ".";
    if (carriesParameters(*first))
        return "command: found " + *first +
               " where the program should be: the first argument would be "
               "started as one. Put the program in front, as in " +
               example + ".";
    return {};
}

std::vector<std::string> configFileNotices(const Sweep& sweep) {
    const auto& file = sweep.program->configFile;
    if (!file || file->text.empty()) return {};
    std::vector<std::string> keys, notices;
    for (const auto& parameter : sweep.parameters) keys.push_back(parameter.key);
    for (const auto& key : keysMissingIn(*file, keys))
        notices.push_back("config_file: " + sanitizedText(file->path) + " has no " + sanitizedText(key) +
                          "; it is added there.");
    return notices;
}

std::vector<std::string> commandNotices(const Sweep& sweep) {
    std::vector<std::string> notices;
    const auto& words = commandOf(*sweep.program);
    const auto names = macroNames();
    for (const std::string& word : words) {
        if (isMacro(word)) continue;
        for (const std::string& name : names)
            if (name != kRunFolder && name != kConfigFile && word.find(name) != std::string::npos)
                notices.push_back("command: " + sanitizedText(word) +
                                  " is passed as it is, because a macro "
                                  "is replaced only where it is the whole word. Make it two words, or write "
                                  "what you mean.");
        if (const auto at = word.find(kVariable); at != std::string::npos) {
            const auto nameAt = at + kVariable.size();
            const auto name = word.substr(nameAt, word.find('}', nameAt) - nameAt);
            if (!isVariableName(name))
                notices.push_back("command: " + sanitizedText(word) +
                                  " is passed as it is: ${envvar:…} takes "
                                  "names of capitals, digits and '_'.");
        } else if (word.find("&&") != std::string::npos || word.starts_with("~/") ||
                   word.find("$(") != std::string::npos ||
                   (word.find('$') != std::string::npos && word.find("${") == std::string::npos)) {
            notices.push_back("command: " + sanitizedText(word) +
                              " is passed as it is, because no shell reads "
                              "it. Use ${envvar:NAME} for a variable.");
        }
    }
    for (auto& sentence : startNotices(*sweep.program, sweep.resources))
        notices.push_back(std::move(sentence));
    const auto saysItsFolder = [](const std::string& word) {
        return word.find(kRunFolder) != std::string::npos ||
               word.find(kRunFolderVariable) != std::string::npos;
    };
    const auto& resume = sweep.program->resume;
    if (resume && !resume->checkpoints.empty() && !resume->checkpoints.starts_with('/') &&
        std::ranges::none_of(words, saysItsFolder))
        notices.push_back("resume.checkpoints: " + sanitizedText(resume->checkpoints) +
                          " is looked for in the folder of each run, which command does not name. Tell the "
                          "program to write there, as by --output_dir=${run_dir}, unless it reads " +
                          kRunFolderVariable + " itself.");
    if (resume && resume->stop.way == StopRequest::Way::Signal && resume->stop.what != "TERM" &&
        (isLauncher(sweep.program->start) || startsLauncherItself(*sweep.program)))
        notices.push_back("resume.stop: " + resume->stop.what +
                          " reaches the launcher, which may die of it, and not its ranks. Ask by a file, by "
                          "TERM, or start the ranks by start: tasks.");
    const auto& file = sweep.program->configFile;
    if (file && !namesConfigFile(words))
        notices.push_back("config_file has no effect: command has no ${config_file} in it.");
    for (auto& sentence : configFileNotices(sweep)) notices.push_back(std::move(sentence));
    if (!sweep.parameters.empty() && !file && std::ranges::none_of(words, carriesParameters))
        notices.push_back(
            "command passes no parameters to the program, for it has none of ${args}, ${args_json} "
            "and their like. A program that calls wandb.init() finds them in wandb.config.");
    return notices;
}

bool isArgumentName(const std::string& key) {
    const auto isInner = [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '.' || c == '-'; };
    return !key.empty() && (std::isalpha(static_cast<unsigned char>(key.front())) || key.front() == '_') &&
           std::ranges::all_of(key, isInner);
}

}  // namespace dailies::sweep
