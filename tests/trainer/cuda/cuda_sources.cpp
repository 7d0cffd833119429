// The C++ that only a CUDA build compiles, in one unit: see compile_check.sh.
#define DAILIES_CUDA
#include "tests/gpu/gpu_check.cpp"
#include "trainer/cuda/device_phase_clock.cpp"
#include "trainer/cuda/fused.cpp"
#include "trainer/cuda/graph_recorder.cpp"
#include "trainer/cuda/side_stream.cpp"
#include "trainer/device.cpp"
#include "trainer/meters/device_facts.cpp"
#if defined(DAILIES_NCCL)
#include "trainer/parallel/backend.cpp"
#endif
