#pragma once

#include "core/judging/clip_key.h"

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace dailies::judging {

/// Remembers that this person has seen these clips; seen twice is as seen once.
void markSeen(tracking::Store& store, const std::string& author, const std::vector<ClipKey>& clips,
              std::int64_t timeMs);
/// The same of every clip that has arrived.
void markAllSeen(tracking::Store& store, const std::string& author, std::int64_t timeMs);
void markUnseen(tracking::Store& store, const std::string& author, const std::vector<ClipKey>& clips);

/// Those of the runs' clips that this person has seen. A clip that a resumed run made again has not been.
std::set<ClipKey> seenClips(const tracking::Store& store, const std::string& author,
                            const std::vector<std::string>& runIds);

/// How many clips have arrived that this person has not seen; those of deleted runs do not count, nor those
/// that are training data (`tag::kBatchOf`).
std::int64_t unseenClips(const tracking::Store& store, const std::string& author);

/// The runs that have news for this person: of some prompt and seed the newest clip that has arrived was not
/// seen. Deleted runs have none.
std::vector<std::string> runsWithUnseenClips(const tracking::Store& store, const std::string& author);

}  // namespace dailies::judging
