#include "remote/ssh/script_name.h"

#include "core/base/text.h"

#include <algorithm>
#include <cctype>

namespace dailies::remote::ssh {

namespace {

constexpr std::size_t kLongestName = 120;

/// How long the name of the variable is that a line begins by setting; 0: it sets none.
std::size_t assigned(std::string_view line) {
    std::size_t end = 0;
    while (end < line.size() && (std::isalnum(static_cast<unsigned char>(line[end])) || line[end] == '_'))
        ++end;
    return end > 0 && end < line.size() && line[end] == '=' ? end : 0;
}

/// Without the values of what it sets, wherever in it.
std::string withoutValues(std::string_view line) {
    for (std::size_t at = 0; at < line.size(); ++at) {
        const bool wordBegins = at == 0 || line[at - 1] == ' ' || line[at - 1] == ';';
        if (const auto name = wordBegins ? assigned(line.substr(at)) : 0)
            return std::string(line.substr(0, at + name + 1)) + "…";
    }
    return std::string(line);
}

/// Whether what was quoted on this line goes on in the next, which then is no command.
bool isOpen(std::string_view line) {
    return std::ranges::count(line, '\'') % 2 != 0 || std::ranges::count(line, '"') % 2 != 0 ||
           line.ends_with('\\');
}

bool isPreparation(std::string_view line) {
    return line.empty() || line.starts_with("set -") || line.starts_with("umask ") ||
           line.ends_with("() {") || line.starts_with("export ") || line.starts_with("unset ");
}

}  // namespace

std::string scriptName(std::string_view script) {
    std::string first;
    for (std::size_t at = 0; at < script.size();) {
        const auto end = std::min(script.find('\n', at), script.size());
        auto line = trim(script.substr(at, end - at));
        at = end + 1;
        if (line.starts_with("# ")) return std::string(line.substr(2, kLongestName));
        // "rows=$(squeue …" does what squeue does.
        if (const auto name = assigned(line); name > 0 && line.substr(name + 1).starts_with("$("))
            line.remove_prefix(name + 3);
        const bool prepares = isPreparation(line) || assigned(line) > 0;
        if (first.empty() || !prepares) first = withoutValues(line);
        if (!prepares || isOpen(line)) break;
    }
    return first.substr(0, kLongestName);
}

std::string nameComment(const std::string& name) {
    std::string line = "# " + name + "\n";
    std::replace(line.begin(), line.end() - 1, '\n', ' ');
    return line;
}

}  // namespace dailies::remote::ssh
