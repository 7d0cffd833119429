#include "core/sweep/resources.h"

#include "core/base/text.h"

#include <regex>

namespace dailies::sweep {

namespace {

/// Names go into `#SBATCH` lines, which no shell quotes: a space would end the option, a line feed begin a
/// command.
bool isSlurmName(const std::string& text) {
    static const std::regex pattern(R"([A-Za-z0-9_][A-Za-z0-9_.,+@/=-]*)");
    return text.empty() || std::regex_match(text, pattern);
}

}  // namespace

bool isSbatchTime(std::string_view text) {
    static const std::regex pattern(
        R"(\d{1,9}|\d{1,9}:[0-5]?\d|\d{1,9}:[0-5]?\d:[0-5]?\d|\d{1,6}-\d{1,2}(:[0-5]?\d){0,2}|UNLIMITED|INFINITE)",
        std::regex::icase);
    return std::regex_match(text.begin(), text.end(), pattern);
}

bool isSbatchMemory(std::string_view text) {
    static const std::regex pattern(R"(\d{1,12}[KMGT]?)", std::regex::icase);
    return std::regex_match(text.begin(), text.end(), pattern);
}

std::optional<std::string> problemOf(const Resources& r) {
    const auto found = [](const char* key, const std::string& value, const std::string& expected) {
        return std::string(key) + ": found " + inertText(value) + ", expected " + expected + ".";
    };
    const std::pair<const char*, const std::string*> names[] = {
        {"partition", &r.partition}, {"account", &r.account}, {"qos", &r.qos}};
    for (const auto& [key, name] : names)
        if (!isSlurmName(*name))
            return found(key, "\"" + *name + "\"", "a name as Slurm has them, without spaces");
    const std::tuple<const char*, int, int> counts[] = {{"nodes", r.nodes, 1},
                                                        {"ranks_per_node", r.ranksPerNode, 1},
                                                        {"cpus_per_rank", r.cpusPerRank, 1},
                                                        {"gpus_per_node", r.gpusPerNode, 0},
                                                        {"parallel_runs", r.parallelRuns, 1}};
    for (const auto& [key, count, least] : counts)
        if (count < least)
            return found(key, std::to_string(count),
                         "a whole number of " + std::to_string(least) + " or more");
    if (!r.memory.empty() && !isSbatchMemory(r.memory))
        return found("memory", "\"" + r.memory + "\"", "a size as sbatch takes it, such as 2G or 512M");
    if (!r.timeLimit.empty() && !isSbatchTime(r.timeLimit))
        return found(
            "time_limit", "\"" + r.timeLimit + "\"",
            "a time as sbatch takes it, such as 0:20:00 (hours:minutes:seconds) or 1-12 (days-hours)");
    return std::nullopt;
}

}  // namespace dailies::sweep
