#pragma once

#include "trainer/tensors/params.h"

#include <cstdint>
#include <string>
#include <vector>

namespace dailies::trainer {

class Model;

/// One weight as diffusers has it, and where it stands in ours.
struct DiffusersWeight {
    std::string theirs;
    std::string ours;
    std::int64_t firstRow = 0;
    std::int64_t rows = 0;  ///< 0: all of ours
    /// Theirs = ours seen as `view`, its axes in `order`, with the sizes `sizes`; empty: as it is.
    std::vector<std::int64_t> view = {}, order = {}, sizes = {};
};

/// Puts a weight as diffusers has it, float32, to its place in ours. Throws `InputError` for another size.
void placeDiffusers(const DiffusersWeight& name, at::Tensor theirs, const at::Tensor& ours);

/// The weights as diffusers' model of the family reads them. Throws `InputError` when it has none of this
/// shape.
Params toDiffusers(const Model& model, const Params& weights);

/// And back: a complete set of the model's weights. Throws `InputError` naming a weight that is missing or of
/// another size. Gradients translate alike.
Params fromDiffusers(const Model& model, const Params& theirs);

}  // namespace dailies::trainer
