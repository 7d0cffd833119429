// The C++ that only a CUDA build compiles, in one unit: see compile_check.sh.
#define DAILIES_CUDA
#include "tests/gpu/gpu_check.cpp"
#include "trainer/meters/device_info.cpp"
#include "trainer/models/layers/cuda/fused.cpp"
#include "trainer/runtime/device.cpp"
#include "trainer/runtime/device_phase_clock.cpp"
#include "trainer/runtime/side_stream.cpp"
#include "trainer/training/graph_capture.cpp"
#if defined(DAILIES_NCCL)
#include "trainer/parallel/backend.cpp"
#endif
