#include "trainer/tensors/named_shapes.h"

namespace dailies::trainer {

void addLinear(NamedShapes& all, const std::string& name, std::int64_t outputs, std::int64_t inputs) {
    all.push_back({name + ".weight", {outputs, inputs}});
    all.push_back({name + ".bias", {outputs}});
}

}  // namespace dailies::trainer
