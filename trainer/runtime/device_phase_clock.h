#pragma once

#include "trainer/meters/phase_clock.h"

#include <c10/core/Device.h>

#include <memory>

namespace dailies::trainer {

/// The clock for a device. On GPUs the phases are told apart by CUDA events in the current stream, so that a
/// phase lasts until the GPU has done what was queued in it, without a halt between phases.
std::unique_ptr<PhaseClock> makePhaseClock(c10::Device device);

}  // namespace dailies::trainer
