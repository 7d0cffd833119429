#pragma once

#include "trainer/training/cuda_graph_cache.h"

#include <c10/core/Device.h>

namespace dailies::trainer {

/// Records work as CUDA graphs. They share one pool of memory, so only one may play at a time, and what one
/// leaves is to be copied before another plays. Work that has run before can be recorded: libraries have
/// chosen and allocated what they need by then. Throws c10::Error for what cannot be recorded (a copy from or
/// to pageable memory, a wait). Null in a build without CUDA, and for a CPU.
GraphCaptureFn makeGraphCapture(c10::Device device);

}  // namespace dailies::trainer
