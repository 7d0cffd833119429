#pragma once

#include "core/base/json.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

/// What a preflight finds out of a job's nodes before it trusts them: `dailies-train preflight` measures and
/// writes it, the job's script and the desktop read it.
namespace dailies::preflight {

/// Of a node. A slow one is told of and used; a bad one would fail the job or hold all others up.
enum class NodeVerdict { ok, slow, bad };

std::string toText(NodeVerdict verdict);
NodeVerdict nodeVerdictFromText(const std::string& text);  ///< throws `InputError`

/// What the driver says of one GPU.
struct Gpu {
    std::string name;
    double temperature = 0;      ///< °C, under the load of the matrix products before
    double clock = 0;            ///< MHz of its processors
    double highestClock = 0;     ///< MHz that it could have; 0: not said
    std::int64_t eccErrors = 0;  ///< uncorrectable, since the driver was loaded
};

/// One rank's way to a rank of another node.
struct Link {
    std::string node;
    double bytesPerSecond = 0;  ///< 0: there was no way, see `problem`
    double latency = 0;         ///< seconds there and back, the least of several
    std::string problem;        ///< empty: it works
};

/// What one rank has measured so far; what it has not is nullopt.
struct RankReport {
    std::int64_t rank = 0;
    std::string node;
    std::string phase;                  ///< that it is in: a word of `kPhases`
    std::vector<std::string> problems;  ///< whole sentences: what it tried in vain
    std::optional<double> flops;        ///< operations a second of matrix products, the median of its repeats
    std::optional<double> bytesWritten;  ///< a second, into the workspace, flushed
    std::optional<double> filesMade;     ///< a second: written, flushed and renamed
    std::optional<double> skew;          ///< seconds that its clock is ahead of rank 0's
    std::optional<double> allReduce;     ///< bytes a second on the bus, over all ranks
    std::vector<Link> links;
    std::vector<Gpu> gpus;       ///< of the whole node, told by its first rank
    std::vector<int> xids;       ///< the driver's error numbers of the last day, where its log can be read
    std::string gpuNote;         ///< why there is nothing about GPUs
    std::string device = "cpu";  ///< what computed
};

/// In their order. A rank whose part says "done" has been through all of it.
inline constexpr const char* kPhases[] = {"roll call", "files", "compute", "links", "all-reduce", "done"};

Json toJson(const RankReport& part);
RankReport rankReportFromJson(const Json& json);  ///< throws `InputError`

struct Node {
    std::string name;
    NodeVerdict verdict = NodeVerdict::ok;
    std::vector<std::string> reasons;       ///< whole sentences; none when ok
    std::map<std::string, double> figures;  ///< by `NodeMetric::key`; what was not measured is absent
    std::string note;                       ///< what could not be looked at, for a person
};

/// One number of a node, as tables show it.
struct NodeMetric {
    const char* key;
    const char* name;
    const char* unit;
    double scale;  ///< a shown number is the stored one, times this
    bool moreIsBetter;
};
inline constexpr NodeMetric kNodeMetrics[] = {
    {"flops", "Matrix products", "GFLOP/s", 1e-9, true},
    {"link", "Links", "MB/s", 1e-6, true},
    {"latency", "Latency", "µs", 1e6, false},
    {"bytes_written", "Writes", "MB/s", 1e-6, true},
    {"files_made", "Files", "1/s", 1, true},
    {"skew", "Clock", "ms", 1e3, false},
    {"temperature", "GPU", "°C", 1, false},
};

struct Report {
    double time = 0;     ///< unix seconds of its end
    double seconds = 0;  ///< that it took
    std::string job;     ///< Slurm's; empty outside
    std::int64_t ranks = 0;
    std::string device = "cpu";
    std::vector<Node> nodes;
    /// Bytes a second between nodes, by their order above, summed over the ranks of a node that measured at
    /// once; nullopt: not measured. 0: there was no way.
    std::vector<std::vector<std::optional<double>>> links;
    std::optional<double> allReduce;  ///< bytes a second on the bus

    bool allOk() const;  ///< every node is ok
    bool anyBad() const;
    /// Nodes that a job should leave out. None when most nodes are bad: then it is not the nodes.
    std::vector<std::string> nodesToExclude() const;
    /// The nodes' figures by key, for the median and the spread.
    std::vector<double> values(const std::string& key) const;
    /// What is wrong, a line a node that is not ok; one line that all is well otherwise.
    std::string summary() const;
};

Json toJson(const Report& report);
Report reportFromJson(const Json& json);  ///< throws `InputError`

double median(std::vector<double> values);  ///< of at least one

}  // namespace dailies::preflight
