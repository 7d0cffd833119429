#pragma once

#include "core/config/train_config.h"
#include "trainer/parallel/process_group.h"

#include <functional>

namespace dailies::trainer {

/// Runs work as so many ranks that are threads of this process and talk through real sockets. Throws what the
/// first of them to fail threw.
void onRanks(int size, const std::function<void(ProcessGroup& world)>& work);

/// The default configuration with this layout: "cp" 2, "ring" 1, …
config::TrainConfig configWith(const Json& layout);

/// The place of a process group in its world, as a launcher would tell it.
DistEnv ranksOf(const ProcessGroup& world);

}  // namespace dailies::trainer
