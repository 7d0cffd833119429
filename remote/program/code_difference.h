#pragma once

#include "core/tracking/store.h"
#include "remote/cluster/cluster.h"

#include <stop_token>
#include <string>

namespace dailies::remote {

/// Whether the code that this run was started from is known.
bool hasCode(const tracking::Run& run);

/// How the code of `run` differs from that of `reference`, as `diff -u` prints it, with paths below the
/// code's folders; empty: it does not. The cluster compares the two folders, so what differs is what ran,
/// committed or not. Whatever is longer than `kMaxCodeDifference` is cut, with a last line that says so.
/// Throws `InputError` for runs whose code is not known, is gone, or is a folder of the cluster that both
/// used as it was then; and `Cancelled`.
std::string codeDifference(Cluster& cluster, const tracking::Run& reference, const tracking::Run& run,
                           const std::stop_token& stop = {});

inline constexpr std::size_t kMaxCodeDifference = 1 << 20;  ///< bytes

}  // namespace dailies::remote
