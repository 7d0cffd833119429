#include "trainer/denoising/batch_loader.h"

#include "core/base/error.h"
#include "core/config/family_traits.h"
#include "trainer/denoising/character.h"
#include "trainer/denoising/collate.h"
#include "trainer/denoising/conditioning_frames.h"
#include "trainer/diffusion/noise_quantiles.h"
#include "trainer/runtime/device.h"
#include "trainer/tensors/random.h"
#include "trainer/tensors/random_tensor.h"

#include <torch/types.h>

#include <algorithm>
#include <numeric>

namespace dailies::trainer {

namespace {

constexpr std::int64_t kStepsRemembered = 4;

std::vector<std::int64_t> endsOf(const std::vector<std::int64_t>& sizes) {
    std::vector<std::int64_t> ends(sizes.size());
    std::partial_sum(sizes.begin(), sizes.end(), ends.begin());
    return ends;
}

/// The order of what is drawn at once: of clips, or of pairs of them.
std::unique_ptr<BatchOrder> orderOfDraws(const config::TrainConfig& config, const DataSource& source,
                                         const BucketTokens& tokens, std::int64_t ranks,
                                         std::vector<DataSegment> segments) {
    const auto together = source.clipsDrawnTogether();
    auto draws = config;
    draws.data.batch_size /= together;
    auto sizes = source.bucketSizes();
    for (auto& size : sizes) size /= together;
    for (auto& segment : segments) segment.batchSize /= together;
    return makeBatchOrder(draws, sizes, tokens, ranks, segments);
}

}  // namespace

void requireEvenSplit(const config::TrainConfig& config, std::int64_t ranks) {
    if (config.data.packing) return;
    if (config.data.batch_size % ranks != 0)
        throw InputError("data.batch_size: found " + std::to_string(config.data.batch_size) + " for " +
                         std::to_string(ranks) + " ranks, expected a multiple of the number of ranks.");
    const auto ofRank = config.data.batch_size / ranks;
    if (ofRank % config.optimizer.accumulate != 0)
        throw InputError("optimizer.accumulate: found " + std::to_string(config.optimizer.accumulate) +
                         " for the " + std::to_string(ofRank) +
                         " clips of each rank, expected a divisor of them.");
}

BatchLoader::BatchLoader(const config::TrainConfig& config, const DistEnv& ranks, DataSource& source,
                         const TextEncoder& text, const ValueScale& scale, at::Device device,
                         const std::vector<DataSegment>& segments)
    : m_config(config),
      m_ranks(ranks),
      m_text(text),
      m_scale(scale),
      m_device(device),
      m_together(source.clipsDrawnTogether()),
      m_bucketEnds(endsOf(source.bucketSizes())),
      m_tokens(bucketTokens(config)),
      m_order(orderOfDraws(config, source, m_tokens, ranks.size, segments)),
      m_prefetch(
          source, [this](std::int64_t step) { return plan(step); }, config.data.workers) {
    requireEvenSplit(config, ranks.size);
    const auto clipsOfPass = config.data.batch_size / ranks.size / config.optimizer.accumulate;
    if (clipsOfPass % m_together != 0)
        throw InputError("data.batch_size: found " + std::to_string(config.data.batch_size) + " for " +
                         std::to_string(ranks.size) + " ranks, expected a multiple of " +
                         std::to_string(m_together * ranks.size * config.optimizer.accumulate) +
                         ": clips of " + std::to_string(m_together) + " belong together.");
}

std::vector<std::string> BatchLoader::samples(std::int64_t step) const {
    constexpr std::size_t kMost = 64;
    std::vector<std::string> names;
    const auto share = m_shares.find(step);
    if (share == m_shares.end()) return names;
    for (const auto index : share->second.batch)
        if (names.size() < kMost) names.push_back(std::to_string(index));
    return names;
}

std::vector<BatchLoader::TakenClip> BatchLoader::taken(std::int64_t step) const {
    std::vector<TakenClip> clips;
    for (const auto place : m_shares.at(step).globalIndices)
        clips.push_back(
            {m_shares.at(step).batch[place], static_cast<std::int64_t>(place), captionDropped(step, place)});
    return clips;
}

std::size_t BatchLoader::bucketOf(std::int64_t index) const {
    if (m_bucketEnds.back() == 0) return 0;  // generated clips
    return static_cast<std::size_t>(std::ranges::upper_bound(m_bucketEnds, index) - m_bucketEnds.begin());
}

std::vector<std::int64_t> BatchLoader::plan(std::int64_t step) {
    Share share;
    for (const auto draw : m_order->batch(step))
        for (std::int64_t i = 0; i < m_together; ++i) share.batch.push_back(draw * m_together + i);
    std::vector<std::int64_t> tokens;
    for (const auto index : share.batch) tokens.push_back(m_tokens[bucketOf(index)]);
    share.globalIndices = indicesOfRank(tokens, m_ranks.rank, m_ranks.size);
    std::ranges::stable_sort(share.globalIndices, {},
                             [&](std::size_t place) { return bucketOf(share.batch[place]); });
    std::vector<std::int64_t> indices;
    for (const auto place : share.globalIndices) indices.push_back(share.batch[place]);
    m_shares[step] = std::move(share);
    return indices;
}

at::Tensor BatchLoader::noiseOf(std::int64_t step, std::size_t place, at::IntArrayRef sizes) const {
    const auto keyOf = [&](Stream stream) {
        return randomKey(m_config.seed, stream, static_cast<std::uint64_t>(step), drawOf(place));
    };
    const auto noise = normalTensor(keyOf(Stream::noise), sizes);
    if (m_config.diffusion.noise_offset == 0) return noise;
    return noise +
           m_config.diffusion.noise_offset * normalTensor(keyOf(Stream::noise_offset), {sizes.back()});
}

std::vector<bool> BatchLoader::dropped(std::int64_t step, const Share& share) const {
    std::vector<bool> dropped;
    for (const auto place : share.globalIndices) dropped.push_back(captionDropped(step, place));
    return dropped;
}

bool BatchLoader::captionDropped(std::int64_t step, std::size_t place) const {
    const auto key =
        randomKey(m_config.seed, Stream::caption_drop, static_cast<std::uint64_t>(step), drawOf(place));
    return Random(key).uniform() < m_config.diffusion.caption_drop;
}

std::vector<Example> BatchLoader::take(std::int64_t step) {
    return m_prefetch.take(step);
}

Batch BatchLoader::prepare(std::int64_t step, const std::vector<Example>& examples) {
    const auto& share = m_shares.at(step);
    Batch batch;
    batch.globalClips = static_cast<std::int64_t>(share.batch.size());
    for (const auto index : share.batch) batch.globalTokens += m_tokens[bucketOf(index)];
    const auto isDropped = dropped(step, share);
    batch.text = textInput(examples, isDropped, m_text, m_device);
    std::vector<std::int64_t> globalIndices(share.globalIndices.begin(), share.globalIndices.end());
    const auto draws = batch.globalClips / m_together;
    batch.quantiles = drawQuantiles(m_config, step, 0, draws, draws)
                          .repeat_interleave(m_together)
                          .index_select(0, at::tensor(globalIndices, at::kLong));
    batch.conditioningFrames = drawConditioningFrames(m_config, step, globalIndices);
    batch.globalIndices = std::move(globalIndices);
    if (m_config.lora.dropout > 0)
        for (const auto place : share.globalIndices)
            batch.dropoutKeys.push_back(
                randomKey(m_config.seed, Stream::dropout, static_cast<std::uint64_t>(step), drawOf(place)));

    std::vector<at::Tensor> clips, noise;
    std::vector<Character> characters;
    std::vector<const ImageCondition*> images;
    std::vector<bool> imagesDropped;
    const auto close = [&](const Example& last) {
        if (clips.empty()) return;
        batch.groups.push_back({scaledValues(copyToDevice(at::stack(clips), m_device), m_scale),
                                copyToDevice(at::stack(noise), m_device), frameRate(last),
                                stacked(characters, m_scale, m_device),
                                withoutImages(imageTensors(images, m_scale, m_device), imagesDropped)});
        clips.clear();
        noise.clear();
        characters.clear();
        images.clear();
        imagesDropped.clear();
    };
    for (std::size_t i = 0; i < examples.size(); ++i) {
        auto values = valuesOf(examples[i]);
        const bool fits = clips.empty() ||
                          (values.sizes() == clips.back().sizes() && examples[i].fps == examples[i - 1].fps);
        if (!fits) close(examples[i - 1]);
        noise.push_back(noiseOf(step, share.globalIndices[i], values.sizes()));
        clips.push_back(std::move(values));
        if (const auto& image = examples[i].image) {
            images.push_back(&*image);
            // elsewhere it is the caption that is dropped
            imagesDropped.push_back(isDropped[i] && config::isUnet(m_config.model));
        }
        if (const auto& guide = examples[i].guide) characters.push_back(characterOf(*guide, isDropped[i]));
    }
    close(examples.back());
    m_shares.erase(m_shares.begin(), m_shares.lower_bound(step - kStepsRemembered));
    return batch;
}

}  // namespace dailies::trainer
