#pragma once

#include <string>

namespace dailies::remote {

/// What was sent, and the job that Slurm made of it.
template <class Plan>
struct Submitted {
    Plan plan;
    std::string job;
};

}  // namespace dailies::remote
