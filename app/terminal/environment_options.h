#pragma once

#include "core/sweep/environment.h"

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace dailies::app {

/// What the options of a command say of what programs run in on a cluster.
struct EnvironmentOptions {
    std::vector<std::string> modules, mounts, variables;
    std::string venv, conda, container, containerRuntime, fabric;

    void addTo(CLI::App& command);
    /// Throws `InputError` for what cannot be meant.
    sweep::Environment environment() const;
};

}  // namespace dailies::app
