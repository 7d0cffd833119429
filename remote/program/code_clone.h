#pragma once

#include "core/sweep/code.h"
#include "remote/cluster/cluster.h"

#include <stop_token>

namespace dailies::remote {

/// Has git clone a repository's commit on the login node into <workspace>/code/<commit>, submodules included,
/// once: what is there already is not fetched again, and a commit by its full name asks nobody. Returns where
/// the code is, with that full name. Throws `InputError` for an address, reference or folder that there is
/// not, or that git there may not read, and `Cancelled`.
sweep::Code cloneCode(Cluster& cluster, const sweep::Code& code, const Progress& progress = {},
                      std::stop_token stop = {});

}  // namespace dailies::remote
