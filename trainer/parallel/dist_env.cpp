#include "trainer/parallel/dist_env.h"

#include "core/base/error.h"
#include "core/base/numbers.h"

#include <netdb.h>
#include <optional>

namespace dailies::trainer {

namespace {

class Variables {
public:
    explicit Variables(const Environment& environment) : m_environment(environment) {}

    std::string text(const char* name) const {
        const char* value = m_environment(name);
        return value ? value : "";
    }

    std::optional<std::int64_t> number(const char* name) const {
        const auto value = text(name);
        if (value.empty()) return std::nullopt;
        const auto parsed = parseCount(value);
        if (!parsed)
            throw InputError(std::string(name) + ": found \"" + value +
                             "\", expected a whole number from 0.");
        return parsed;
    }

private:
    const Environment& m_environment;
};

bool resolves(const std::string& host) {
    addrinfo* found = nullptr;
    const bool ok = ::getaddrinfo(host.c_str(), nullptr, nullptr, &found) == 0;
    if (found) ::freeaddrinfo(found);
    return ok;
}

/// Slurm's node names need not be host names; the launch address always is one, and srun starts on rank 0's
/// node in a job.
std::string slurmAddress(const Variables& variables) {
    if (variables.number("SLURM_STEP_NUM_NODES").value_or(1) == 1) return "127.0.0.1";
    const auto host = firstHost(variables.text("SLURM_STEP_NODELIST"));
    if (!host.empty() && resolves(host)) return host;
    const auto launch = variables.text("SLURM_LAUNCH_NODE_IPADDR");
    if (!launch.empty()) return launch;
    throw InputError("Cannot find the host of rank 0: the node name \"" + host + "\" has no address.",
                     "Set MASTER_ADDR in the job script.");
}

/// Jobs that share a node must not meet at one port, so it follows from the job id (below Linux's ephemeral
/// ports).
std::uint16_t slurmPort(const Variables& variables) {
    return static_cast<std::uint16_t>(12000 + variables.number("SLURM_JOB_ID").value_or(0) % 20000);
}

}  // namespace

std::string firstHost(const std::string& nodeList) {
    const auto bracket = nodeList.find('[');
    const auto comma = nodeList.find(',');
    if (bracket == std::string::npos || comma < bracket) return nodeList.substr(0, comma);
    const auto end = nodeList.find_first_of("-,]", bracket);
    return nodeList.substr(0, bracket) + nodeList.substr(bracket + 1, end - bracket - 1);
}

DistEnv distEnvFrom(const Environment& environment) {
    const Variables variables(environment);
    DistEnv ranks;
    if (const auto size = variables.number("WORLD_SIZE")) {
        ranks.size = *size;
        ranks.rank = variables.number("RANK").value_or(0);
        ranks.localRank = variables.number("LOCAL_RANK").value_or(ranks.rank);
    } else if (const auto tasks = variables.number("SLURM_STEP_NUM_TASKS")) {
        ranks.size = *tasks;
        ranks.rank = variables.number("SLURM_PROCID").value_or(0);
        ranks.localRank = variables.number("SLURM_LOCALID").value_or(0);
    } else if (variables.number("SLURM_NTASKS").value_or(1) > 1) {
        ranks.note = "The job has " + variables.text("SLURM_NTASKS") +
                     " tasks, but dailies-train was started without srun and runs as one process.";
    }
    if (ranks.size < 1 || ranks.rank >= ranks.size)
        throw InputError("Found rank " + std::to_string(ranks.rank) + " of " + std::to_string(ranks.size) +
                             " processes, expected a rank below their number.",
                         "Check RANK and WORLD_SIZE, or start the trainer with srun.");
    if (ranks.size == 1) return ranks;
    ranks.address = variables.text("MASTER_ADDR");
    if (ranks.address.empty()) ranks.address = slurmAddress(variables);
    ranks.port = static_cast<std::uint16_t>(variables.number("MASTER_PORT").value_or(slurmPort(variables)));
    return ranks;
}

}  // namespace dailies::trainer
