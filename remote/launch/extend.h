#pragma once

#include "core/tracking/store.h"
#include "remote/cluster/cluster.h"

#include <cstdint>
#include <stop_token>
#include <string>

namespace dailies::remote {

/// Lets a run that has ended train on to `steps`: changes that in its config.json on the cluster and submits
/// it again by the script of its sweep. It goes on from its newest checkpoint and is a further attempt of the
/// same run. Sent exactly once: asking again after a lost connection finds the job. Throws `InputError` when
/// the run goes on, has as many steps already, or was launched by no sweep of this store.
void extendRun(Cluster& cluster, tracking::Store& store, const std::string& runId, std::int64_t steps,
               std::stop_token stop = {});

}  // namespace dailies::remote
