#include "trainer/rehearsal/rehearsal_report.h"

#include "core/base/size_text.h"
#include "core/base/text.h"
#include "core/planner/memory.h"

#include <cstdio>

namespace dailies::trainer {

namespace {

std::string number(double value, const char* format) {
    char text[64];
    std::snprintf(text, sizeof text, format, value);
    return text;
}

std::string text(std::int64_t bytes) {
    return binarySizeText(static_cast<double>(bytes));
}

struct NamedPart {
    const char* key;
    const char* name;
    std::int64_t RehearsedMemory::*bytes;
};

constexpr NamedPart kParts[] = {
    {"weights", "weights", &RehearsedMemory::weights},
    {"gradients", "gradients", &RehearsedMemory::gradients},
    {"moments", "moments", &RehearsedMemory::moments},
    {"average", "average", &RehearsedMemory::average},
    {"batch", "batch", &RehearsedMemory::batch},
    {"kept_for_backward", "kept for backward", &RehearsedMemory::savedForBackward},
};

std::string text(const RehearsedMemory& memory) {
    std::vector<std::string> parts;
    for (const auto& part : kParts)
        if (memory.*part.bytes > 0) parts.push_back(std::string(part.name) + " " + text(memory.*part.bytes));
    return text(memory.peak) + " at the worst moment (" + join(parts, ", ") + ")";
}

Json toJson(const RehearsedMemory& memory) {
    Json json = {{"peak", memory.peak}};
    for (const auto& part : kParts) json[part.key] = memory.*part.bytes;
    return json;
}

std::string sentText(const Traffic& traffic) {
    std::vector<std::string> parts;
    for (const auto& [collective, count] : traffic.sent)
        parts.push_back(std::to_string(count.calls) + " × " + collective + ", " +
                        binarySizeText(count.bytes));
    return parts.empty() ? "nothing" : join(parts, "; ");
}

}  // namespace

std::string verdictOf(const RehearsedRun& run, const Rehearsal& found) {
    if (!found.agreement.agrees()) return "The ranks do not agree. " + found.agreement.mismatch;
    if (run.ranks == 1) return "One process makes no collectives.";
    return std::to_string(run.ranks) + " ranks agree: each of " +
           std::to_string(found.agreement.collectives) +
           " collectives is met by all members of its group, in one order, with equal sizes and types.";
}

std::string textOf(const RehearsedRun& run, const Rehearsal& found) {
    std::string out = verdictOf(run, found) + "\n\nLayout: " + found.layout.text(run.config.layout.shard) +
                      ". Rehearsed: one step of " + std::to_string(found.clips) + " clips of " +
                      std::to_string(found.tokensOfClip) + " tokens, in " + number(found.seconds, "%.1f s") +
                      ".\n";
    for (const auto& kind : found.kinds)
        out += "Each of " + ranksText(kind.ranks) + " sends: " + sentText(kind.traffic) + ".\n";
    const auto& links = found.links;
    out += "All ranks send " + binarySizeText(links.withinNodes) + " within nodes of " +
           std::to_string(run.ranksPerNode) + " ranks and " + binarySizeText(links.betweenNodes) +
           " between " + std::to_string(links.nodes) + (links.nodes == 1 ? " node" : " nodes") +
           ", at most " + binarySizeText(links.maxNodeEgress) + " from one.\n";
    out += "A rank's tensors take up to " + text(found.memory) + ".\n";
    out += "A checkpoint's tensors take " + text(found.checkpointBytes) + ".";
    return out;
}

Json toJson(const RehearsedRun& run, const Rehearsal& found) {
    Json kinds = Json::array();
    for (const auto& kind : found.kinds) {
        Json sent = Json::object();
        for (const auto& [collective, count] : kind.traffic.sent)
            sent[collective] = {{"calls", count.calls}, {"bytes", count.bytes}};
        kinds.push_back({{"ranks", kind.ranks}, {"sent", std::move(sent)}, {"memory", toJson(kind.memory)}});
    }
    return {{"agrees", found.agreement.agrees()},
            {"verdict", verdictOf(run, found)},
            {"ranks", run.ranks},
            {"layout", found.layout.text(run.config.layout.shard)},
            {"collectives", found.agreement.collectives},
            {"kinds", std::move(kinds)},
            {"links",
             {{"ranks_per_node", run.ranksPerNode},
              {"nodes", found.links.nodes},
              {"within_nodes", found.links.withinNodes},
              {"between_nodes", found.links.betweenNodes},
              {"most_of_a_node", found.links.maxNodeEgress}}},
            {"memory", toJson(found.memory)},
            {"checkpoint_bytes", found.checkpointBytes},
            {"seconds", found.seconds}};
}

}  // namespace dailies::trainer
