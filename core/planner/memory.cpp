#include "core/planner/memory.h"

#include "core/base/size_text.h"
#include "core/base/text.h"
#include "core/config/bucket.h"
#include "core/config/family_traits.h"
#include "core/config/layout.h"
#include "core/planner/activations.h"
#include "core/planner/units.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace dailies::planner {

namespace {

constexpr std::int64_t kSmallest8bit = 4096, kBlock = 256;  // as in trainer/optim/adamw8bit.h

// what a process holds that trains nothing
constexpr double kCpuProcess = 155 * kMebibyte;
// and what oneDNN keeps for products in bfloat16: measured, 0 to 60 from run to run
constexpr double kCpuBfloat16 = 30 * kMebibyte;
constexpr double kGpuProcess = 2 * kGibibyte;
constexpr double kGpuContext = 0.7 * kGibibyte;  // CUDA's own, and the work space of cuBLAS and cuDNN

constexpr double kStepsAhead = 3;        // as in trainer/data/prefetch.cpp
constexpr std::int64_t kMaxSampled = 8;  // as in trainer/inference/sample_run.cpp

double programBytes(const config::TrainConfig& config, bool gpu) {
    if (gpu) return kGpuProcess;
    return kCpuProcess + (config.runtime.precision == "bf16" ? kCpuBfloat16 : 0);
}

double bytesOfMoments(const config::TrainConfig& config, const std::vector<WeightSize>& weights) {
    double bytes = 0;
    for (const auto& weight : weights) {
        const auto elements = weight.elements, blocks = (elements + kBlock - 1) / kBlock;
        const bool large = config.optimizer.name == "adamw8bit" && elements >= kSmallest8bit;
        const bool hasMuon = config.optimizer.name == "muon" && weight.use != WeightUse::exact;
        bytes += static_cast<double>(weight.count) *
                 (hasMuon ? kFloat * static_cast<double>(elements)
                  : large ? static_cast<double>(2 * elements) + 2 * kFloat * static_cast<double>(blocks)
                          : 2 * kFloat * static_cast<double>(elements));
    }
    return bytes;
}

double bytesOfCopies(const config::TrainConfig& config, const std::vector<WeightSize>& weights) {
    // every pass that waits for its backward pass has casts of its run's blocks
    const auto ofStage =
        static_cast<double>(passesInFlight(config)) / static_cast<double>(config.layout.pp_chunks);
    if (!config.optimizer.master_weights) return ofStage * castWeightBytes(config, weights);
    double bytes = 0;
    for (const auto& weight : weights)
        if (weight.use != WeightUse::exact)
            bytes += kHalf * static_cast<double>(weight.elements * weight.count);
    return bytes;
}

/// Clips of a bucket in one rank's share of a step.
double clipsOfRank(const config::TrainConfig& config, const ClipShape& clip, const Spread& spread) {
    const auto ranks =
        static_cast<double>(spread.ranks / (config.layout.cp * config.layout.tp * config.layout.pp));
    if (config.data.packing)
        return std::max(
            1.0, static_cast<double>(config.data.tokens_per_step) / ranks / static_cast<double>(clip.tokens));
    return std::ceil(static_cast<double>(config.data.batch_size) / ranks);
}

/// Clips that are sampled at once: no more than are trained on at once, twice with guidance.
double sampledAtOnce(const config::TrainConfig& config, double trainedAtOnce) {
    auto requests = config.sampling.prompts.empty()
                        ? kDefaultPrompts
                        : static_cast<std::int64_t>(config.sampling.prompts.size());
    if (config.data.source == "shapes") requests += config.sampling.adherence_clips;
    const auto clips = std::clamp(trainedAtOnce, 1.0, static_cast<double>(requests));
    return clips * (config.sampling.isGuided() ? 2 : 1);
}

bool isWan22(const config::TrainConfig::Tokenizer& tokenizer) {
    return tokenizer.space_factor == 16;  // that of 2.1 makes one latent of 8 pixels
}

/// Channels of a VAE at full resolution; 0 without one. Of the published VAEs: Wan's of 2.2 has 256 at half
/// the sides, LTX-Video's 128 at a quarter, Stable Diffusion's 128, but 256 where its decoder comes there.
double widthOfVae(const config::TrainConfig::Tokenizer& tokenizer) {
    constexpr double kWan21 = 96, kWan22 = 64, kLtx = 8, kStableDiffusion = 160;
    if (tokenizer.kind == "vae") return static_cast<double>(tokenizer.width);
    if (tokenizer.kind == "sd_vae") return kStableDiffusion;
    if (tokenizer.kind == "ltx_vae") return kLtx;
    if (tokenizer.kind != "wan_vae") return 0;
    return isWan22(tokenizer) ? kWan22 : kWan21;
}

/// Of the weights of a published VAE, which stay in memory; those of a VAE of ours hardly count. LTX-Video's
/// are of 0.9.5, the largest.
double bytesOfVaeWeights(const config::TrainConfig::Tokenizer& tokenizer) {
    constexpr double kWan21 = 126'892'531, kWan22 = 704'688'668, kLtx = 1'246'913'522,
                     kStableDiffusion = 83'653'863;
    if (tokenizer.kind == "sd_vae") return kFloat * kStableDiffusion;
    if (tokenizer.kind == "ltx_vae") return kFloat * kLtx;
    if (tokenizer.kind != "wan_vae") return 0;
    return kFloat * (isWan22(tokenizer) ? kWan22 : kWan21);
}

/// Pixels that a VAE takes at once: a few frames of a tile, or of frames that go through `whole`; that of
/// Stable Diffusion one picture, but where it decodes what Stable Video Diffusion makes eight
/// (trainer/tokenizers/sd_vae), that of LTX-Video the clip.
double pixelsOfPiece(const config::TrainConfig::Tokenizer& tokenizer, const config::Bucket& clip, bool whole,
                     std::int64_t picturesAtOnce = 1) {
    constexpr std::int64_t kTileWithReach = 320, kFramesAtOnce = 16;  // as in causal_vae/tiles.h
    if (tokenizer.kind == "sd_vae") return static_cast<double>(clip.height * clip.width * picturesAtOnce);
    if (tokenizer.kind == "ltx_vae") return static_cast<double>(clip.height * clip.width * clip.frames);
    const auto side = [&](std::int64_t pixels) { return whole ? pixels : std::min(pixels, kTileWithReach); };
    return static_cast<double>(side(clip.height) * side(clip.width) * std::min(clip.frames, kFramesAtOnce));
}

/// What a VAE holds where it encodes: a piece at full resolution, a few tensors of its channels, for each
/// thread that encodes and the one that decodes samples.
double bytesOfVae(const config::TrainConfig& config) {
    const auto width = widthOfVae(config.tokenizer);
    if (width == 0) return 0;
    constexpr double kTensors = 5;
    double most = 0;
    for (const auto& bucket : config::bucketsOf(config.data))
        most = std::max(most, pixelsOfPiece(config.tokenizer, bucket, /*whole=*/false));
    const auto threads = static_cast<double>(std::max<std::int64_t>(1, config.data.workers) + 1);
    return bytesOfVaeWeights(config.tokenizer) + kTensors * kFloat * most * width * threads;
}

/// Of CLIP's image encoder as it is published: ViT-L/14 for Animate Anyone, ViT-H/14 for MimicMotion and
/// images that clips begin with.
double bytesOfImageEncoder(const config::TrainConfig& config) {
    constexpr double kLarge = 303'966'208, kHuge = 632'076'800;
    if (config.model.image_encoder.empty()) return 0;
    return kFloat * (config.model.family == "animate" ? kLarge : kHuge);
}

/// Of the published T5 and UMT5 (xxl, which models of video read), in bfloat16 as they are published; of
/// other sizes nothing is known. Read when a text is met that the cache does not hold.
double bytesOfTextEncoder(const config::TrainConfig& config) {
    constexpr std::int64_t kWidth = 4096;
    constexpr double kPublished = 5'680'910'336;  // UMT5-xxl; T5 v1.1-xxl has 4,762,310,656
    return config.text.encoder == "t5" && config.text.width == kWidth ? kHalf * kPublished : 0;
}

/// What zero3 holds at once of what it gathers or sums unit by unit: what lies outside the blocks, and two
/// blocks (trainer/parallel/fsdp_units.h). `bytesEach`: of one element.
template <class BytesEach>
double bytesOfUnits(const config::TrainConfig& config, const std::vector<WeightSize>& weights,
                    const BytesEach& bytesEach) {
    double outside = 0, blocks = 0;
    for (const auto& weight : weights)
        (weight.inBlocks ? blocks : outside) +=
            bytesEach(weight) * static_cast<double>(weight.elements * weight.count);
    const auto depth = config.model.depth;
    return outside +
           blocks / static_cast<double>(depth) * static_cast<double>(std::min<std::int64_t>(depth, 2));
}

/// Gradients of a rank whose group divides states: zero1 keeps them all and its own sums beside them, zero2
/// its own sums and the buckets that are on their way, zero3 its own sums and such units.
double bytesOfGradients(const config::TrainConfig& config, const std::vector<WeightSize>& weights,
                        double divided) {
    constexpr double kBucketsOnTheWay = 2 * 32 * kMebibyte;  // as in trainer/parallel/gradients.cpp
    const double all = kFloat * static_cast<double>(elementCount(weights)), own = all / divided;
    if (divided == 1) return all;
    if (config.layout.shard == "zero1") return all + own;
    if (config.layout.shard == "zero2") return own + std::min(all, kBucketsOnTheWay);
    return own + bytesOfUnits(config, weights, [](const WeightSize&) { return kFloat; });
}

/// Weights as a rank computes with them: its own, and beside them copies in another type or, in zero3, what
/// is gathered.
std::vector<MemoryPart> weightParts(const config::TrainConfig& config, const std::vector<WeightSize>& weights,
                                    double divided) {
    const double all = kFloat * static_cast<double>(elementCount(weights));
    if (config.layout.shard != "zero3" || divided == 1)
        return {{"weights", all}, {"bfloat16 copies", bytesOfCopies(config, weights)}};
    const bool copies = config.optimizer.master_weights;
    const auto gathered = bytesOfUnits(config, weights, [copies](const WeightSize& weight) {
        return copies && weight.use != WeightUse::exact ? kHalf : kFloat;
    });
    return {{"weights", all / divided},
            {"gathered weights", gathered},
            {"bfloat16 copies", castWeightBytes(config, weights)}};
}

/// A step's largest needs over all buckets.
struct StepNeeds {
    double activations = 0, waiting = 0, batch = 0, sampling = 0, ahead = 0;
};

StepNeeds needsOf(const config::TrainConfig& config, const DataShape& data, const Spread& spread) {
    StepNeeds most;
    for (const auto& clip : clipShapes(config)) {
        const auto clips = clipsOfRank(config, clip, spread);
        const auto atOnce = clips / static_cast<double>(config.optimizer.accumulate);
        const auto numbers = static_cast<double>(clip.places() * data.channels);
        const bool bytes = config.tokenizer.kind == "none" && config.data.latents.empty();
        const auto text = static_cast<double>(data.textTokens * data.textWidth);
        const auto ofPass = activations(config, data, clip, atOnce, spread.gpu);
        const auto sharing = static_cast<double>(config.layout.cp);
        most.activations = std::max(most.activations, ofPass.total() / sharing);
        most.waiting = std::max(most.waiting, ofPass.waiting / sharing);
        const double batches = config.runtime.prepare_ahead ? 2 : 1;
        most.batch = std::max(most.batch, batches * clips * kFloat * (2 * numbers + text));
        most.ahead = std::max(most.ahead, kStepsAhead * clips *
                                              ((bytes ? 1 : kFloat) * numbers +
                                               (config.data.text_embeddings.empty() ? 0 : kFloat * text)));
        most.sampling =
            std::max(most.sampling, samplingBytes(config, data, clip, sampledAtOnce(config, atOnce)));
    }
    return most;
}

constexpr std::int64_t kPicturesDecoded = 8;  // at once, as in tokenizers/sd_vae/sd_vae_tokenizer.cpp

/// What decoding holds beside the latents: the VAE's decoder, which takes short clips in tiles and the frames
/// of long ones whole, and a decoded clip in float32 with what turns it into bytes.
double bytesOfDecoding(const config::TrainConfig& config, std::int64_t frames, bool isLong) {
    constexpr double kTensors = 5, kCopies = 3, kColours = 3;
    const config::Bucket clip{frames, config.data.height, config.data.width};
    const auto framesDecoded = config::isVideoUnet(config.model) ? std::min(frames, kPicturesDecoded) : 1;
    const auto bytes =
        kCopies * kFloat * kColours * static_cast<double>(clip.frames * clip.height * clip.width);
    return bytes + bytesOfVaeWeights(config.tokenizer) +
           kTensors * kFloat * widthOfVae(config.tokenizer) *
               pixelsOfPiece(config.tokenizer, clip, isLong, framesDecoded);
}

/// Weights that stay as they are, as passes read them: matrices that compute in bfloat16 are kept so
/// (trainer/lora/base_weights.h).
double bytesOfFrozen(const config::TrainConfig& config, const WeightSize& weight) {
    const bool half = config.runtime.precision == "bf16" && weight.use != WeightUse::exact;
    return (half ? kHalf : kFloat) * static_cast<double>(weight.elements * weight.count);
}

/// Of weights of which some blocks wait in the node's memory, and some matrices in 8 bits, those of one
/// block at a time on the device as passes read them (trainer/tensors/streamed_weights.h).
struct StreamedBytes {
    double onDevice = 0, waiting = 0;
};

/// `weights` stay as they are. `int8`: as lora.base_precision keeps matrices; the scales of their rows, a few
/// bytes of thousands, are not counted.
StreamedBytes bytesOfStreamed(const config::TrainConfig& config, const std::vector<WeightSize>& weights,
                              std::int64_t waitingBlocks, bool int8) {
    StreamedBytes bytes;
    for (const auto& weight : weights) {
        const bool packed = int8 && weight.inBlocks && weight.use != WeightUse::exact;
        const auto read = bytesOfFrozen(config, weight);
        const auto all = packed ? static_cast<double>(weight.elements * weight.count) : read;
        const auto blocks = weight.inBlocks ? static_cast<double>(config.model.depth) : 1;
        const auto waiting = weight.inBlocks ? all / blocks * static_cast<double>(waitingBlocks) : 0;
        bytes.waiting += waiting;
        bytes.onDevice += all - waiting;
        if (packed || waiting > 0) bytes.onDevice += read / blocks;
    }
    return bytes;
}

StreamedBytes bytesOfBase(const config::TrainConfig& config, const DataShape& data) {
    if (config.lora.rank > 0)
        return bytesOfStreamed(config, weightSizesOfRank(config, data), config.lora.blocks_to_swap,
                               config.lora.base_precision == "int8");
    const auto frozen = elementCount(weightSizes(config, data)) - elementCount(trainedSizes(config, data));
    return {.onDevice = kFloat * static_cast<double>(frozen)};
}

/// The other model of a pair, with which samples are made, whole on every rank: on a GPU all of its blocks
/// wait (trainer/inference/other_expert.h).
StreamedBytes bytesOfOtherExpert(const config::TrainConfig& config, const DataShape& data, bool gpu) {
    if (config.sampling.other_expert.empty()) return {};
    return bytesOfStreamed(config, weightSizes(config, data), gpu ? config.model.depth : 0, /*int8=*/false);
}

double sum(const std::vector<MemoryPart>& parts) {
    double bytes = 0;
    for (const auto& part : parts) bytes += part.bytes;
    return bytes;
}

}  // namespace

double RankMemory::gpuBytes() const {
    return sum(gpu);
}

double RankMemory::hostBytes() const {
    return sum(host);
}

double checkpointBytes(const config::TrainConfig& config, const DataShape& data) {
    const auto weights = trainedSizes(config, data);
    const double copies = config.optimizer.ema_decay > 0 ? 2 : 1;
    return copies * kFloat * static_cast<double>(elementCount(weights)) + bytesOfMoments(config, weights);
}

RankMemory rankMemory(const config::TrainConfig& config, const DataShape& data, const Spread& spread) {
    const auto weights = trainedSizesOfRank(config, data);
    const auto elements = static_cast<double>(elementCount(weights));
    const auto divided = static_cast<double>(config::layoutOf(config, spread.ranks).shardRanks);
    const auto moments = bytesOfMoments(config, weights) / divided;
    const bool averages = config.optimizer.ema_decay > 0;
    const auto average = averages ? kFloat * elements / divided : 0;
    const bool offloads = spread.gpu && config.optimizer.offload;
    auto step = needsOf(config, data, spread);
    const bool samples = config.sampling.every > 0 || config.validation.every > 0;
    // of the average, or of the weights: what the rank computes with
    const bool isGathered = samples && divided > 1 && (averages || config.layout.shard == "zero3");
    if (isGathered) step.sampling += kFloat * elements;

    auto training = weightParts(config, weights, divided);
    const auto base = bytesOfBase(config, data);
    training.insert(training.end(), {{"frozen weights", base.onDevice},
                                     {"gradients", bytesOfGradients(config, weights, divided)},
                                     {"moments", offloads ? 0 : moments},
                                     {"average", average},
                                     {"activations", step.activations},
                                     {"batch", step.batch},
                                     {"VAE", bytesOfVae(config)},
                                     {"image encoder", bytesOfImageEncoder(config)},
                                     // activations are gone when clips are sampled
                                     {"sampling", std::max(0.0, step.sampling - step.activations)}});
    std::vector<MemoryPart> host = {{"program", programBytes(config, spread.gpu)},
                                    {"clips ahead", step.ahead},
                                    {"checkpoint copy", kFloat * elements / divided + moments + average}};
    if (offloads)  // with a copy of the weights and gradients that it updates there
                   // (trainer/optim/cpu_offload_optimizer.h)
        host.push_back({"moments", moments + 2 * kFloat * elements / divided});
    const auto other = bytesOfOtherExpert(config, data, spread.gpu);
    training.push_back({"other expert", other.onDevice});
    host.insert(host.end(), {{"swapped blocks", base.waiting},
                             {"waiting activations", step.waiting},
                             {"other expert", other.waiting}});
    const MemoryPart text{"text encoder", bytesOfTextEncoder(config)};
    (spread.gpu && config.text.device == "gpu" ? training : host).push_back(text);
    if (spread.gpu) {
        training.push_back({"CUDA", kGpuContext});
        return {std::move(training), std::move(host)};
    }
    training.insert(training.end(), host.begin(), host.end());
    return {{}, std::move(training)};
}

RankMemory samplingMemory(const config::TrainConfig& config, const DataShape& data, const SamplingLoad& load,
                          bool gpu) {
    auto own = config;
    own.data.buckets.clear();
    const auto clip = clipShapes(own).front();
    const bool isLong = load.frames > config.data.frames;
    const auto atOnce =
        isLong ? 1 : std::clamp<std::int64_t>(load.clips, 1, std::min(config.data.batch_size, kMaxSampled));
    own.sampling.guidance = load.guidance;
    const auto passes = static_cast<double>(atOnce) * (own.sampling.isGuided() ? 2 : 1);
    const auto elements = static_cast<double>(elementCount(weightSizes(config, data)));
    // the sampler's state, the noise, what it expects and what the chunks add up to, of the whole clip
    const double growth = static_cast<double>(load.frames) / static_cast<double>(config.data.frames);
    const double whole = isLong && load.joinsAtEachStep
                             ? 5 * kFloat * growth * static_cast<double>(clip.places() * data.channels)
                             : 0;
    const auto frames =
        isLong ? 2 * config.data.frames : config.data.frames;  // a chunk, and what was held back
    constexpr double kColours = 3;
    const double clips =
        kColours * static_cast<double>(atOnce * frames * config.data.height * config.data.width);

    std::vector<MemoryPart> working = {{"weights", kFloat * elements},
                                       {"activations", samplingBytes(config, data, clip, passes)},
                                       {"the whole clip", whole},
                                       {"decoder", bytesOfDecoding(config, frames, isLong)},
                                       {"image encoder", bytesOfImageEncoder(config)}};
    const auto other = bytesOfOtherExpert(config, data, gpu);
    working.push_back({"other expert", other.onDevice});
    std::vector<MemoryPart> host = {
        {"program", programBytes(config, gpu)}, {"clips", clips}, {"other expert", other.waiting}};
    const MemoryPart text{"text encoder", bytesOfTextEncoder(config)};
    (gpu && config.text.device == "gpu" ? working : host).push_back(text);
    if (gpu) {
        host.push_back({"weights", kFloat * elements});
        working.push_back({"CUDA", kGpuContext});
        return {std::move(working), std::move(host)};
    }
    working.insert(working.end(), host.begin(), host.end());
    return {{}, std::move(working)};
}

std::string partsText(const std::vector<MemoryPart>& parts) {
    auto sorted = parts;
    std::ranges::sort(sorted, std::ranges::greater(), &MemoryPart::bytes);
    std::vector<std::string> shown;
    for (const auto& part : sorted)
        if (part.bytes * 50 > sum(parts)) shown.push_back(part.name + " " + binarySizeText(part.bytes));
    return join(shown, ", ");
}

}  // namespace dailies::planner
