#include "remote/job_script/script_edit.h"

#include "core/base/error.h"
#include "core/base/text.h"
#include "remote/job_script/three_way_merge.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <string_view>

namespace dailies::remote {

namespace {

/// A line as the shell sees it: without its indentation, with those that it goes on in.
struct Line {
    std::size_t number = 0;
    std::string text;
};

std::vector<Line> linesOf(const std::string& script) {
    std::vector<Line> lines;
    std::size_t number = 0;
    bool goesOn = false;
    for (const std::string& physical : split(script, '\n')) {
        ++number;
        std::string text = trim(std::string(physical));
        const bool more = text.ends_with('\\') && !text.starts_with('#');
        if (more) text = trim(text.substr(0, text.size() - 1));
        if (goesOn)
            lines.back().text += " " + text;
        else
            lines.push_back({number, text});
        goesOn = more;
    }
    return lines;
}

struct Needed {
    std::string_view begins;
    std::string_view why;
    bool valueIsFree = false;  ///< of an assignment: it is looked at by itself, or may be changed
};

constexpr std::string_view kFolder = "it is how Dailies finds the run's folder";
constexpr std::string_view kOnce = "it keeps a second submission from running the sweep twice";
constexpr std::string_view kRead = "it is how Dailies learns what became of the run";
constexpr std::string_view kAsked = "it passes on the request to write a checkpoint and stop";
constexpr std::string_view kStarts = "(echo \"$BASHPID\"; exec srun ";
constexpr std::string_view kStep = "it starts the program and keeps its exit status";

/// In their order. Each is taken from the generated script, so that this says only how it begins.
constexpr std::array kNeeded = {
    Needed{"workspace=", kFolder, true},
    Needed{"sweep_id=", kFolder, true},
    Needed{"program=", kStep, true},
    Needed{"code_folder=", kStep, true},
    Needed{"sweep=$workspace", kFolder},
    Needed{"job=${SLURM_ARRAY_JOB_ID}", kRead},
    Needed{"restarts=", kRead},
    Needed{"ln -s \"$SLURM_ARRAY_JOB_ID\"", kOnce},
    Needed{"owner=", kOnce},
    Needed{"if [ \"$owner\" !=", kOnce},
    Needed{"run_id=$(awk", kFolder},
    Needed{"run=$workspace", kFolder},
    Needed{"mkdir -p \"$run/logs\"", "it creates the folder of the run's log"},
    Needed{"mark() {", kRead},
    Needed{"printf '%s\\t", kRead},
    Needed{"mark start ''", kRead},
    Needed{"step=", kAsked},
    Needed{"forward() {", kAsked},
    Needed{"trap 'near_limit=1; forward' USR1", kAsked},
    Needed{"trap forward TERM", kAsked},
    Needed{". \"$run/command.sh\"", kStep},
    Needed{"exec 4>&1", kStep},
    Needed{"exec 3< <(", kStep},
    Needed{"trap : USR1 TERM", kAsked},
    Needed{kStarts, kStep},
    Needed{"echo $?", kStep},
    Needed{"read -r -u 3 step", kStep},
    Needed{"read -r -u 3 code || break", kStep},
    Needed{"read -r -t 10 -u 3 code && continue", kStep},
    Needed{"mark end \"$code\"", kRead},
    Needed{"exit \"$code\"", "it is how Slurm learns how the run ended"},
};

/// "#SBATCH --mem=", "program=": what makes two lines tell the same thing; empty for any other line.
std::string keyOf(std::string_view line) {
    constexpr std::string_view kDirective = "#SBATCH --", kLetters = "abcdefghijklmnopqrstuvwxyz_-";
    const std::size_t begin = line.starts_with(kDirective) ? kDirective.size() : 0;
    const auto end = line.find_first_not_of(kLetters, begin);
    if (end == begin || (begin == 0 && (end == std::string_view::npos || line[end] != '='))) return {};
    return std::string(line.substr(0, end == std::string_view::npos ? end : end + 1));
}

/// What starts the program in that line; srun's options, and words before and after it, are free.
std::string programCall(const std::string& line) {
    static const std::regex call(R"re("\$program" \S+ --config "\$run/config\.json"|"\$\{command\[@\]\}")re");
    std::smatch match;
    return std::regex_search(line, match, call) ? match.str() : std::string();
}

class Check {
public:
    Check(const std::string& text, const std::string& generated, const std::string& workspace)
        : m_lines(linesOf(text)), m_generated(linesOf(generated)), m_workspace(workspace) {}

    std::vector<ScriptProblem> problems() {
        checkShell();
        checkDirective("--array", "-a", [this](const std::string& line) { return sameTasks(line); });
        checkDirective("--signal", "", [](const std::string& line) {
            static const std::regex signal(R"(#SBATCH --signal=B:USR1@[1-9]\d*)");
            return std::regex_match(line, signal);
        });
        static const std::regex id(R"(#SBATCH --comment=[0-9a-f]{32})");
        checkDirective("--comment", "", [](const std::string& line) { return std::regex_match(line, id); });
        static const std::regex folder(R"(#SBATCH --chdir=".*/sweeps/[0-9a-f]{32}")");
        checkDirective("--chdir", "-D",
                       [](const std::string& line) { return std::regex_match(line, folder); });
        checkBody();
        return std::move(m_problems);
    }

private:
    void add(const Line& line, const std::string& expected, const std::string& why) {
        m_problems.push_back({line.number,
                              "Line " + std::to_string(line.number) + " of the script: found " +
                                  sanitizedText(line.text) + ", expected " + expected + ".",
                              "The line is needed: " + why + "."});
    }
    void addMissing(const std::string& expected, std::size_t after, const std::string& why) {
        m_problems.push_back({0, "The script is missing the line " + expected + ": " + why + ".",
                              "Put it back after line " + std::to_string(after) + "."});
    }

    void checkShell() {
        const bool bash = !m_lines.empty() && m_lines.front().text.starts_with("#!") &&
                          m_lines.front().text.find("bash") != std::string::npos;
        if (!bash)
            add(m_lines.empty() ? Line{1, {}} : m_lines.front(), "#!/bin/bash",
                "the script is a bash script");
    }

    /// Slurm reads directives only above the first command.
    std::size_t headLines() const {
        const auto command = std::ranges::find_if(
            m_lines, [](const Line& line) { return !line.text.empty() && !line.text.starts_with('#'); });
        return static_cast<std::size_t>(command - m_lines.begin());
    }

    static bool gives(const std::string& line, const std::string& option, const std::string& brief) {
        if (!line.starts_with("#SBATCH")) return false;
        const auto has = [&](const std::string& word) {
            const auto at = line.find(" " + word);
            const auto end = at + 1 + word.size();
            return at != std::string::npos &&
                   (end >= line.size() || word.size() == 2 || line[end] == '=' || line[end] == ' ');
        };
        return has(option) || (!brief.empty() && has(brief));
    }

    template <typename Sound>
    void checkDirective(const std::string& option, const std::string& brief, Sound sound) {
        const auto head = headLines();
        const auto wanted =
            std::ranges::find_if(m_generated, [&](const Line& l) { return gives(l.text, option, brief); });
        if (wanted == m_generated.end()) return;
        const std::string why = option == "--array" ? "each task of the array is a run of the sweep"
                                : option == "--signal"
                                    ? "it asks the trainer for a checkpoint before the time limit"
                                : option == "--comment" ? "it is how a job is found again"
                                                        : std::string(kFolder);
        std::size_t seen = 0;
        for (std::size_t i = 0; i < m_lines.size(); ++i) {
            const Line& line = m_lines[i];
            if (!gives(line.text, option, brief)) continue;
            if (i >= head) {
                m_problems.push_back({line.number,
                                      "Line " + std::to_string(line.number) + " of the script, " +
                                          sanitizedText(line.text) +
                                          ", comes after a command, where Slurm ignores it.",
                                      "Put it among the first lines."});
            } else if (++seen > 1) {
                add(line, "nothing there, because a line above gives " + option + " already", why);
            } else if (!sound(line.text)) {
                add(line, wanted->text, why);
            }
            if (i >= head) ++seen;
        }
        if (seen == 0) addMissing(wanted->text, 1, why);
    }

    /// The same tasks; how many run at once is free.
    bool sameTasks(const std::string& line) const {
        static const std::regex array(R"(#SBATCH --array=(\d+(?:-\d+)?)(%[1-9]\d*)?)");
        std::smatch mine, theirs;
        if (!std::regex_match(line, mine, array)) return false;
        for (const Line& wanted : m_generated)
            if (std::regex_match(wanted.text, theirs, array)) return mine[1] == theirs[1];
        return true;
    }

    bool soundValue(const Needed& needed, const std::string& line, const std::string& wanted) const {
        if (needed.begins == "workspace=") {
            // without a connection nobody knows what ~ is there
            const bool known = wanted.find('~') == std::string::npos && wanted.find('$') == std::string::npos;
            return !known || line == wanted || line == "workspace=" + shellQuote(m_workspace);
        }
        static const std::regex id(R"(sweep_id='?[0-9a-f]{32}'?)");
        return needed.begins == "sweep_id=" ? std::regex_match(line, id) : line.size() > needed.begins.size();
    }

    bool matches(const Needed& needed, const std::string& line, const std::string& wanted) const {
        if (needed.valueIsFree) return line.starts_with(needed.begins) && soundValue(needed, line, wanted);
        if (needed.begins != kStarts) return line == wanted;
        return line.starts_with(kStarts) && line.find(programCall(wanted)) != std::string::npos &&
               line.ends_with(">&4)");
    }

    void checkBody() {
        std::size_t at = 0, atGenerated = 0;
        for (const Needed& needed : kNeeded) {
            std::size_t wanted = atGenerated;
            while (wanted < m_generated.size() && !m_generated[wanted].text.starts_with(needed.begins))
                ++wanted;
            if (wanted == m_generated.size()) continue;  // a script of a kind that has no such line
            atGenerated = wanted + 1;
            if (const auto found = find(needed, m_generated[wanted].text, at))
                at = *found + 1;
            else
                addBroken(needed, m_generated[wanted].text, at);
        }
    }

    std::optional<std::size_t> find(const Needed& needed, const std::string& wanted, std::size_t from) const {
        for (std::size_t i = from; i < m_lines.size(); ++i)
            if (matches(needed, m_lines[i].text, wanted)) return i;
        return std::nullopt;
    }

    void addBroken(const Needed& needed, const std::string& wanted, std::size_t after) {
        const bool starts = needed.begins == kStarts;
        const std::string call = starts ? programCall(wanted) : std::string();
        const auto key = keyOf(wanted);
        const auto meant = [&](const std::string& text) {
            if (starts && !text.starts_with('#') && text.find("srun ") != std::string::npos) return true;
            return text.starts_with(needed.begins) || (!key.empty() && text.starts_with(key));
        };
        for (std::size_t i = after; i < m_lines.size(); ++i)
            if (meant(m_lines[i].text))
                return add(m_lines[i], starts ? std::string(kStarts) + "… " + call + " >&4)" : wanted,
                           std::string(needed.why));
        if (const auto early = find(needed, wanted, 0))
            return add(m_lines[*early], "it only after line " + std::to_string(lineBefore(after)),
                       std::string(needed.why));
        addMissing(wanted, lineBefore(after), std::string(needed.why));
    }
    std::size_t lineBefore(std::size_t at) const { return at == 0 ? 0 : m_lines[at - 1].number; }

    std::vector<Line> m_lines, m_generated;
    std::string m_workspace;
    std::vector<ScriptProblem> m_problems;
};

/// Lines that come out otherwise with each launch, and whose values are not a person's to choose.
bool isFilledIn(const std::string& line) {
    for (const char* begins : {"#SBATCH --comment=", "#SBATCH --chdir=", "workspace=", "sweep_id="})
        if (line.starts_with(begins)) return true;
    // code that was uploaded or cloned, under its hash
    static const std::regex brought(R"(code_folder='?.*/code/[0-9a-f]{16,64}(/.*)?'?)");
    if (std::regex_match(line, brought)) return true;
    if (!line.starts_with("program=")) return false;
    constexpr std::string_view kBuilt = "/build/bin/dailies-train";
    const std::string_view value = std::string_view(line).substr(0, line.find_last_not_of('\'') + 1);
    return value.ends_with(kBuilt) && value.find("/trainer/") != std::string_view::npos;
}

/// The lines that have a key, by it; without those of which there are several.
std::map<std::string, std::string> byKey(const std::vector<std::string>& lines) {
    std::map<std::string, std::string> found;
    std::set<std::string> several;
    for (const auto& line : lines)
        if (const auto key = keyOf(line); !key.empty() && !found.emplace(key, line).second)
            several.insert(key);
    for (const auto& key : several) found.erase(key);
    return found;
}

bool isDependency(const std::string& line) {
    return line.starts_with("#SBATCH --dependency=") || line == "#SBATCH --kill-on-invalid-dep=yes";
}

std::string withoutReturns(const std::string& text) {
    std::string clean;
    for (const char c : text)
        if (c != '\r') clean += c;
    if (!clean.ends_with('\n')) clean += '\n';
    return clean;
}

}  // namespace

std::vector<ScriptProblem> validateScript(const std::string& text, const std::string& generated,
                                          const std::string& workspace) {
    return Check(text, generated, workspace).problems();
}

std::string applyEdit(const ScriptEdit& edit, const std::string& generated, const std::string& workspace) {
    const std::string text =
        withoutReturns(edit.from.empty() ? edit.text : rebaseEdit(edit, generated).edit.text);
    if (const auto problems = validateScript(text, generated, workspace); !problems.empty())
        throw InputError(problems.front().found, problems.front().remedy);
    const auto fresh = split(generated, '\n');
    const auto values = byKey(fresh);
    const bool waits = std::ranges::any_of(fresh, isDependency);
    std::string script;
    for (const std::string& line : split(text.substr(0, text.size() - 1), '\n')) {
        if (waits && isDependency(line)) continue;
        const std::string bare = trim(std::string(line));
        script += (isFilledIn(bare) ? values.at(keyOf(bare)) : line) + "\n";
        if (!waits || !line.starts_with("#SBATCH --array=")) continue;
        for (const std::string& dependency : fresh)
            if (isDependency(dependency)) script += dependency + "\n";
    }
    return script;
}

RebasedEdit rebaseEdit(const ScriptEdit& edit, const std::string& generated) {
    // Line by line first: neighbours of a changed line would be conflicts otherwise.
    auto base = split(edit.from, '\n'), mine = split(edit.text, '\n');
    const auto was = byKey(base), now = byKey(split(generated, '\n'));
    for (auto& line : base) {
        const auto key = keyOf(line);
        const auto same = std::ranges::find(mine, line);
        if (!was.contains(key) || !now.contains(key) || same == mine.end()) continue;
        *same = now.at(key);
        line = now.at(key);
    }
    const auto merged = mergeLines(join(base, "\n"), join(mine, "\n"), generated);
    return {{merged.text, generated}, merged.conflicts};
}

}  // namespace dailies::remote
