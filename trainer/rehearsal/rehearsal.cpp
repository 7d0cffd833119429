#include "trainer/rehearsal/rehearsal.h"

#include "core/config/conditioning.h"
#include "core/config/family_traits.h"
#include "core/config/guidance_types.h"
#include "core/config/train_config.h"
#include "trainer/data/batch_order.h"
#include "trainer/denoising/batch_loader.h"
#include "trainer/denoising/conditioning_frames.h"
#include "trainer/diffusion/noise_quantiles.h"
#include "trainer/lora/trained_part.h"
#include "trainer/models/layers/cuda/fused.h"
#include "trainer/models/model_with_text_encoder.h"
#include "trainer/optim/master_weights.h"
#include "trainer/parallel/tensor_parallel_shards.h"
#include "trainer/rehearsal/memory_meter.h"
#include "trainer/rehearsal/meta_kernels.h"
#include "trainer/rehearsal/recording_process_group.h"
#include "trainer/training/step.h"

#include <torch/types.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <mutex>
#include <set>
#include <thread>
#include <unordered_map>

namespace dailies::trainer {

namespace {

constexpr std::int64_t kStep = 1;
constexpr std::int64_t kColours = 3;

const at::TensorOptions kMeta = at::TensorOptions(at::kMeta).dtype(at::kFloat);

ModelShape shapeOf(const RehearsedRun& run) {
    auto shape = ModelShape::of(run.config);
    shape.captionTokens = run.data.captionTokens;
    shape.channels = run.data.channels;
    shape.textWidth = run.data.textWidth;
    shape.imageWidth = run.data.imageWidth;
    return shape;
}

planner::ClipShape longestClip(const config::TrainConfig& config) {
    const auto shapes = planner::clipShapes(config);
    return *std::ranges::max_element(shapes, {}, &planner::ClipShape::tokens);
}

std::int64_t clipsOfStep(const config::TrainConfig& config, const planner::ClipShape& clip) {
    return config.data.packing ? config.data.tokens_per_step / clip.tokens : config.data.batch_size;
}

TextInput longestCaptions(const RehearsedRun& run, std::int64_t clips) {
    const auto& data = run.data;
    TextInput text;
    if (data.textWidth == 0) {
        text.words = at::empty({clips, data.captionTokens}, kMeta);
        return text;
    }
    text.mask = at::empty({clips, data.textTokens}, kMeta.dtype(at::kBool));
    const bool bytes = run.config.data.text_embeddings.empty() && run.config.text.encoder == "bytes";
    if (bytes)
        text.bytes = at::empty({clips, data.textTokens}, kMeta.dtype(at::kLong));
    else
        text.embeddings = at::empty({clips, data.textTokens, data.textWidth}, kMeta);
    return text;
}

/// A rank's share of a step, as `BatchLoader` deals it.
Batch batchOf(const RehearsedRun& run, const DistEnv& data) {
    const auto clip = longestClip(run.config);
    const auto all = clipsOfStep(run.config, clip);
    const auto dealt =
        indicesOfRank(std::vector(static_cast<std::size_t>(all), clip.tokens), data.rank, data.size);
    const std::vector<std::int64_t> places(dealt.begin(), dealt.end());
    const auto own = static_cast<std::int64_t>(places.size());
    Batch batch;
    const auto values = at::empty({own, clip.frames, clip.height, clip.width, run.data.channels}, kMeta);
    batch.groups.push_back({values, at::empty_like(values)});
    if (config::animates(run.config.model)) {
        const auto width = run.data.imageWidth;
        const auto drawn = kColours * std::ssize(config::drawingsOf(run.config.model.guidance_types));
        const auto& pixels = run.config.data;
        Character character;
        character.poses = at::empty({own, pixels.frames, pixels.height, pixels.width, drawn}, kMeta);
        if (config::readsReferencePose(run.config.model.family)) {
            character.referencePose = at::empty({own, pixels.height, pixels.width, 1 + kColours}, kMeta);
        } else {
            character.reference = at::empty({own, clip.height, clip.width, 1 + run.data.channels}, kMeta);
            if (width > 0) character.embedding = at::empty({own, 1, width}, kMeta);
        }
        batch.groups.back().character = std::move(character);
    }
    if (config::readsImages(run.config.model.conditioning)) {
        const bool alone = config::isVideoUnet(run.config.model);  // an image without frames behind it
        const auto channels = config::conditioningChannels(run.config.model, run.data.channels);
        const auto width = run.data.imageWidth;
        batch.groups.back().image = {
            at::empty({own, alone ? 1 : clip.frames, clip.height, clip.width, channels}, kMeta),
            width > 0 ? at::empty({own, alone ? 1 : config::imageTokens(run.config.model), width}, kMeta)
                      : at::Tensor()};
    }
    batch.text = longestCaptions(run, own);
    batch.quantiles =
        drawQuantiles(run.config, kStep, 0, all, all).index_select(0, at::tensor(places, at::kLong));
    batch.conditioningFrames = drawConditioningFrames(run.config, kStep, places);
    batch.globalClips = all;
    batch.globalTokens = all * clip.tokens;
    return batch;
}

/// Of tensors of which some look into the same memory.
std::int64_t bytesOf(const std::vector<const Params*>& all) {
    std::set<const void*> known;
    std::int64_t bytes = 0;
    for (const auto* params : all)
        for (const auto& tensor : params->tensors())
            if (known.insert(tensor.storage().unsafeGetStorageImpl()).second)
                bytes += static_cast<std::int64_t>(tensor.storage().nbytes());
    return bytes;
}

std::int64_t writtenBytes(const Params& tensors, const TensorRanges& ranges) {
    std::int64_t bytes = 0;
    for (const auto& name : tensors.names()) {
        const auto range = ranges.find(name);
        if (range == ranges.end() || range->second.written)
            bytes += static_cast<std::int64_t>(tensors[name].nbytes());
    }
    return bytes;
}

/// Reads the meter where a backward pass begins.
class MeterAtBackward : public PhaseClock {
public:
    explicit MeterAtBackward(const MemoryMeter& meter) : m_meter(meter) {}
    void enter(Phase phase) override {
        if (phase == Phase::backward) m_most = std::max(m_most, m_meter.currentBytes());
    }
    PhaseSeconds finish() override { return {}; }
    std::int64_t most() const { return m_most; }

private:
    const MemoryMeter& m_meter;
    std::int64_t m_most = 0;
};

DistEnv ranksOf(const RehearsedRun& run, std::int64_t rank) {
    DistEnv ranks;
    ranks.rank = rank;
    ranks.size = run.ranks;
    return ranks;
}

/// The ranks that are handed out to threads, one after the other.
class Turns {
public:
    explicit Turns(std::int64_t count) : m_count(count) {}
    /// Calls `work` with each number once, on so many threads; throws what the first that failed threw.
    void make(std::size_t threads, const std::function<void(std::int64_t)>& work) {
        std::vector<std::jthread> others;
        for (std::size_t i = 1; i < threads; ++i) others.emplace_back([&] { takeTurns(work); });
        takeTurns(work);
        others.clear();
        if (m_failure) std::rethrow_exception(m_failure);
    }

private:
    void takeTurns(const std::function<void(std::int64_t)>& work) {
        try {
            for (auto next = take(); next < m_count; next = take()) work(next);
        } catch (...) {
            const std::lock_guard lock(m_mutex);
            if (!m_failure) m_failure = std::current_exception();
            m_next = m_count;
        }
    }
    std::int64_t take() {
        const std::lock_guard lock(m_mutex);
        return m_next < m_count ? m_next++ : m_count;
    }

    std::int64_t m_count, m_next = 0;
    std::mutex m_mutex;
    std::exception_ptr m_failure;
};

}  // namespace

void RehearsedMemory::raiseTo(const RehearsedMemory& other) {
    for (const auto part : {&RehearsedMemory::weights, &RehearsedMemory::gradients, &RehearsedMemory::moments,
                            &RehearsedMemory::average, &RehearsedMemory::batch,
                            &RehearsedMemory::savedForBackward, &RehearsedMemory::peak})
        this->*part = std::max(this->*part, other.*part);
}

RehearsedRank rehearseRank(const RehearsedRun& run, std::int64_t rank) {
    const MetaComputeScope computing;
    MemoryMeter meter;
    const auto& config = run.config;
    const auto ranks = ranksOf(run, rank);
    const Mesh mesh(config, ranks);
    requireEvenSplit(config, mesh.sizes().dp);

    RehearsedRank result;
    const auto world = recordingProcessGroup(rank, run.ranks, result.recorded);
    const ParallelDims groups(mesh, *world);
    const auto model =
        lora::trainedPart(makeModelWithTextEncoder(shapeOf(run), at::kMeta), config, [&](const Model& base) {
            const auto isPart = lora::baseOf(config, base);
            const auto shard = shardReader(base, groups.tensorParallelGroup());
            const auto held = base.weightsOnMeta([&](const std::string& name, const at::Tensor& weight) {
                return isPart(name) ? shard(name, weight) : at::Tensor();
            });
            return lora::BaseWeights{config.runtime.precision == "bf16" ? bf16Copies(held) : held,
                                     "rehearsed"};
        });
    const auto frozen = lora::trainsPart(config) ? meter.currentBytes() : 0;
    const auto objective = makeObjective(config.diffusion);
    auto& memory = result.memory;

    TrainEngine engine(config, *model, *objective, groups, at::kMeta,
                       [&](const WeightInitializer::Keep& keep) { return model->weightsOnMeta(keep); });
    auto& weights = engine.weights();
    memory.weights = frozen + bytesOf({&weights.all(), &weights.own(), &engine.modelWeights()});
    memory.gradients = meter.currentBytes() - memory.weights;
    Params average;
    if (config.optimizer.ema_decay > 0) average = weights.own().clone();
    memory.average = bytesOf({&average});
    auto held = meter.currentBytes();
    auto settings = config.optimizer;
    settings.offload = settings.offload && run.gpu;
    const auto optimizer = makeOptimizer(weights.own(), settings, weights.ranges());
    const auto onHost = settings.offload ? meter.currentBytes() - held : 0;
    memory.moments = meter.currentBytes() - held - onHost;
    held = meter.currentBytes();
    const auto batch = batchOf(run, mesh.dataRanks());
    memory.batch = meter.currentBytes() - held;
    held = meter.currentBytes();

    meter.resetPeak();
    MeterAtBackward clock(meter);
    const auto losses = engine.forwardBackward(batch, config.optimizer.accumulate, clock);
    const auto sums = reduceStepStats(batch, {losses}, mesh, ranks, engine, *world);
    optimizerStep(
        config, kStep,
        config.optimizer.grad_clip > 0 ? std::optional(clipCoefficient(config, sums.gradNorm)) : std::nullopt,
        {engine, *optimizer, average});
    memory.savedForBackward = clock.most() - held;
    memory.peak = meter.peakBytes() - onHost;

    result.traffic = world->traffic();
    if (groups.checkpointWriterRank())
        result.checkpointBytes = writtenBytes(weights.own(), weights.ranges()) +
                                 writtenBytes(average, weights.ranges()) +
                                 writtenBytes(optimizer->state(), optimizer->stateRanges());
    return result;
}

Rehearsal rehearse(const RehearsedRun& run) {
    const auto begun = std::chrono::steady_clock::now();
    // refused before any thread begins
    const Mesh mesh(run.config, ranksOf(run, 0));
    requireEvenSplit(run.config, mesh.sizes().dp);
    const fused::FusedBackendScope route(run.gpu ? fused::FusedBackend::kernels
                                                 : fused::FusedBackend::layers);
    std::vector<RehearsedRank> ranks(static_cast<std::size_t>(run.ranks));
    Turns(run.ranks).make(std::max(1U, std::thread::hardware_concurrency()), [&](std::int64_t rank) {
        ranks[static_cast<std::size_t>(rank)] = rehearseRank(run, rank);
    });
    auto found = conclusionOf(run, ranks);
    found.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
    return found;
}

Rehearsal conclusionOf(const RehearsedRun& run, const std::vector<RehearsedRank>& ranks) {
    Rehearsal found;
    found.layout = config::layoutOf(run.config, run.ranks);
    const auto clip = longestClip(run.config);
    found.clips = clipsOfStep(run.config, clip);
    found.tokensOfClip = clip.tokens;
    std::vector<const RecordedRank*> recorded;
    std::unordered_map<std::string, std::size_t> kinds;
    for (const auto& rank : ranks) {
        const auto [known, isNew] = kinds.emplace(kindOf(rank.recorded), found.kinds.size());
        if (isNew) found.kinds.push_back({{}, rank.traffic, {}});
        auto& kind = found.kinds[known->second];
        kind.ranks.push_back(static_cast<std::int64_t>(recorded.size()));
        kind.memory.raiseTo(rank.memory);
        found.memory.raiseTo(rank.memory);
        found.checkpointBytes += rank.checkpointBytes;
        recorded.push_back(&rank.recorded);
    }
    found.agreement = matchCollectives(recorded);
    found.links = linksOf(recorded, run.ranksPerNode);
    return found;
}

}  // namespace dailies::trainer
