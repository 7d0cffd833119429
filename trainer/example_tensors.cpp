#include "trainer/example_tensors.h"

#include "trainer/batch.h"

#include <torch/types.h>

#include <algorithm>
#include <cstring>

namespace dailies::trainer {

at::Tensor valuesOf(const Example& example) {
    if (const auto& latents = example.latents) {
        auto values = at::empty(latents->shape, at::kFloat);
        std::memcpy(values.mutable_data_ptr(), latents->bytes.data(), latents->bytes.size());
        return values;
    }
    const auto& clip = example.clip;
    auto bytes = at::empty({clip.frames, clip.height, clip.width, 3}, at::kByte);
    std::memcpy(bytes.mutable_data_ptr(), clip.rgb.data(), clip.rgb.size());
    return bytes;
}

at::Tensor scaledValues(const at::Tensor& values, PixelScale scale) {
    return values.scalar_type() == at::kByte ? scaledPixels(values, scale)
                                             : (values - scale.mean) / scale.deviation;
}

double frameRate(const Example& example) {
    constexpr double kUsual = 24;
    return example.fps > 0 ? example.fps : kUsual;
}

TextInput textInput(const std::vector<Example>& examples, const std::vector<bool>& dropped,
                    const Vocabulary& vocabulary, std::int64_t textWidth) {
    if (textWidth == 0) {
        std::vector<std::string> captions;
        for (std::size_t i = 0; i < examples.size(); ++i)
            captions.push_back(dropped[i] ? "" : examples[i].caption);
        return {.words = captionCounts(vocabulary, captions)};
    }
    std::int64_t longest = 1;
    for (const auto& example : examples) longest = std::max(longest, example.textEmbeddings->shape[0]);
    const auto count = static_cast<std::int64_t>(examples.size());
    auto embeddings = at::zeros({count, longest, textWidth}, at::kFloat);
    auto mask = at::zeros({count, longest}, at::kBool);
    for (std::size_t i = 0; i < examples.size(); ++i) {
        const auto& text = *examples[i].textEmbeddings;
        const auto row = static_cast<std::int64_t>(i);
        // a dropped caption is one token of zeros: a clip must have something to attend to
        mask[row].slice(0, 0, dropped[i] ? 1 : text.shape[0]).fill_(true);
        if (!dropped[i])
            std::memcpy(embeddings[row].mutable_data_ptr(), text.bytes.data(), text.bytes.size());
    }
    return {.embeddings = embeddings, .mask = mask};
}

}  // namespace dailies::trainer
