#include "core/sweep/command.h"

#include "core/base/text.h"
#include "core/sweep/python_text.h"

#include <algorithm>
#include <cctype>
#include <optional>

namespace dailies::sweep {

namespace {

constexpr const char* kJsonFile = "parameters.json";
constexpr std::string_view kVariable = "${envvar:";

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
    return names;
}

bool isMacro(std::string_view word) {
    return word.starts_with("${") && word.ends_with("}") && !word.starts_with(kVariable);
}

/// A listed number as the file spells it, all else as Python would.
std::string textOf(const Parameter& parameter, const Json& value) {
    const auto at = std::ranges::find(parameter.values, value);
    const auto index = static_cast<std::size_t>(at - parameter.values.begin());
    if (index < parameter.spellings.size() && !parameter.spellings[index].empty())
        return parameter.spellings[index];
    return pythonText(value);
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
        std::size_t prefix = parameter.groups.front().size() + 1;
        for (std::size_t i = 1; i < parameter.groups.size(); ++i) {
            inside = &(*inside)[parameter.groups[i]];
            prefix += parameter.groups[i].size() + 1;
        }
        (*inside)[parameter.key.substr(prefix)] = value;
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

CommandWord withVariables(const std::string& text) {
    CommandWord word;
    std::string plain;
    for (std::size_t at = 0; at < text.size();) {
        const auto end =
            text.compare(at, kVariable.size(), kVariable) == 0 ? text.find('}', at) : std::string::npos;
        const auto nameAt = at + kVariable.size();
        if (end == std::string::npos || !isVariableName(text.substr(nameAt, end - nameAt))) {
            plain += text[at++];
            continue;
        }
        if (!plain.empty()) word.parts.push_back({std::move(plain), false});
        plain.clear();
        if (end > nameAt) word.parts.push_back({text.substr(nameAt, end - nameAt), true});
        at = end + 1;
    }
    if (!plain.empty() || word.parts.empty()) word.parts.push_back({std::move(plain), false});
    return word;
}

}  // namespace

std::string shownWord(const CommandWord& word) {
    std::string shown;
    for (const auto& part : word.parts) shown += part.isVariable ? "${envvar:" + part.text + "}" : part.text;
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
    const auto arguments = argumentsOf(sweep, run.drawn, false);
    RunCommand command;
    for (const std::string& word : commandOf(program)) {
        if (const auto* const macro = findArgumentMacro(word)) {
            std::vector<std::string> words;
            for (const auto& argument : arguments) macro->write(argument, words);
            for (auto& text : words) command.words.push_back(literal(std::move(text)));
        } else if (word == "${args_json}") {
            command.words.push_back(literal(pythonJson(objectOf(argumentsOf(sweep, run.drawn, true)))));
        } else if (word == "${args_json_file}") {
            command.files[kJsonFile] = pythonJson(objectOf(argumentsOf(sweep, run.drawn, true))) + "\n";
            command.words.push_back({{{kRunFolderVariable, true}, {std::string("/") + kJsonFile, false}}});
        } else if (word == "${env}") {
            command.words.push_back(literal("/usr/bin/env"));
        } else if (word == "${interpreter}") {
            command.words.push_back(literal("python"));
        } else if (word == "${program}") {
            command.words.push_back(literal(program.file));
        } else {
            command.words.push_back(withVariables(word));
        }
    }
    return command;
}

std::string commandProblem(const Program& program) {
    const auto& words = commandOf(program);
    const std::string example = "command: [${env}, ${interpreter}, ${program}, ${args}]";
    const auto names = macroNames();
    for (const std::string& word : words) {
        if (!isMacro(word) || std::ranges::find(names, word) != names.end()) continue;
        const std::string meant = nearestWord(word, names);
        return "command: found " + sanitizedText(word) + ", expected one of: " + join(names, ", ") +
               ", ${envvar:NAME}" + (meant.empty() ? "." : "; did you mean " + meant + "?") +
               " W&B leaves such a word out without a word.";
    }
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

std::vector<std::string> commandNotices(const Sweep& sweep) {
    std::vector<std::string> notices;
    const auto& words = commandOf(*sweep.program);
    const auto names = macroNames();
    for (const std::string& word : words) {
        if (isMacro(word)) continue;
        for (const std::string& name : names)
            if (word.find(name) != std::string::npos)
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
    if (!sweep.parameters.empty() && std::ranges::none_of(words, carriesParameters))
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
