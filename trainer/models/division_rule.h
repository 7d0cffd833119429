#pragma once

#include "trainer/checkpoint/box.h"

#include <optional>
#include <string>
#include <vector>

namespace dailies::trainer {

/// What a rank has of a matrix that ranks divide: some outputs, of all inputs; or some inputs, and hence a
/// part of the sum that each output is.
enum class Divided { outputs, inputs };

/// How ranks divide the weights of a layer among themselves. A family's table of these says which; a weight
/// that no line names is on every rank.
struct DivisionRule {
    /// `layer`.weight [outputs, inputs] or [outputs], and `layer`.bias [outputs], which is divided with the
    /// outputs only. "*" stands for one word between dots: "blocks.*.qkv".
    std::string layer;
    Divided divided = Divided::outputs;
    /// Outputs that are several matrices one behind the other: how many each has, of which a rank gets its
    /// share. Empty: one matrix.
    std::vector<std::int64_t> matrices = {};
};

/// What rank `rank` of `ranks` has of a weight of size `shape`; nullopt for one that no rule names. Throws
/// `Error` where the ranks cannot divide it evenly.
std::optional<Cut> cutOf(const std::vector<DivisionRule>& rules, const std::string& weight,
                         const Extents& shape, std::int64_t rank, std::int64_t ranks);

}  // namespace dailies::trainer
