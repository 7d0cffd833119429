#pragma once

#include "core/base/json.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dailies::sweep {

/// An image that a program runs in.
struct Container {
    std::string
        image;  ///< a file on the cluster, or a reference as the runtime takes it; empty: no container
    std::string runtime;              ///< one of `containerRuntimes`; empty: Apptainer
    std::vector<std::string> mounts;  ///< "/there", "/there:/inside", "/there:/inside:ro"

    bool operator==(const Container&) const = default;
};

/// What a program runs in on a cluster: what is loaded, activated and set before it starts. Empty = nothing.
/// A cluster's profile has one, in which the trainer is built, too; a sweep may have its own over it.
struct Environment {
    std::vector<std::string> modules;  ///< of `module load`, in this order
    std::string venv;                  ///< folder of a Python environment; "~" and $HOME are expanded there
    std::string conda;                 ///< name or folder of a conda environment
    Container container;
    std::string fabric;  ///< whose NCCL settings are made: a `Fabric`'s name
    std::map<std::string, std::string> variables;

    bool operator==(const Environment&) const = default;
    bool empty() const { return *this == Environment(); }
};

/// "apptainer", "singularity" (by the same options), "pyxis" (Slurm's own option --container-image).
const std::vector<std::string>& containerRuntimes();
const std::vector<std::string>& environmentKeys();

/// Sets one key as sweep files and profiles name it (modules, venv, conda, container, fabric, variables).
/// Throws `InputError` as "venv: found …, expected …."; for an unknown key, too.
void setKey(Environment& environment, const std::string& key, const Json& value);

/// Of an object with these keys.
Environment environmentFromJson(const Json& json);
/// The keys that are not empty.
Json toJson(const Environment& environment);

/// `ours` where it says something, else `site`'s; the variables of both, ours over the other's. A venv or a
/// conda environment takes the place of either.
Environment overlay(const Environment& ours, const Environment& site);

/// Whether a program built in one may not run in the other: all but variables and fabric.
bool sameSoftware(const Environment& a, const Environment& b);

}  // namespace dailies::sweep
