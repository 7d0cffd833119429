#pragma once

#include "trainer/tensors/autocast_type.h"

#include <ATen/autocast_mode.h>
#include <ATen/core/Tensor.h>

#include <string>

namespace dailies::trainer {

/// While it lives, matrix products on the device run in bfloat16 when the precision is "bf16"; weights stay
/// float32.
class AutocastScope {
public:
    AutocastScope(at::Device device, const std::string& precision)
        : m_type(layers::autocastType(device)), m_before(at::autocast::is_autocast_enabled(m_type)) {
        at::autocast::set_autocast_dtype(m_type, at::kBFloat16);
        at::autocast::set_autocast_enabled(m_type, precision == "bf16");
    }
    ~AutocastScope() {
        at::autocast::set_autocast_enabled(m_type, m_before);
        at::autocast::clear_cache();  // the cached bfloat16 weights are stale after the next update
    }
    AutocastScope(const AutocastScope&) = delete;
    AutocastScope& operator=(const AutocastScope&) = delete;

private:
    at::DeviceType m_type;
    bool m_before;
};

}  // namespace dailies::trainer
