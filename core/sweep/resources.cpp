#include "core/sweep/resources.h"

#include "core/base/text.h"

#include <algorithm>
#include <cstdlib>
#include <regex>

namespace dailies::sweep {

namespace {

/// Names go into `#SBATCH` lines, which no shell quotes: a space would end the option, a line feed begin a
/// command.
bool isSlurmName(const std::string& text) {
    static const std::regex pattern(R"([A-Za-z0-9_][A-Za-z0-9_.,+@/=-]*)");
    return text.empty() || std::regex_match(text, pattern);
}

/// Of features: "ib&nvme", "[rack1|rack2]", "ib*4". sbatch gets it within double quotes.
bool isConstraint(const std::string& text) {
    static const std::regex pattern(R"([A-Za-z0-9_.&|,*()\[\]:+-]*)");
    return std::regex_match(text, pattern) && !text.starts_with('-');
}

/// "n[1-4,07],gpu7"
bool isHostList(const std::string& text) {
    static const std::regex pattern(R"(([A-Za-z0-9][A-Za-z0-9_.,\[\]-]*)?)");
    return std::regex_match(text, pattern);
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

std::int64_t secondsOf(const std::string& text) {
    const auto dash = text.find('-');
    const bool hasDays = dash != std::string::npos;
    std::vector<std::int64_t> parts;
    for (const std::string& part : split(hasDays ? text.substr(dash + 1) : text, ':'))
        parts.push_back(std::atoll(part.c_str()));
    parts.resize(3);
    if (hasDays) return ((std::atoll(text.c_str()) * 24 + parts[0]) * 60 + parts[1]) * 60 + parts[2];
    if (std::count(text.begin(), text.end(), ':') == 2) return (parts[0] * 60 + parts[1]) * 60 + parts[2];
    return parts[0] * 60 + parts[1];
}

const std::vector<std::pair<std::string, ResourceField>>& resourceFields() {
    static const std::vector<std::pair<std::string, ResourceField>> fields = {
        {"partition", &Resources::partition},
        {"account", &Resources::account},
        {"qos", &Resources::qos},
        {"reservation", &Resources::reservation},
        {"nodes", &Resources::nodes},
        {"ranks_per_node", &Resources::ranksPerNode},
        {"cpus_per_rank", &Resources::cpusPerRank},
        {"gpus_per_node", &Resources::gpusPerNode},
        {"gpu_type", &Resources::gpuType},
        {"memory", &Resources::memory},
        {"time_limit", &Resources::timeLimit},
        {"constraint", &Resources::constraint},
        {"nodelist", &Resources::nodeList},
        {"exclude", &Resources::exclude},
        {"exclusive", &Resources::exclusive},
        {"parallel_runs", &Resources::parallelRuns},
        {"preflight", &Resources::preflight}};
    return fields;
}

Resources overlaid(Resources base, const Json& keys) {
    for (const auto& [key, field] : resourceFields())
        if (const auto value = keys.find(key); value != keys.end())
            std::visit([&](auto member) { value->get_to(base.*member); }, field);
    return base;
}

Resources ofOneProcess(Resources resources) {
    resources.nodes = resources.ranksPerNode = 1;
    resources.gpusPerNode = std::min(resources.gpusPerNode, 1);
    return resources;
}

std::optional<std::string> validationError(const Resources& r) {
    const auto found = [](const char* key, const std::string& value, const std::string& expected) {
        return std::string(key) + ": found " + sanitizedText(value) + ", expected " + expected + ".";
    };
    const std::pair<const char*, const std::string*> names[] = {{"partition", &r.partition},
                                                                {"account", &r.account},
                                                                {"qos", &r.qos},
                                                                {"reservation", &r.reservation},
                                                                {"gpu_type", &r.gpuType}};
    for (const auto& [key, name] : names)
        if (!isSlurmName(*name))
            return found(key, "\"" + *name + "\"", "a name as Slurm has them, without spaces");
    if (!isConstraint(r.constraint))
        return found("constraint", "\"" + r.constraint + "\"",
                     "features of nodes as sbatch takes them, such as ib&nvme");
    const std::pair<const char*, const std::string*> lists[] = {{"nodelist", &r.nodeList},
                                                                {"exclude", &r.exclude}};
    for (const auto& [key, list] : lists)
        if (!isHostList(*list)) return found(key, "\"" + *list + "\"", "names of nodes such as n[1-4],gpu7");
    if (!r.gpuType.empty() && r.gpusPerNode == 0)
        return found("gpu_type", "\"" + r.gpuType + "\" with gpus_per_node 0",
                     "a number of GPUs per node, too");
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
