#pragma once

#include "trainer/tensors/params.h"

namespace dailies::trainer {

/// Whether a weight of that name is one of the matrices of attention and MLP, which compute in bfloat16 under
/// `runtime.precision` bf16 (see models/layers/linear.h).
bool computesInBf16(const std::string& name);

/// The weights that a model computes with when the optimizer updates float32 masters: bfloat16 copies of the
/// matrices of attention and MLP, which compute in that precision anyhow (see models/layers/linear.h), and
/// the masters' own tensors of the rest. They hold nothing of their own, so a checkpoint keeps the masters
/// only, and a run may turn them on or off when it resumes. Losses are those of autocast, bit for bit; what
/// they save is the rounding in every pass.
Params bf16Copies(const Params& masters);

/// Rounds the masters into the copies again: after every update and restoration.
void refreshCopies(const Params& copies, const Params& masters);

}  // namespace dailies::trainer
