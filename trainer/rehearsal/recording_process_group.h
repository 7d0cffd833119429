#pragma once

#include "trainer/parallel/process_group.h"
#include "trainer/rehearsal/recorded_calls.h"

#include <memory>

namespace dailies::trainer {

/// All ranks of a run that is not there, as one of them sees it: moves nothing, and writes down what is asked
/// for. Groups of one rank write down nothing, as a run's own make no collectives. `recorded` must outlive
/// it, its groups and whatever was begun.
std::unique_ptr<ProcessGroup> recordingProcessGroup(std::int64_t rank, std::int64_t size,
                                                    RecordedRank& recorded);

}  // namespace dailies::trainer
