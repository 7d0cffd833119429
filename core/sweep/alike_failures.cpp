#include "core/sweep/alike_failures.h"

#include "core/base/text.h"

#include <algorithm>
#include <cctype>

namespace dailies::sweep {

namespace {

/// What tells one failure from another: times, process ids and addresses differ between any two runs.
std::string shapeOf(std::string_view text) {
    std::string shape;
    bool inNumber = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto c = static_cast<unsigned char>(text[i]);
        const bool digit = std::isdigit(c) || (inNumber && std::isxdigit(c)) || (inNumber && c == 'x');
        if (!digit)
            shape += text[i];
        else if (!inNumber)
            shape += '#';
        inNumber = digit;
    }
    return shape;
}

/// What srun says of any program that fails, before or behind that program's own last lines.
bool isSruns(std::string_view line) {
    return line.starts_with("srun: ") && (line.find("_step_signal") != std::string_view::npos ||
                                          line.find("Exited with exit code") != std::string_view::npos);
}

std::vector<std::string> linesOf(const std::string& log) {
    std::vector<std::string> lines;
    for (const std::string& line : split(log, '\n')) {
        const std::string_view written = trim(std::string_view(line));
        const auto shown = written.substr(written.rfind('\r') + 1);  // a progress bar's last state
        if (!shown.empty() && !isSruns(shown)) lines.push_back(sanitizedText(trim(shown)));
    }
    return lines;
}

}  // namespace

std::vector<EndedRun> firstRunsFailedAlike(std::vector<EndedRun> runs) {
    if (runs.size() < kAlikeFailures) return {};
    std::ranges::stable_sort(runs, {}, &EndedRun::endMs);
    runs.resize(kAlikeFailures);
    const auto shape = shapeOf(runs.front().reason);
    const bool alike = std::ranges::all_of(runs, [&](const EndedRun& run) {
        return run.failed && run.tookMs <= kFailedAtOnceMs && shapeOf(run.reason) == shape;
    });
    return alike ? runs : std::vector<EndedRun>{};
}

std::vector<std::string> sharedLastLines(const std::vector<std::string>& logs, std::size_t most) {
    if (logs.empty()) return {};
    std::vector<std::vector<std::string>> all;
    for (const auto& log : logs) all.push_back(linesOf(log));
    std::size_t shared = 0;
    const auto fromEnd = [](const std::vector<std::string>& lines, std::size_t i) {
        return lines[lines.size() - 1 - i];
    };
    while (shared < most && std::ranges::all_of(all, [&](const auto& lines) {
               return shared < lines.size() &&
                      shapeOf(fromEnd(lines, shared)) == shapeOf(fromEnd(all.front(), shared));
           }))
        ++shared;
    return {all.front().end() - static_cast<std::ptrdiff_t>(shared), all.front().end()};
}

}  // namespace dailies::sweep
