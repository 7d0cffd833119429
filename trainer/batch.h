#pragma once

#include "core/config/train_config.h"
#include "trainer/data/data_order.h"
#include "trainer/data/data_source.h"
#include "trainer/data/vocabulary.h"
#include "trainer/parallel/ranks.h"

#include <ATen/core/Tensor.h>

namespace dailies::trainer {

/// One rank's share of one step, on the device.
struct Batch {
    at::Tensor clips;      ///< [batch, frames, height, width, 3], scaled
    at::Tensor captions;   ///< [batch, captionTokens]
    at::Tensor noise;      ///< like clips
    at::Tensor quantiles;  ///< [batch], on the CPU: how noisy, see drawQuantiles

    /// The index-th of so many parts of equal size.
    Batch part(std::int64_t index, std::int64_t parts) const;
};

/// Makes the batches. Clips, dropped captions, noise and its level of a sample depend on (seed, step, its
/// place in the global batch) only, so the ranks together always train on what a single process would.
class BatchLoader {
public:
    /// Throws `InputError` when the global batch does not divide over the ranks.
    BatchLoader(const config::TrainConfig& config, const Ranks& ranks, DataSource& source,
                const Vocabulary& vocabulary, PixelScale scale, at::Device device);

    Batch load(std::int64_t step);

    /// The samples of a step's global batch, for people who ask why its loss was odd.
    std::vector<std::string> samples(std::int64_t step) const;

private:
    config::TrainConfig m_config;
    DataSource& m_source;
    const Vocabulary& m_vocabulary;
    PixelScale m_scale;
    at::Device m_device;
    DataOrder m_order;
    std::int64_t m_first, m_count;  ///< this rank's samples of the global batch
};

/// Bags of words, [captions, tokens]: how often each token stands in each caption.
at::Tensor captionCounts(const Vocabulary& vocabulary, const std::vector<std::string>& captions);

/// [frames, height, width, 3] bytes → the model's scale, and back.
at::Tensor scaledPixels(const at::Tensor& bytes, PixelScale scale);
RgbClip toRgbClip(const at::Tensor& scaled, PixelScale pixelScale);

}  // namespace dailies::trainer
