#pragma once

#include "remote/cluster/profile.h"

#include <string>
#include <vector>

namespace dailies::remote {

/// A key of a profile as clusters.json has it ("environment.venv"), with its values for a person.
struct ProfileChange {
    std::string key, before, after;
};

/// What `after` has otherwise than `before`.
std::vector<ProfileChange> changes(const ClusterProfile& before, const ClusterProfile& after);

/// "port none → 2222, workspace ~/dailies → /scratch/ada"; harmless on a terminal.
std::string toText(const std::vector<ProfileChange>& changes);

}  // namespace dailies::remote
