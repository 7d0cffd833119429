#pragma once

#include "trainer/tensors/box.h"

#include <map>
#include <string>

namespace dailies::trainer {

/// What a rank holds of a tensor that ranks divide: elements of the whole, or of the cut of it that its
/// neighbours hold together, flattened, from `begin` on.
struct TensorRange {
    Extents shape;           ///< of the whole
    std::int64_t begin = 0;  ///< as many elements as the rank's tensor of that name has
    /// Ranks that divide tensors may all keep one that they do not, or a number that goes with the whole of
    /// one; one of them writes it.
    bool written = true;
    Cut cut = {};

    /// Of the whole.
    std::int64_t elements() const { return Box::whole(shape).elements(); }
};

/// By the tensors' names. A tensor that has no range here is whole.
using TensorRanges = std::map<std::string, TensorRange>;

}  // namespace dailies::trainer
