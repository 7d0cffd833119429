#include "trainer/batch.h"

#include "core/base/error.h"
#include "trainer/diffusion/rectified_flow.h"
#include "trainer/random.h"
#include "trainer/random_tensor.h"

#include <torch/types.h>

#include <cstring>

namespace dailies::trainer {

BatchLoader::BatchLoader(const config::TrainConfig& config, const Ranks& ranks, DataSource& source,
                         const Vocabulary& vocabulary, PixelScale scale, at::Device device)
    : m_config(config),
      m_source(source),
      m_vocabulary(vocabulary),
      m_scale(scale),
      m_device(device),
      m_order(config.seed, source.size(), config.data.batch_size),
      m_first(config.data.batch_size / ranks.size * ranks.rank),
      m_count(config.data.batch_size / ranks.size) {
    if (config.data.batch_size % ranks.size != 0)
        throw InputError("data.batch_size: found " + std::to_string(config.data.batch_size) + " for " +
                         std::to_string(ranks.size) + " ranks, expected a multiple of the number of ranks.");
}

Batch BatchLoader::load(std::int64_t step) {
    const auto& data = m_config.data;
    auto bytes = at::empty({m_count, data.frames, data.height, data.width, 3}, at::kByte);
    auto noise = at::empty(bytes.sizes(), at::kFloat);
    std::vector<std::string> captions;
    for (std::int64_t i = 0; i < m_count; ++i) {
        const auto sample = m_first + i;
        auto example = m_source.example(m_order.index(step, sample));
        std::memcpy(bytes[i].mutable_data_ptr(), example.clip.rgb.data(), example.clip.rgb.size());
        const auto key = [&](Stream stream) {
            return randomKey(m_config.seed, stream, static_cast<std::uint64_t>(step),
                             static_cast<std::uint64_t>(sample));
        };
        const bool dropped = Random(key(Stream::caption_drop)).uniform() < m_config.diffusion.caption_drop;
        captions.push_back(dropped ? "" : std::move(example.caption));
        noise[i].copy_(normalTensor(key(Stream::noise), bytes[i].sizes()));
    }
    return {scaledPixels(bytes.to(m_device), m_scale), captionCounts(m_vocabulary, captions).to(m_device),
            drawTimes(m_config, step, m_first, m_count).to(m_device), noise.to(m_device)};
}

at::Tensor captionCounts(const Vocabulary& vocabulary, const std::vector<std::string>& captions) {
    auto counts =
        at::zeros({static_cast<std::int64_t>(captions.size()), vocabulary.tokenCount()}, at::kFloat);
    auto* row = counts.mutable_data_ptr<float>();
    for (const auto& caption : captions) {
        for (const auto token : vocabulary.tokens(caption)) row[token] += 1;
        row += vocabulary.tokenCount();
    }
    return counts;
}

at::Tensor scaledPixels(const at::Tensor& bytes, PixelScale scale) {
    return (bytes.to(at::kFloat) / 127.5 - (1 + scale.mean)) / scale.deviation;
}

RgbClip toRgbClip(const at::Tensor& scaled, PixelScale pixelScale) {
    const auto bytes = ((scaled * pixelScale.deviation + (1 + pixelScale.mean)) * 127.5)
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

}  // namespace dailies::trainer
