#include "trainer/tokenizers/weights_identity.h"

#include "trainer/data/array_cache.h"

#include <torch/types.h>

namespace dailies::trainer {

std::string weightsIdentity(const std::string& kind, const std::string& settings, const Params& weights) {
    auto key = weightsKey({kind, settings});
    for (const auto& name : weights.names()) {
        const auto values = weights[name].detach().to(at::kCPU).contiguous();
        const auto* bytes = static_cast<const char*>(values.const_data_ptr());
        key = weightsKey({key, name, std::string_view(bytes, values.nbytes())});
    }
    return key;
}

}  // namespace dailies::trainer
