#include "trainer/runtime/host_info.h"

#include <cstdlib>
#include <unistd.h>

namespace dailies::trainer {

std::string hostName() {
    char name[256] = {};
    ::gethostname(name, sizeof name - 1);
    return name;
}

std::string nodeName() {
    const char* slurms = std::getenv("SLURMD_NODENAME");
    return slurms && *slurms ? slurms : hostName();
}

std::string slurmJob() {
    const auto variable = [](const char* name) -> std::string {
        const char* value = std::getenv(name);
        return value ? value : "";
    };
    const auto array = variable("SLURM_ARRAY_JOB_ID");
    return array.empty() ? variable("SLURM_JOB_ID") : array + "_" + variable("SLURM_ARRAY_TASK_ID");
}

std::int64_t slurmRestarts() {
    const char* count = std::getenv("SLURM_RESTART_COUNT");
    return count ? std::strtoll(count, nullptr, 10) : 0;
}

}  // namespace dailies::trainer
