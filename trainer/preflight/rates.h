#pragma once

#include "trainer/preflight/peer_group.h"

#include <chrono>

/// What a preflight measures with tensors.
namespace dailies::trainer {

/// Operations a second of square matrix products, repeated for `duration`: the median of the repeats, so that
/// the first, which warms up, does not count. bfloat16 on GPUs, float32 on CPUs.
double measureMatmul(at::Device device, std::chrono::milliseconds duration);

/// What a pair of ranks knows of the way between them. Both call it at once.
struct PairRates {
    double bytesPerSecond = 0;  ///< one way
    double latency = 0;         ///< seconds there and back, the least of several
    double clockOffset = 0;     ///< seconds that this rank's clock is ahead of the other's
};
/// `duration`: how long the large messages may take.
PairRates measurePair(PeerGroup& pair, std::chrono::milliseconds duration);

/// Bytes a second on the bus while all ranks sum: bytes / time · 2 (n − 1) / n, which does not depend on how
/// many they are. Every rank calls it at once.
double measureAllReduce(PeerGroup& all);

}  // namespace dailies::trainer
