#pragma once

/// What marks the arithmetic of a kernel. It is written once, in templates over the team that works on a row:
/// a block or a few lanes of a warp on a GPU (device_team.cuh), one thread on a CPU (host_team.h). So what a
/// GPU computes is tested where there is none, against ATen.
///
/// A team's members hold the row's columns between them. `team.load` gives a member its share as a
/// `Fragment`, an array of `team.count()` float32; `team.isActive()` says whether it has one at all;
/// `team.sum` adds up over the columns of all members and tells every member. All members of a team must make
/// the same calls.
///
/// A kernel is a struct of pointers and sizes: `run(team, piece)` does one of its `pieces()`, which may run
/// in any order.
#ifdef __CUDACC__
#define DAILIES_DEVICE_INLINE __device__ __forceinline__
#define DAILIES_HOST_DEVICE __host__ __device__
#else
#define DAILIES_DEVICE_INLINE inline
#define DAILIES_HOST_DEVICE
#endif

namespace dailies::trainer::kernels {

/// Columns that a member reads and writes at once: 16 bytes of bfloat16. Widths are multiples of it.
inline constexpr int kPack = 8;

/// The widest row: a pack for each thread of the largest block.
inline constexpr int kMaxWidth = 8192;

/// Two sums that a team takes at once.
struct Sums {
    float first = 0, second = 0;
};

}  // namespace dailies::trainer::kernels
