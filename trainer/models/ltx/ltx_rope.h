#pragma once

#include "trainer/models/layers/rotary.h"
#include "trainer/models/model_shape.h"

namespace dailies::trainer {

/// Rotary positions of LTX-Video: where a token stands in seconds and pixels, as shares of 20 s and 2048
/// pixels, turns neighbouring channels of all heads together by frequencies from π/2 to 10000 · π/2, of which
/// the axes take every third (diffusers, LTXVideoRotaryPosEmbed; Lightricks/LTX-Video, transformer3d.py).
layers::Rotary ltxRotary(const ModelShape& shape, at::Device device);

}  // namespace dailies::trainer
