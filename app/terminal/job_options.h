#pragma once

#include "core/sweep/sweep.h"

#include <CLI/CLI.hpp>

#include <string>

namespace dailies::app {

/// What the options of a command say of the resources of its jobs, over those that the runs' sweep had.
struct JobOptions {
    std::string partition, memory, timeLimit;
    int gpus = -1, cpus = 0, parallel = 0;  ///< not said

    void addTo(CLI::App& command);
    void apply(sweep::Resources& resources) const;
};

}  // namespace dailies::app
