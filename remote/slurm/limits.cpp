#include "remote/slurm/limits.h"

#include "core/base/text.h"
#include "core/sweep/resources.h"
#include "remote/slurm/output.h"

#include <algorithm>
#include <cstdlib>
#include <regex>

namespace dailies::remote::slurm {

namespace {

/// "ALL" and nothing are no list.
std::vector<std::string> listOf(const std::map<std::string, std::string>& values, const char* key) {
    const auto at = values.find(key);
    if (at == values.end() || at->second == "ALL" || at->second == "(null)" || at->second == "NONE")
        return {};
    std::vector<std::string> list;
    for (const auto& item : split(at->second, ','))
        if (!item.empty()) list.push_back(item);
    return list;
}

}  // namespace

void addLimits(std::vector<Partition>& partitions, std::string_view shown) {
    for (std::string line : split(shown, '\n')) {
        std::ranges::replace(line, ' ', '\n');
        const auto values = parseConfig(line);
        const auto name = values.find("PartitionName");
        if (name == values.end()) continue;
        const auto at = std::ranges::find(partitions, name->second, &Partition::name);
        if (at == partitions.end()) continue;
        at->allowedAccounts = listOf(values, "AllowAccounts");
        at->deniedAccounts = listOf(values, "DenyAccounts");
        at->allowedQos = listOf(values, "AllowQos");
        at->deniedQos = listOf(values, "DenyQos");
        if (const auto most = values.find("MaxNodes"); most != values.end())
            at->maxNodes = std::atoi(most->second.c_str());  // "UNLIMITED" is not a number
    }
}

std::vector<Association> parseAssociations(std::string_view out) {
    std::vector<Association> associations;
    for (const std::string& line : split(out, '\n')) {
        const auto fields = split(trim(line), '|');
        if (fields.size() < 3 || fields[0].empty()) continue;
        Association found{.account = fields[0], .partition = fields[1]};
        for (const auto& qos : split(fields[2], ','))
            if (!qos.empty()) found.qos.push_back(qos);
        associations.push_back(std::move(found));
    }
    return associations;
}

std::map<std::string, std::string> parseQosLimits(std::string_view out) {
    std::map<std::string, std::string> limits;
    for (const std::string& line : split(out, '\n')) {
        const auto fields = split(trim(line), '|');
        if (fields.size() >= 2 && !fields[0].empty()) limits[fields[0]] = fields[1];
    }
    return limits;
}

StartEstimate parseTestOnly(std::string_view err) {
    static const std::regex pattern(
        R"(to start at (\d+) using \d+ processors on (?:nodes )?(\S+)(?: in partition (\S+))?)");
    std::smatch match;
    const std::string text(err);
    if (!std::regex_search(text, match, pattern)) return {};
    return {std::atoll(match[1].str().c_str()), match[2], match[3]};
}

std::optional<std::int64_t> parseTimeLimit(const std::string& limit) {
    if (!sweep::isSbatchTime(limit)) return std::nullopt;
    const auto seconds = sweep::secondsOf(limit);
    return seconds > 0 ? std::optional(seconds) : std::nullopt;
}

}  // namespace dailies::remote::slurm
