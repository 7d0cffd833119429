#include "core/preflight/build_report.h"

#include "core/base/text.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>

namespace dailies::preflight {

namespace {

/// Below `slow` × the median of the nodes a figure is told, below `bad` × it the node holds up all others.
struct Limits {
    const char* key;
    const char* what;  ///< begins a sentence
    double slow, bad;
};
constexpr Limits kLimits[] = {
    {"flops", "Its matrix products run", 0.85, 0.5},
    {"link", "Its links to the other nodes carry", 0.7, 0.3},
    // Nodes share the file system, and who is first there is fast: only large differences mean something.
    {"bytes_written", "It writes into the workspace", 0.25, 0},
};

constexpr double kSkewSeconds = 1;
constexpr double kHotDegrees = 87;
constexpr double kThrottledShare = 0.7;

/// Errors after which NVIDIA's table says that the GPU must be reset or replaced, and what it does is in
/// doubt until then (https://docs.nvidia.com/deploy/xid-errors).
const std::set<int> kFatalXids = {46, 48, 61, 62, 63, 64, 74, 79, 92, 94, 95, 119, 120, 140, 143};

std::string percent(double share) {
    char text[32];
    std::snprintf(text, sizeof text, "%.0f %%", 100 * share);
    return text;
}

std::string withDigits(double value, int digits) {
    char text[64];
    std::snprintf(text, sizeof text, "%.*f", digits, value);
    return text;
}

class Judgement {
public:
    Judgement(const std::vector<RankReport>& parts, const std::vector<std::string>& expected)
        : m_parts(parts) {
        for (const auto& name : expected) nodeCalled(name);
        for (const auto& part : parts) nodeCalled(part.node);
        m_report.ranks = static_cast<std::int64_t>(parts.size());
    }

    Report run() {
        const auto count = m_report.nodes.size();
        m_report.links.assign(count, std::vector<std::optional<double>>(count));
        const bool someFinished =
            std::ranges::any_of(m_parts, [](const RankReport& part) { return part.phase == "done"; });
        for (const auto& part : m_parts) {
            m_report.device = part.device;
            if (part.allReduce)
                m_report.allReduce = std::max(m_report.allReduce.value_or(0), *part.allReduce);
        }
        for (auto& node : m_report.nodes) lookAt(node, someFinished);
        judgePairs();
        for (const auto& limits : kLimits) compare(limits);
        return std::move(m_report);
    }

private:
    std::size_t nodeCalled(const std::string& name) {
        auto& nodes = m_report.nodes;
        const auto found = std::ranges::find(nodes, name, &Node::name);
        if (found != nodes.end()) return static_cast<std::size_t>(found - nodes.begin());
        nodes.emplace_back().name = name;
        return nodes.size() - 1;
    }

    static void find(Node& node, NodeVerdict verdict, const std::string& reason) {
        node.verdict = std::max(node.verdict, verdict);
        node.reasons.push_back(reason);
    }

    /// What a node's own ranks say of it.
    void lookAt(Node& node, bool someFinished) {
        bool answered = false;
        const auto keep = [&](const char* key, const std::optional<double>& value, auto better) {
            if (!value) return;
            const auto [slot, isNew] = node.figures.try_emplace(key, *value);
            if (!isNew) slot->second = better(slot->second, *value);
        };
        const auto least = [](double a, double b) { return std::min(a, b); };
        const auto furthest = [](double a, double b) { return std::abs(a) > std::abs(b) ? a : b; };
        for (const auto& part : m_parts) {
            if (part.node != node.name) continue;
            answered = true;
            keep("flops", part.flops, least);  // the slowest of its GPUs is what the others wait for
            keep("bytes_written", part.bytesWritten, least);
            keep("files_made", part.filesMade, least);
            keep("skew", part.skew, furthest);
            for (const auto& problem : part.problems) find(node, NodeVerdict::bad, problem);
            // Where nobody finished, rank 0 is gone and all others only waited for it.
            if (part.phase != "done" && (someFinished || part.rank == 0))
                find(node, NodeVerdict::bad,
                     "Its rank " + std::to_string(part.rank) + " stopped answering in the phase \"" +
                         part.phase + "\".");
            lookAtGpus(node, part);
            if (!part.gpuNote.empty()) node.note = part.gpuNote;
        }
        if (!answered) find(node, NodeVerdict::bad, "It never answered.");
        if (const auto skew = node.figures.find("skew");
            skew != node.figures.end() && std::abs(skew->second) > kSkewSeconds)
            find(node, NodeVerdict::slow,
                 "Its clock is " + withDigits(std::abs(skew->second), 1) + " s " +
                     (skew->second > 0 ? "ahead of" : "behind") + " that of the first node.");
    }

    static void lookAtGpus(Node& node, const RankReport& part) {
        for (std::size_t i = 0; i < part.gpus.size(); ++i) {
            const auto& gpu = part.gpus[i];
            const auto which = "GPU " + std::to_string(i) + " (" + sanitizedText(gpu.name) + ") ";
            auto& hottest = node.figures["temperature"];
            hottest = std::max(hottest, gpu.temperature);
            if (gpu.eccErrors > 0)
                find(node, NodeVerdict::bad,
                     which + "has had " + std::to_string(gpu.eccErrors) + " uncorrectable ECC errors.");
            if (gpu.temperature > kHotDegrees)
                find(node, NodeVerdict::slow, which + "is " + withDigits(gpu.temperature, 0) + " °C hot.");
            if (gpu.highestClock > 0 && gpu.clock < kThrottledShare * gpu.highestClock)
                find(node, NodeVerdict::slow,
                     which + "runs at " + withDigits(gpu.clock, 0) + " of " +
                         withDigits(gpu.highestClock, 0) + " MHz under load.");
        }
        for (const int xid : part.xids)
            if (kFatalXids.contains(xid))
                find(node, NodeVerdict::bad,
                     "The driver reported Xid " + std::to_string(xid) + " in the last day.");
    }

    /// Fills the matrix, and of the pairs between which there is no way blames as few nodes as explain all.
    void judgePairs() {
        std::vector<std::set<std::size_t>> failed(m_report.nodes.size());
        std::string problem;
        std::vector<std::vector<double>> latencies(m_report.nodes.size());
        // Ranks of a node measure at once, so their rates add up; both ends measured the same transfer.
        std::map<std::pair<std::size_t, std::size_t>, double> sums;
        for (const auto& part : m_parts)
            for (const auto& link : part.links) {
                const auto from = nodeCalled(part.node), to = nodeCalled(link.node);
                if (!link.problem.empty()) {
                    failed[from].insert(to);
                    failed[to].insert(from);
                    problem = link.problem;
                    continue;
                }
                sums[{from, to}] += link.bytesPerSecond;
                latencies[from].push_back(link.latency);
            }
        for (std::size_t i = 0; i < m_report.nodes.size(); ++i) {
            std::vector<double> rates;
            for (std::size_t j = 0; j < m_report.nodes.size(); ++j) {
                const auto out = sums.find({i, j}), back = sums.find({j, i});
                auto& cell = m_report.links[i][j];
                if (failed[i].contains(j))
                    cell = 0;
                else if (out != sums.end() && back != sums.end())
                    cell = (out->second + back->second) / 2;
                else if (out != sums.end() || back != sums.end())
                    cell = out != sums.end() ? out->second : back->second;
                if (cell && *cell > 0) rates.push_back(*cell);
            }
            if (!rates.empty()) m_report.nodes[i].figures["link"] = median(rates);
            if (!latencies[i].empty()) m_report.nodes[i].figures["latency"] = median(latencies[i]);
        }
        blame(std::move(failed), problem);
    }

    void blame(std::vector<std::set<std::size_t>> failed, const std::string& problem) {
        // A node that is known to be bad explains its pairs already.
        const auto acquit = [&](std::size_t culprit) {
            for (auto& others : failed) others.erase(culprit);
            failed[culprit].clear();
        };
        for (std::size_t i = 0; i < failed.size(); ++i)
            if (m_report.nodes[i].verdict == NodeVerdict::bad) acquit(i);
        while (!failed.empty()) {
            // of equals the last, because the first holds rank 0, which the others did reach
            std::size_t worst = failed.size() - 1;
            for (std::size_t i = failed.size(); i-- > 0;)
                if (failed[i].size() > failed[worst].size()) worst = i;
            if (failed[worst].empty()) return;
            std::vector<std::string> names;
            for (const auto other : failed[worst]) names.push_back(m_report.nodes[other].name);
            find(m_report.nodes[worst], NodeVerdict::bad,
                 "It cannot connect to " + join(names, ", ") + " (" + sanitizedText(problem) + ").");
            acquit(worst);
        }
    }

    void compare(const Limits& limits) {
        const auto all = m_report.values(limits.key);
        if (all.size() < 2) return;
        const double middle = median(all);
        if (middle <= 0) return;
        for (auto& node : m_report.nodes) {
            const auto figure = node.figures.find(limits.key);
            if (figure == node.figures.end() || figure->second >= limits.slow * middle) continue;
            const auto kind = std::ranges::find_if(
                kNodeMetrics, [&](const NodeMetric& f) { return std::string_view(f.key) == limits.key; });
            find(node, figure->second < limits.bad * middle ? NodeVerdict::bad : NodeVerdict::slow,
                 std::string(limits.what) + " " + withDigits(figure->second * kind->scale, 1) + " " +
                     kind->unit + ", " + percent(figure->second / middle) + " of the median.");
        }
    }

    const std::vector<RankReport>& m_parts;
    Report m_report;
};

}  // namespace

Report buildReport(const std::vector<RankReport>& parts, const std::vector<std::string>& expected) {
    return Judgement(parts, expected).run();
}

}  // namespace dailies::preflight
