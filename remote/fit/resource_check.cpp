#include "remote/fit/resource_check.h"

#include "core/base/byte_units.h"
#include "core/base/error.h"
#include "core/base/size_text.h"
#include "core/base/text.h"
#include "core/planner/memory.h"
#include "core/sweep/resources.h"
#include "remote/fit/memory_check.h"
#include "remote/slurm/fields.h"
#include "remote/slurm/limits.h"

#include <algorithm>
#include <set>

namespace dailies::remote {

namespace {

/// "Did you mean main? There are main, debug."
std::string oneOf(const std::string& found, const std::vector<std::string>& known) {
    if (known.empty()) return "Leave it empty.";
    const auto nearest = nearestWord(found, known);
    return (nearest.empty() ? "" : "Did you mean " + nearest + "? ") + "There are: " + join(known, ", ") +
           ".";
}

bool contains(const std::vector<std::string>& list, const std::string& item) {
    return std::ranges::find(list, item) != list.end();
}

/// The kinds of a partition's nodes; of a Slurm that was not asked for them, one kind with the most of all.
std::vector<slurm::NodeKind> kindsOf(const slurm::Partition& partition) {
    if (!partition.kinds.empty()) return partition.kinds;
    return {{.nodes = partition.nodes,
             .cpus = partition.cpusPerNode,
             .memory = partition.memoryPerNode,
             .gres = partition.gres}};
}

int gpusOf(const slurm::NodeKind& kind, const std::string& type) {
    int most = 0, all = 0;
    for (const auto& gpu : slurm::gpuKinds(kind.gres)) {
        all += gpu.count;
        if (gpu.type == type) most += gpu.count;
    }
    return type.empty() ? all : most;
}

/// The features of a constraint in which all must be there: "ib&nvme". Others Slurm alone understands.
std::vector<std::string> plainFeatures(const std::string& constraint) {
    if (constraint.empty() || constraint.find_first_of("|[]()*,:") != std::string::npos) return {};
    return split(constraint, '&');
}

class ResourceCheck {
public:
    ResourceCheck(const sweep::Resources& wanted, const ClusterProfile& profile,
                  const slurm::ClusterFacts& facts)
        : m_wanted(wanted),
          m_facts(facts),
          m_account(firstNonEmpty(wanted.account, profile.account)),
          m_qos(firstNonEmpty(wanted.qos, profile.qos)),
          m_partition(partitionOf(wanted, profile, facts)),
          m_partitionName(firstNonEmpty(wanted.partition, profile.partition)) {}

    std::vector<ClusterFinding> run(std::size_t runs) {
        rights();
        if (m_facts.maxArraySize > 0 && runs > m_facts.maxArraySize)
            bad("Runs",
                std::to_string(runs) + " runs exceed this cluster's job array limit, " +
                    std::to_string(m_facts.maxArraySize),
                "Make the sweep smaller, or split it in two.");
        // several partitions: Slurm takes the first that has room; what one of them lacks another may have
        if (m_partitionName.find(',') != std::string::npos || m_facts.partitions.empty())
            return std::move(m_findings);
        if (!m_partition) {
            std::vector<std::string> names;
            for (const auto& partition : m_facts.partitions) names.push_back(partition.name);
            if (m_partitionName.empty())
                bad("Partition", "the cluster has no default partition",
                    "Choose one of: " + join(names, ", ") + ".");
            else
                bad("Partition", "there is no partition " + sanitizedText(m_partitionName),
                    oneOf(m_partitionName, names));
            return std::move(m_findings);
        }
        partition();
        time();
        nodes();
        return std::move(m_findings);
    }

private:
    void bad(const std::string& what, const std::string& found, const std::string& remedy) {
        m_findings.push_back({what, Verdict::Bad, found, remedy});
    }
    void warn(const std::string& what, const std::string& found, const std::string& remedy) {
        m_findings.push_back({what, Verdict::Warn, found, remedy});
    }

    void rights() {
        if (m_facts.associations.empty()) return;
        const auto accounts = accountsOf(m_facts);
        if (!m_account.empty() && !contains(accounts, m_account)) {
            bad("Account", "you have no access to the account " + sanitizedText(m_account),
                oneOf(m_account, accounts));
            return;
        }
        const auto qos = qosOf(m_facts, m_account);
        if (!m_qos.empty() && !qos.empty() && !contains(qos, m_qos))
            bad("QOS",
                "you may not use the QOS " + sanitizedText(m_qos) +
                    (m_account.empty() ? "" : " with the account " + m_account),
                oneOf(m_qos, qos));
    }

    void partition() {
        const auto& p = *m_partition;
        if (!p.up)
            warn("Partition", "the partition " + p.name + " is down: jobs wait until it is up",
                 "Choose another partition if this cannot wait.");
        if (!m_account.empty() && ((!p.allowedAccounts.empty() && !contains(p.allowedAccounts, m_account)) ||
                                   contains(p.deniedAccounts, m_account)))
            bad("Account",
                "the partition " + p.name + " does not take the account " + sanitizedText(m_account),
                p.allowedAccounts.empty() ? "Choose another account or partition."
                                          : "It takes: " + join(p.allowedAccounts, ", ") + ".");
        if (!m_qos.empty() &&
            ((!p.allowedQos.empty() && !contains(p.allowedQos, m_qos)) || contains(p.deniedQos, m_qos)))
            bad("QOS", "the partition " + p.name + " does not take the QOS " + sanitizedText(m_qos),
                p.allowedQos.empty() ? "Choose another QOS or partition."
                                     : "It takes: " + join(p.allowedQos, ", ") + ".");
    }

    void time() {
        const auto wanted = sweep::secondsOf(m_wanted.timeLimit);
        const auto most = slurm::parseTimeLimit(m_partition->timeLimit);
        const auto tooLong = [&](std::int64_t limit) { return wanted == 0 || wanted > limit; };
        if (most && !m_wanted.timeLimit.empty() && tooLong(*most)) {
            std::string remedy = "Set time_limit to " + m_partition->timeLimit +
                                 " or less: a run that meets its limit goes on from its checkpoint";
            for (const auto& other : m_facts.partitions) {
                const auto limit = slurm::parseTimeLimit(other.timeLimit);
                if (other.up && !(limit && tooLong(*limit))) {
                    remedy += "; or choose the partition " + other.name;
                    break;
                }
            }
            bad("Time limit",
                m_wanted.timeLimit + " is more than the partition " + m_partition->name + " allows, " +
                    m_partition->timeLimit,
                remedy + ".");
            return;
        }
        const auto ofQos = m_facts.qosLimits.find(m_qos);
        if (ofQos == m_facts.qosLimits.end() || m_wanted.timeLimit.empty()) return;
        if (const auto limit = slurm::parseTimeLimit(ofQos->second); limit && tooLong(*limit))
            bad("Time limit",
                m_wanted.timeLimit + " is more than the QOS " + m_qos + " allows, " + ofQos->second,
                "Set time_limit to " + ofQos->second +
                    " or less: a run that meets its limit goes on from its checkpoint.");
    }

    void nodes() {
        const auto& p = *m_partition;
        if (p.maxNodes > 0 && m_wanted.nodes > p.maxNodes)
            bad("Nodes",
                std::to_string(m_wanted.nodes) + " are more than a job may have in the partition " + p.name,
                "Ask for " + std::to_string(p.maxNodes) + " or fewer.");
        const auto kinds = kindsOf(p);
        if (!gpuTypeIsThere(kinds) || !featuresAreThere(kinds)) return;
        if (!eachIsThere(kinds)) return;
        int fitting = 0;  // 0 also where the number of nodes is not known
        bool any = false;
        for (const auto& kind : kinds) {
            if (!fits(kind)) continue;
            any = true;
            fitting += kind.nodes;
        }
        if (!any)
            bad("Nodes",
                "no node of the partition " + p.name + " offers all of these at once: " + wantedText(),
                "Ask for less of one of them, or choose another partition.");
        else if (fitting > 0 && fitting < m_wanted.nodes)
            bad("Nodes",
                std::to_string(m_wanted.nodes) + " nodes with " + wantedText() +
                    " are more than the partition " + p.name + " has",
                "Ask for " + std::to_string(fitting) + " or fewer.");
    }

    bool gpuTypeIsThere(const std::vector<slurm::NodeKind>& kinds) {
        if (m_wanted.gpusPerNode == 0) return true;
        const auto types = gpuTypes(*m_partition);
        const bool any = std::ranges::any_of(kinds, [](const auto& k) { return gpusOf(k, {}) > 0; });
        if (!any) {
            std::string elsewhere;
            for (const auto& other : m_facts.partitions)
                if (!slurm::gpuKinds(other.gres).empty())
                    elsewhere += (elsewhere.empty() ? "" : ", ") + other.name;
            bad("GPUs", "the partition " + m_partition->name + " has none",
                elsewhere.empty() ? "Slurm reports no GPUs on this cluster: set gpus_per_node to 0."
                                  : "These have some: " + elsewhere + ".");
            return false;
        }
        if (m_wanted.gpuType.empty() || contains(types, m_wanted.gpuType)) return true;
        bad("GPUs", "the partition " + m_partition->name + " has no GPUs of type " + m_wanted.gpuType,
            types.empty() ? "Its GPUs have no types: leave gpu_type empty." : oneOf(m_wanted.gpuType, types));
        return false;
    }

    bool featuresAreThere(const std::vector<slurm::NodeKind>& kinds) {
        if (m_partition->kinds.empty()) return true;  // not known
        for (const auto& feature : plainFeatures(m_wanted.constraint)) {
            if (std::ranges::any_of(kinds, [&](const auto& k) { return contains(k.features, feature); }))
                continue;
            const auto known = features(*m_partition);
            bad("Constraint", "no node of the partition " + m_partition->name + " has the feature " + feature,
                known.empty() ? "Its nodes have none: leave constraint empty." : oneOf(feature, known));
            return false;
        }
        return true;
    }

    /// Whether some node has as much, of each by itself.
    bool eachIsThere(const std::vector<slurm::NodeKind>& kinds) {
        const auto before = m_findings.size();
        int cpus = 0, gpus = 0;
        std::int64_t memory = 0;
        for (const auto& kind : kinds) {
            cpus = std::max(cpus, kind.cpus);
            gpus = std::max(gpus, gpusOf(kind, m_wanted.gpuType));
            memory = std::max(memory, kind.memory);
        }
        const auto& name = m_partition->name;
        if (cpus > 0 && wantedCpus() > cpus) {
            bad("CPUs",
                std::to_string(m_wanted.ranksPerNode) +
                    (m_wanted.ranksPerNode == 1 ? " rank of " : " ranks of ") +
                    std::to_string(m_wanted.cpusPerRank) + " CPUs " +
                    (m_wanted.ranksPerNode == 1 ? "is" : "are") + " more than a node of the partition " +
                    name + " has, " + std::to_string(cpus),
                cpus >= m_wanted.ranksPerNode
                    ? "Ask for " + std::to_string(cpus / m_wanted.ranksPerNode) + " CPUs per rank."
                    : "Ask for " + std::to_string(cpus) + " ranks per node or fewer.");
        }
        if (m_wanted.gpusPerNode > gpus) {
            const std::string type = m_wanted.gpuType.empty() ? "" : " " + m_wanted.gpuType;
            bad("GPUs",
                std::to_string(m_wanted.gpusPerNode) + type + " are more than a node of the partition " +
                    name + " has",
                "Ask for " + std::to_string(gpus) + " a node; more nodes give more.");
        }
        if (memory > 0 && wantedMemory() > static_cast<double>(memory) * kMebibyte) {
            bad("Memory",
                m_wanted.memory + " is more than a node of the partition " + name + " has, " +
                    binarySizeText(static_cast<double>(memory) * kMebibyte),
                "Ask for " + std::to_string(memory) + "M or less; 0 asks for the node's whole memory.");
        }
        return m_findings.size() == before;
    }

    int wantedCpus() const { return m_wanted.ranksPerNode * m_wanted.cpusPerRank; }
    double wantedMemory() const { return parseMemorySize(m_wanted.memory); }

    bool fits(const slurm::NodeKind& kind) const {
        if (kind.cpus > 0 && wantedCpus() > kind.cpus) return false;
        if (m_wanted.gpusPerNode > gpusOf(kind, m_wanted.gpuType)) return false;
        if (kind.memory > 0 && wantedMemory() > static_cast<double>(kind.memory) * kMebibyte) return false;
        if (m_partition->kinds.empty()) return true;
        return std::ranges::all_of(plainFeatures(m_wanted.constraint),
                                   [&](const auto& feature) { return contains(kind.features, feature); });
    }

    std::string wantedText() const {
        std::vector<std::string> parts = {std::to_string(wantedCpus()) +
                                          (wantedCpus() == 1 ? " CPU" : " CPUs")};
        if (m_wanted.gpusPerNode > 0)
            parts.push_back(std::to_string(m_wanted.gpusPerNode) + " × " +
                            (m_wanted.gpuType.empty() ? "GPU" : m_wanted.gpuType));
        if (wantedMemory() > 0) parts.push_back(binarySizeText(wantedMemory()));
        if (!m_wanted.constraint.empty()) parts.push_back(m_wanted.constraint);
        return join(parts, ", ");
    }

    const sweep::Resources& m_wanted;
    const slurm::ClusterFacts& m_facts;
    const std::string m_account, m_qos;
    const slurm::Partition* m_partition;
    const std::string m_partitionName;
    std::vector<ClusterFinding> m_findings;
};

}  // namespace

const slurm::Partition* partitionOf(const sweep::Resources& resources, const ClusterProfile& profile,
                                    const slurm::ClusterFacts& facts) {
    const auto& name = firstNonEmpty(resources.partition, profile.partition);
    const auto at = std::ranges::find_if(facts.partitions, [&](const slurm::Partition& p) {
        return name.empty() ? p.isDefault : p.name == name;
    });
    return at == facts.partitions.end() ? nullptr : &*at;
}

std::vector<ClusterFinding> checkResources(const sweep::Resources& resources, std::size_t runs,
                                           const ClusterProfile& profile, const slurm::ClusterFacts& facts) {
    return ResourceCheck(resources, profile, facts).run(runs);
}

void throwIfInvalid(const std::vector<ClusterFinding>& findings) {
    for (const auto& finding : findings)
        if (finding.verdict == Verdict::Bad)
            throw InputError(finding.what + ": " + finding.found + ".", finding.remedy);
}

std::string describe(const slurm::Partition& partition) {
    std::vector<std::string> kinds;
    for (const auto& kind : kindsOf(partition)) {
        std::string text = std::to_string(kind.nodes) + (kind.nodes == 1 ? " node" : " nodes") + " of " +
                           std::to_string(kind.cpus) + (kind.cpus == 1 ? " CPU" : " CPUs");
        if (kind.memory > 0) text += ", " + binarySizeText(static_cast<double>(kind.memory) * kMebibyte);
        for (const auto& gpu : slurm::gpuKinds(kind.gres))
            text += ", " + std::to_string(gpu.count) + " × " + (gpu.type.empty() ? "GPU" : gpu.type);
        kinds.push_back(text);
    }
    const auto limit = slurm::parseTimeLimit(partition.timeLimit);
    return join(kinds, "; ") + "; " +
           (limit ? "at most " + durationText(*limit * 1000) : std::string("no time limit")) +
           (partition.up ? "" : "; down");
}

std::vector<std::string> gpuTypes(const slurm::Partition& partition) {
    std::set<std::string> types;
    for (const auto& kind : kindsOf(partition))
        for (const auto& gpu : slurm::gpuKinds(kind.gres))
            if (!gpu.type.empty()) types.insert(gpu.type);
    return {types.begin(), types.end()};
}

std::vector<std::string> features(const slurm::Partition& partition) {
    std::set<std::string> all;
    for (const auto& kind : partition.kinds) all.insert(kind.features.begin(), kind.features.end());
    return {all.begin(), all.end()};
}

std::vector<std::string> accountsOf(const slurm::ClusterFacts& facts) {
    std::set<std::string> accounts;
    for (const auto& association : facts.associations) accounts.insert(association.account);
    return {accounts.begin(), accounts.end()};
}

std::vector<std::string> qosOf(const slurm::ClusterFacts& facts, const std::string& account) {
    std::set<std::string> qos;
    for (const auto& association : facts.associations)
        if (account.empty() || association.account == account)
            qos.insert(association.qos.begin(), association.qos.end());
    return {qos.begin(), qos.end()};
}

}  // namespace dailies::remote
