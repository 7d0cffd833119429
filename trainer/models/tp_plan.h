#pragma once

#include "trainer/tensors/box.h"

#include <optional>
#include <string>
#include <vector>

namespace dailies::trainer {

/// What a rank has of a matrix that ranks divide: some outputs, of all inputs; or some inputs, and hence a
/// part of the sum that each output is.
enum class TpStyle { columnwise, rowwise };

/// How ranks divide the weights of a layer among themselves. A family's table of these says which; a weight
/// that no line names is on every rank.
struct TpRule {
    /// `layer`.weight [outputs, inputs] or [outputs], and `layer`.bias [outputs], which is divided with the
    /// outputs only. "*" stands for one word between dots: "blocks.*.qkv".
    std::string layer;
    TpStyle style = TpStyle::columnwise;
    /// Outputs that are several matrices one behind the other: how many each has, of which a rank gets its
    /// share. Empty: one matrix.
    std::vector<std::int64_t> matrices = {};
};

/// What rank `rank` of `ranks` has of a weight of size `shape`; nullopt for one that no rule names. Throws
/// `Error` where the ranks cannot divide it evenly.
std::optional<Cut> tpShardOf(const std::vector<TpRule>& rules, const std::string& weight,
                             const Extents& shape, std::int64_t rank, std::int64_t ranks);

}  // namespace dailies::trainer
