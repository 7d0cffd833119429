#pragma once

#include "trainer/parallel/process_group.h"

namespace dailies::trainer {

/// Attention of each rank's queries to the keys and values of all ranks, which go round the ring a rank a
/// turn while the turn before is computed (Liu et al. 2023, arXiv 2310.01889). All are [clips, own tokens,
/// heads, headWidth], keys and values of as many heads as queries or a divisor of them; → [clips, own tokens,
/// heads · headWidth]. Results of the turns are merged, and gradients summed, in float32. `ring` must live
/// until the backward pass has ended.
at::Tensor ringAttention(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                         ProcessGroup& ring);

}  // namespace dailies::trainer
