#include "app/terminal/job_options.h"

namespace dailies::app {

void JobOptions::addTo(CLI::App& command) {
    command.add_option("--partition", partition, "Default: as the run's sweep");
    command.add_option("--gpus", gpus, "GPUs per job")->check(CLI::NonNegativeNumber);
    command.add_option("--cpus", cpus, "CPUs per job")->check(CLI::PositiveNumber);
    command.add_option("--memory", memory, "Memory per job, e.g. 2G");
    command.add_option("--time-limit", timeLimit, "Time limit per job, e.g. 0:20:00");
    command.add_option("--parallel", parallel, "How many jobs may run at once")->check(CLI::PositiveNumber);
}

void JobOptions::apply(sweep::Resources& resources) const {
    if (!partition.empty()) resources.partition = partition;
    if (!memory.empty()) resources.memory = memory;
    if (!timeLimit.empty()) resources.timeLimit = timeLimit;
    if (gpus >= 0) resources.gpusPerNode = gpus;
    if (cpus > 0) resources.cpusPerRank = cpus;
    if (parallel > 0) resources.parallelRuns = parallel;
}

}  // namespace dailies::app
