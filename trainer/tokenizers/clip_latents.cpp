#include "trainer/tokenizers/clip_latents.h"

#include <torch/types.h>

#include <cstring>

namespace dailies::trainer {

at::Tensor bytesOf(const RgbClip& clip) {
    auto bytes = at::empty({clip.frames, clip.height, clip.width, 3}, at::kByte);
    std::memcpy(bytes.mutable_data_ptr(), clip.rgb.data(), clip.rgb.size());
    return bytes;
}

Array toArray(const at::Tensor& values) {
    const auto plain = values.to(at::kCPU, at::kFloat).contiguous();
    Array array{"F32", plain.sizes().vec(), std::vector<std::uint8_t>(plain.nbytes())};
    std::memcpy(array.bytes.data(), plain.const_data_ptr(), array.bytes.size());
    return array;
}

Array latentsOf(const Tokenizer& tokenizer, const RgbClip& clip) {
    const at::NoGradGuard noGradients;
    const auto pixels = bytesOf(clip).unsqueeze(0).to(at::kFloat) / 127.5 - 1;
    return toArray(tokenizer.encode(pixels).squeeze(0));
}

}  // namespace dailies::trainer
