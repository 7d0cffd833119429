#pragma once

#include "core/config/train_config.h"
#include "trainer/data/batch_order.h"
#include "trainer/data/data_source.h"
#include "trainer/data/prefetch.h"
#include "trainer/denoising/batch.h"
#include "trainer/parallel/dist_env.h"
#include "trainer/text/text_encoder.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace dailies::trainer {

/// Throws `InputError` where the global batch does not divide over the ranks, or a rank's clips over the
/// passes of a step.
void requireEvenSplit(const config::TrainConfig& config, std::int64_t ranks);

/// Makes the batches. Clips, dropped captions, noise and its level of a sample depend on (seed, step, its
/// place in the global batch) only, so the ranks together always train on what a single process would. Clips
/// that are drawn together (`DataSource::clipsDrawnTogether`) share all but themselves.
class BatchLoader {
public:
    /// `segments`: see makeBatchOrder. Throws as `requireEvenSplit`.
    BatchLoader(const config::TrainConfig& config, const DistEnv& ranks, DataSource& source,
                const TextEncoder& text, const ValueScale& scale, at::Device device,
                const std::vector<DataSegment>& segments = {});

    /// This rank's clips of the step, once all of them are decoded.
    std::vector<Example> take(std::int64_t step);
    /// The batch of what `take` gave for the step last: captions read, noise drawn, all on the device.
    Batch prepare(std::int64_t step, const std::vector<Example>& examples);
    Batch load(std::int64_t step) { return prepare(step, take(step)); }

    struct TakenClip {
        std::int64_t index = 0;       ///< of the source
        std::int64_t place = 0;       ///< in the global batch
        bool withoutCaption = false;  ///< or without what else the model is told of it
    };
    /// This rank's clips of a step loaded last, in the batch's order.
    std::vector<TakenClip> taken(std::int64_t step) const;

    /// The samples of a step's global batch, for people who ask why its loss was odd. Only of steps loaded
    /// last.
    std::vector<std::string> samples(std::int64_t step) const;

private:
    /// What a rank takes of a step.
    struct Share {
        std::vector<std::int64_t> batch;         ///< clips of the global batch
        std::vector<std::size_t> globalIndices;  ///< this rank's in it, those of one bucket together
    };

    std::vector<std::int64_t> plan(std::int64_t step);
    std::size_t bucketOf(std::int64_t index) const;
    /// What a place's noise, level and caption are drawn by.
    std::size_t drawOf(std::size_t place) const { return place / static_cast<std::size_t>(m_together); }
    at::Tensor noiseOf(std::int64_t step, std::size_t place, at::IntArrayRef sizes) const;
    bool captionDropped(std::int64_t step, std::size_t place) const;
    /// Of this rank's clips, whether they train without their caption or reference.
    std::vector<bool> dropped(std::int64_t step, const Share& share) const;

    config::TrainConfig m_config;
    DistEnv m_ranks;
    const TextEncoder& m_text;
    ValueScale m_scale;
    at::Device m_device;
    std::int64_t m_together;                 ///< DataSource::clipsDrawnTogether
    std::vector<std::int64_t> m_bucketEnds;  ///< index behind the last clip of each bucket
    BucketTokens m_tokens;
    std::unique_ptr<BatchOrder> m_order;
    std::map<std::int64_t, Share> m_shares;  ///< of the steps that are planned or were loaded last
    Prefetch m_prefetch;
};

}  // namespace dailies::trainer
