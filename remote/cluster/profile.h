#pragma once

#include "core/base/json.h"
#include "core/sweep/environment.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace dailies::remote {

/// A cluster as a person describes it: how to reach a login node and what to do there. No secrets.
struct ClusterProfile {
    std::string name;
    std::string host;  ///< name, address or a Host of ~/.ssh/config
    int port = 0;      ///< 0: from ~/.ssh/config, else 22
    std::string user;
    std::string identityFile;
    std::string knownHostsFile;
    bool readUserConfig = true;
    std::string workspace;  ///< absolute folder on the shared file system; "~" and $HOME are expanded there
    std::string partition, account, qos;  ///< defaults of new sweeps
    std::vector<std::string>
        setup;  ///< shell lines before building and training: module load …, source venv/bin/activate
    sweep::Environment environment;  ///< modules, venv, container, fabric: in which it builds and trains
    double gpuHourPrice = 0;         ///< what an hour of one GPU costs; 0: not known, or nothing
    std::string currency = "USD";    ///< of that price
    std::string torchDir;  ///< folder of TorchConfig.cmake on the cluster; empty: asked of its python3
    int pollSeconds = 5;
    int callsPerMinute = 30;  ///< at most so many questions to Slurm, all together; 0: no ceiling

    bool operator==(const ClusterProfile&) const = default;
};

Json toJson(const ClusterProfile& profile);
ClusterProfile profileFromJson(const Json& json);
/// Throws `InputError` for what is refused when a cluster is added: a number out of its range, a host or user
/// that begins with '-'.
void throwIfInvalid(const ClusterProfile& profile);

/// The profiles in one file (clusters.json, 0600). Every change is written at once, whole.
class ClusterProfiles {
public:
    explicit ClusterProfiles(std::filesystem::path file);  ///< absent = empty; malformed throws `InputError`
    static std::filesystem::path defaultFile();            ///< $XDG_CONFIG_HOME/dailies/clusters.json

    const std::vector<ClusterProfile>& all() const { return m_profiles; }
    std::optional<ClusterProfile> find(const std::string& name) const;
    ClusterProfile get(const std::string& name) const;  ///< throws `InputError` that lists the known names
    void put(const ClusterProfile& profile);            ///< adds, or replaces that of the same name
    void remove(const std::string& name);

private:
    void save() const;
    std::filesystem::path m_file;
    std::vector<ClusterProfile> m_profiles;
};

}  // namespace dailies::remote
