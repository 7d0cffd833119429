#include "trainer/batch.h"

#include "core/base/error.h"
#include "trainer/diffusion/noise_quantiles.h"
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
    if (m_count % config.optimizer.accumulate != 0)
        throw InputError("optimizer.accumulate: found " + std::to_string(config.optimizer.accumulate) +
                         " for the " + std::to_string(m_count) +
                         " clips of each rank, expected a divisor of them.");
}

Batch Batch::part(std::int64_t index, std::int64_t parts) const {
    if (parts == 1) return *this;
    const auto count = clips.size(0) / parts;
    const auto cut = [&](const at::Tensor& whole) { return whole.narrow(0, index * count, count); };
    return {cut(clips), cut(captions), cut(noise), cut(quantiles)};
}

std::vector<std::string> BatchLoader::samples(std::int64_t step) const {
    constexpr std::int64_t kMost = 64;
    std::vector<std::string> names;
    for (std::int64_t i = 0; i < std::min(m_config.data.batch_size, kMost); ++i)
        names.push_back(std::to_string(m_order.index(step, i)));
    return names;
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
            noise.to(m_device), drawQuantiles(m_config, step, m_first, m_count, data.batch_size)};
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
