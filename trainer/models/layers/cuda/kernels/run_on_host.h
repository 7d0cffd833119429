#pragma once

#include "trainer/models/layers/cuda/kernels/host_team.h"

#include <ATen/Parallel.h>

namespace dailies::trainer::kernels {

/// Runs a kernel's arithmetic on the CPU.
template <class Kernel>
void runOnHost(const Kernel& kernel) {
    at::parallel_for(0, kernel.pieces(), 1, [&](std::int64_t first, std::int64_t last) {
        HostTeam team(kernel.width(), kernel.headWidth(), Kernel::kPairs);
        for (auto piece = first; piece < last; ++piece) kernel.run(team, piece);
    });
}

}  // namespace dailies::trainer::kernels
