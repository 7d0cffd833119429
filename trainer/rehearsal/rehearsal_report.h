#pragma once

#include "core/base/json.h"
#include "trainer/rehearsal/rehearsal.h"

#include <string>

namespace dailies::trainer {

/// "128 ranks agree: …", or the first mismatch.
std::string verdictOf(const RehearsedRun& run, const Rehearsal& found);

/// For a person: the verdict, what each kind of rank sends, memory and checkpoint.
std::string textOf(const RehearsedRun& run, const Rehearsal& found);

/// The same for programs, all sizes in bytes: agrees, verdict, ranks, layout, collectives, kinds (ranks, sent
/// by collective with calls and bytes, memory), links, memory, checkpoint_bytes, seconds.
Json toJson(const RehearsedRun& run, const Rehearsal& found);

}  // namespace dailies::trainer
