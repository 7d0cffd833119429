#include "trainer/denoising/collate.h"

#include "trainer/runtime/device.h"
#include "trainer/tokenizers/clip_latents.h"

#include <torch/types.h>

#include <cstring>

namespace dailies::trainer {

namespace {

/// A number for each channel, which come last.
at::Tensor ofChannels(const std::vector<double>& numbers, const at::Tensor& values) {
    return at::tensor(numbers, at::kFloat).to(values.device());
}

}  // namespace

at::Tensor valuesOf(const Example& example) {
    if (const auto& latents = example.latents) {
        auto values = at::empty(latents->shape, at::kFloat);
        std::memcpy(values.mutable_data_ptr(), latents->bytes.data(), latents->bytes.size());
        return values;
    }
    return bytesOf(example.clip);
}

at::Tensor scaledPixels(const at::Tensor& bytes, const ValueScale& scale) {
    return (bytes.to(at::kFloat) / 127.5 - (1 + scale.mean.front())) / scale.deviation.front();
}

RgbClip toRgbClip(const at::Tensor& scaled, const ValueScale& scale) {
    const auto bytes = ((scaled * scale.deviation.front() + (1 + scale.mean.front())) * 127.5)
                           .nan_to_num()
                           .round()
                           .clamp(0, 255)
                           .to(at::kCPU, at::kByte)
                           .contiguous();
    RgbClip clip{static_cast<int>(bytes.size(0)),
                 static_cast<int>(bytes.size(1)),
                 static_cast<int>(bytes.size(2)),
                 {}};
    const auto* first = bytes.const_data_ptr<std::uint8_t>();
    clip.rgb.assign(first, first + bytes.numel());
    return clip;
}

at::Tensor scaledValues(const at::Tensor& values, const ValueScale& scale) {
    if (values.scalar_type() == at::kByte) return scaledPixels(values, scale);
    if (!scale.isOfChannels()) return (values - scale.mean.front()) / scale.deviation.front();
    return (values - ofChannels(scale.mean, values)) / ofChannels(scale.deviation, values);
}

at::Tensor unscaledValues(const at::Tensor& scaled, const ValueScale& scale) {
    if (!scale.isOfChannels()) return scaled * scale.deviation.front() + scale.mean.front();
    return scaled * ofChannels(scale.deviation, scaled) + ofChannels(scale.mean, scaled);
}

double frameRate(const Example& example) {
    constexpr double kUsual = 24;
    return example.fps > 0 ? example.fps : kUsual;
}

TextInput textInput(const std::vector<Example>& examples, const std::vector<bool>& dropped,
                    const TextEncoder& encoder, at::Device device) {
    std::vector<Caption> captions;
    for (std::size_t i = 0; i < examples.size(); ++i) {
        const auto& example = examples[i];
        captions.push_back(dropped[i] ? Caption{}
                                      : Caption{example.caption,
                                                example.textEmbeddings ? &*example.textEmbeddings : nullptr});
    }
    return eachTensor(encoder.encode(captions), [&](const at::Tensor& x) { return copyToDevice(x, device); });
}

}  // namespace dailies::trainer
