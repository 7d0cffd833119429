#pragma once

#include <ATen/core/Tensor.h>

namespace dailies::trainer::layers {

/// Whose rules of autocast tensors on this device follow. LibTorch has none for the meta device; those that
/// it leaves to backends of others stand in (trainer/rehearsal/meta_kernels.h).
inline at::DeviceType autocastType(at::Device device) {
    return device.is_meta() ? at::kPrivateUse1 : device.type();
}

}  // namespace dailies::trainer::layers
