#pragma once

#include "trainer/tensors/box.h"

#include <string>
#include <vector>

namespace dailies::trainer {

struct NamedShape {
    std::string name;
    Extents shape;
};

/// Names and shapes of a model's tensors, in its order.
using NamedShapes = std::vector<NamedShape>;

/// Appends `name`.weight [outputs, inputs] and `name`.bias [outputs].
void addLinear(NamedShapes& all, const std::string& name, std::int64_t outputs, std::int64_t inputs);

}  // namespace dailies::trainer
