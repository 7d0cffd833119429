#include "core/planner/speed.h"

#include "core/config/family_traits.h"
#include "core/config/recompute.h"
#include "core/planner/activations.h"
#include "core/planner/clip_flops.h"
#include "core/planner/units.h"

#include <algorithm>
#include <cmath>

namespace dailies::planner {

namespace {

constexpr double kFusedBytes = 144, kUnfusedTimes = 3.2;  // a channel of a token of a block, in bfloat16
constexpr double kTurnBytes = 48;  // a channel of a token: sums of a ring's turn in float32, read and written
constexpr double kWeightBytes = 10;                            // cast, and its gradient added to the sum
constexpr double kForwardKernels = 40, kBackwardKernels = 80;  // of a block
constexpr double kBackwardProducts = 2.5;                      // of attention's two

/// A pass over one micro-batch of one rank, forward or backward.
struct Pass {
    double products = 0, attention = 0, elementWise = 0, tensorParallel = 0, contextParallel = 0;
    double starting = 0;  ///< its kernels, by a CPU that runs ahead

    double computing() const { return products + attention + elementWise; }
    double launches() const { return std::max(0.0, starting - computing()); }
    double seconds() const { return std::max(starting, computing()) + tensorParallel + contextParallel; }
    Pass& operator+=(const Pass& other) {
        starting += other.starting;
        products += other.products;
        attention += other.attention;
        elementWise += other.elementWise;
        tensorParallel += other.tensorParallel;
        contextParallel += other.contextParallel;
        return *this;
    }
};

/// How `count` ranks that are each `stride` apart reach each other.
struct Group {
    double count = 1;
    double bytesPerSecond = 1;  ///< of each, all sending at once round a ring that visits node after node
    double neighbour = 1;       ///< bytes a second from each to the next, at the slowest place
    double latency = 0;

    double othersShare() const { return (count - 1) / count; }
    /// Of a message of so many bytes each sends all but its own share.
    double shared(double bytes) const {
        return count > 1 ? bytes * othersShare() / bytesPerSecond + latency : 0;
    }
};

Group groupOf(std::int64_t count, std::int64_t stride, const Machines& machines, const MachineRates& rates) {
    const bool inside = count * stride <= machines.ranksPerNode;
    const auto inNode =
        static_cast<double>(std::clamp<std::int64_t>(machines.ranksPerNode / stride, 1, count));
    return {.count = static_cast<double>(count),
            .bytesPerSecond = inside ? rates.intraNodeBandwidth
                                     : std::min(rates.intraNodeBandwidth, rates.interNodeBandwidth * inNode),
            .neighbour = inside ? rates.intraNodeBandwidth : rates.interNodeBandwidth,
            .latency = inside ? rates.intraNodeLatency : rates.interNodeLatency};
}

double unfusedTimes(const config::TrainConfig& config, bool gpu) {
    return blockBackend(config, gpu) == BlockBackend::operations ? kUnfusedTimes : 1;
}

/// One bucket's passes under a layout.
class Passes {
public:
    Passes(const config::TrainConfig& config, const DataShape& data, const ClipShape& clip,
           const Layout& layout, const Machines& machines, const MachineRates& rates)
        : m_layout(layout), m_rates(rates), m_counted(clipFlops(config, data, clip)) {
        const auto& model = config.model;
        const auto dp = static_cast<double>(layout.dp);
        m_clipsOfStep = config.data.packing ? static_cast<double>(config.data.tokens_per_step) /
                                                  static_cast<double>(clip.tokens)
                                            : static_cast<double>(config.data.batch_size);
        m_clips = m_clipsOfStep / dp / static_cast<double>(layout.microBatches);
        m_tokensOfClip = static_cast<double>(clip.tokens);
        m_tokens = m_clips * m_tokensOfClip / static_cast<double>(layout.cp());
        m_blocks = static_cast<double>(model.depth) / static_cast<double>(layout.pp);
        m_width = static_cast<double>(model.width);
        m_backwardProducts = config.lora.rank > 0 ? 1 : 2;
        const auto keyHeads = model.kv_heads > 0 ? model.kv_heads : model.heads;
        m_keyWidth = m_width * static_cast<double>(keyHeads) / static_cast<double>(model.heads);
        m_bytes = config.runtime.precision == "bf16" ? kHalf : kFloat;
        m_subLayers = config::projectsText(model) || data.textWidth > 0 ? 3 : 2;
        m_share = m_clips / static_cast<double>(layout.cp() * layout.tp * layout.pp);
        m_keys = layout.ring > 1 ? m_tokensOfClip / static_cast<double>(layout.ring) : meanSpan(config, clip);
        m_words = static_cast<double>(textTokensRead(config, data));
        m_elementBytes = m_tokens * m_width / static_cast<double>(layout.tp) * m_blocks * m_bytes / kHalf *
                         kFusedBytes * unfusedTimes(config, rates.gpu);
        if (config::isUnet(model))  // every number is written once and read once
            m_elementBytes = 2 * activations(config, data, clip, m_clips, rates.gpu).kept;
        m_tensor = groupOf(layout.tp, 1, machines, rates);
        m_ulysses = groupOf(layout.ulysses, layout.tp, machines, rates);
        m_ring = groupOf(layout.ring, layout.tp * layout.ulysses, machines, rates);
    }

    double clipsOfStep() const { return m_clipsOfStep; }
    double tokensOfStep() const { return m_clipsOfStep * m_tokensOfClip; }
    const ClipFlops& counted() const { return m_counted; }
    double blocks() const { return m_blocks; }
    /// What a stage hands to the next, one way, of a micro-batch.
    double stageBytes() const { return m_tokens * m_width / static_cast<double>(m_layout.tp) * m_bytes; }

    Pass forward() const {
        return {.products = productsSeconds(m_counted.attentionProjections + m_counted.mlp + m_counted.rest),
                .attention = sdpaSeconds(1, m_rates.attentionForward, m_rates.halfRateKeys),
                .elementWise = (m_elementBytes / 3 + turnBytes(kTurnBytes / 4)) / m_rates.memoryBytes,
                .tensorParallel = tensorSeconds(),
                .contextParallel = contextSeconds(/*backward=*/false),
                .starting = startingSeconds(kForwardKernels)};
    }
    Pass backward() const {
        return {.products = m_backwardProducts *
                            productsSeconds(m_counted.attentionProjections + m_counted.mlp + m_counted.rest),
                .attention =
                    sdpaSeconds(kBackwardProducts, m_rates.attentionBackward, m_rates.halfRateKeysBackward),
                .elementWise = (m_elementBytes * 2 / 3 + turnBytes(kTurnBytes * 3 / 4)) / m_rates.memoryBytes,
                .tensorParallel = tensorSeconds(),
                .contextParallel = contextSeconds(/*backward=*/true),
                .starting = startingSeconds(kBackwardKernels)};
    }
    /// What the backward pass computes of the forward pass again.
    Pass again(const std::string& recompute) const {
        if (config::recomputesBlocks(recompute)) return forward();
        if (recompute == "none") return {};
        const auto once = forward();
        return {.products = productsSeconds(m_counted.mlp),
                .elementWise = once.elementWise / m_subLayers,
                .tensorParallel = m_layout.tp > 1 ? once.tensorParallel / m_subLayers / 2 : 0,
                .starting = once.starting / m_subLayers};
    }

private:
    double startingSeconds(double kernelsOfBlock) const {
        return kernelsOfBlock * m_blocks * m_rates.launchSeconds;
    }
    double productsSeconds(double ofTokens) const {
        const double ofText = m_counted.textProjections * m_clips /
                              static_cast<double>(m_layout.tp * m_layout.pp);  // every rank of cp makes them
        return (ofTokens * m_share + ofText) / m_rates.products;
    }
    static double reached(double rate, double halfRateKeys, double keys) {
        return rate * keys / (keys + halfRateKeys);
    }
    double sdpaSeconds(double times, double rate, double halfRateKeys) const {
        double seconds = times * m_counted.sdpa * m_share / reached(rate, halfRateKeys, m_keys);
        if (m_counted.textSdpa > 0)
            seconds += times * m_counted.textSdpa * m_share / reached(rate, halfRateKeys, m_words);
        return seconds;
    }
    /// Merging the turns of a ring but the first.
    double turnBytes(double ofChannel) const {
        return static_cast<double>(m_layout.ring - 1) * ofChannel * m_tokens * m_width /
               static_cast<double>(m_layout.tp) * m_blocks;
    }
    /// A gather before and a reduce-scatter behind each sub-layer.
    double tensorSeconds() const {
        return m_blocks * m_subLayers * 2 * m_tensor.shared(m_tokens * m_width * m_bytes);
    }
    /// Queries, keys, values and mixtures change hands; a ring's turns are hidden by attention as far as it
    /// lasts. Backward, gradients of keys and values in float32 travel with them.
    double contextSeconds(bool backward) const {
        const double ofTensor = m_tokens / static_cast<double>(m_layout.tp) * m_bytes;
        double seconds =
            2 * m_ulysses.shared(ofTensor * m_width) + 2 * m_ulysses.shared(ofTensor * m_keyWidth);
        if (m_layout.ring > 1) {
            const double attention =
                backward
                    ? sdpaSeconds(kBackwardProducts, m_rates.attentionBackward, m_rates.halfRateKeysBackward)
                    : sdpaSeconds(1, m_rates.attentionForward, m_rates.halfRateKeys);
            const double ofElement = m_bytes + (backward ? kFloat : 0);
            const double block = 2 * m_keyWidth * ofElement * m_tokens / static_cast<double>(m_layout.tp);
            const double turn = block / m_ring.neighbour + m_ring.latency;
            seconds += (m_ring.count - 1) * std::max(0.0, turn - attention / m_blocks / m_ring.count);
        }
        return m_blocks * seconds;
    }

    const Layout& m_layout;
    const MachineRates& m_rates;
    ClipFlops m_counted;
    double m_clipsOfStep = 0, m_clips = 0, m_tokensOfClip = 0;  ///< `m_clips`: of a micro-batch
    double m_tokens = 0;                                        ///< of a rank in a micro-batch
    double m_blocks = 0, m_width = 0, m_keyWidth = 0, m_bytes = 0, m_subLayers = 0;
    double m_share = 0;             ///< of a clip's operations, what this rank takes of a micro-batch
    double m_backwardProducts = 2;  ///< for each of forward's: of the inputs, and of weights that are trained
    double m_keys = 0, m_words = 0, m_elementBytes = 0;
    Group m_tensor, m_ulysses, m_ring;
};

/// What a rank holds of the weights, and those with which it sums their gradients.
struct Holding {
    double elements = 0;
    Group divided, copies;  ///< within which states are divided, and across these groups
};

Holding holdingOf(const config::TrainConfig& config, const DataShape& data, const Layout& layout,
                  const Machines& machines, const MachineRates& rates) {
    const auto alike = layout.dp * layout.cp();
    return {static_cast<double>(elementCount(trainedSizesOfRank(layout.applyTo(config), data))),
            groupOf(layout.shardRanks, layout.tp, machines, rates),
            groupOf(alike / layout.shardRanks, layout.tp * layout.shardRanks, machines, rates)};
}

/// What sums and gathers of weights' size take that no pass hides.
struct WeightTraffic {
    double sums = 0, gathers = 0;
};

WeightTraffic trafficOf(const config::TrainConfig& config, const Layout& layout, const Holding& holding,
                        double forward, double backward) {
    const double gradients = (config.layout.gradient_sums == "bf16" ? kHalf : kFloat) * holding.elements;
    const bool gathersHalf = layout.shard == "zero3" && config.optimizer.master_weights;
    const double gather = holding.divided.shared((gathersHalf ? kHalf : kFloat) * holding.elements);
    const double scatter = holding.divided.shared(gradients);
    const double across = 2 * holding.copies.shared(gradients / holding.divided.count);
    const auto parts = static_cast<double>(layout.microBatches);
    if (layout.shard == "zero3")
        return {std::max(0.0, across + scatter - backward),
                parts * (std::max(0.0, gather - forward) +
                         std::max(0.0, gather + scatter - std::max(backward, scatter)))};
    const double eachPart = layout.shard == "zero2" ? std::max(0.0, scatter - backward) * (parts - 1) : 0;
    return {eachPart + std::max(0.0, scatter + across - backward), layout.shard == "none" ? 0 : gather};
}

/// Products of Muon's update of the matrices of attention and MLP, as if each had a side of the model's
/// width: five times the product of a matrix with itself, that of the result, and of that with the matrix.
double muonProducts(const config::TrainConfig& config, const std::vector<WeightSize>& weights) {
    if (config.optimizer.name != "muon") return 0;
    constexpr double kIterations = 5;
    double products = 0;
    for (const auto& weight : weights) {
        if (weight.use == WeightUse::exact) continue;
        const auto elements = static_cast<double>(weight.elements),
                   width = static_cast<double>(config.model.width);
        const double shorter = std::min(width, elements / width);
        products += static_cast<double>(weight.count) * kIterations *
                    (4 * shorter * elements + 2 * shorter * shorter * shorter);
    }
    return products;
}

double optimizerSeconds(const config::TrainConfig& config, const Holding& holding,
                        const MachineRates& rates) {
    const double moments = config.optimizer.name == "adamw8bit" ? 4
                           : config.optimizer.name == "muon"    ? 2 * kFloat
                                                                : 4 * kFloat;
    const double average = config.optimizer.ema_decay > 0 ? 2 * kFloat : 0;
    const double norm = kFloat, weightsAndGradients = 3 * kFloat;
    return holding.elements / holding.divided.count * (moments + average + norm + weightsAndGradients) /
           rates.memoryBytes;
}

}  // namespace

double StepSpeed::exposedCommunication() const {
    return tensorParallel + contextParallel + gradientSums + weightGathers + stageSends;
}

double StepSpeed::seconds() const {
    return products + attention + elementWise + launches + exposedCommunication() + bubble + optimizer;
}

double StepSpeed::flopsPerRank() const {
    return operations / seconds() / static_cast<double>(ranks);
}

std::optional<double> StepSpeed::mfu() const {
    if (!peak) return std::nullopt;
    return flopsPerRank() / *peak;
}

std::vector<TimePart> StepSpeed::parts() const {
    std::vector<TimePart> parts{{"matrix products", products},
                                {"attention", attention},
                                {"elementwise ops", elementWise},
                                {"kernel launch overhead", launches},
                                {"tensor parallel", tensorParallel},
                                {"context parallel", contextParallel},
                                {"gradient sums", gradientSums},
                                {"weight all-gather", weightGathers},
                                {"stage to stage", stageSends},
                                {"bubble", bubble},
                                {"optimizer", optimizer}};
    std::erase_if(parts, [](const TimePart& part) { return part.seconds <= 0; });
    std::ranges::stable_sort(parts, std::ranges::greater(), &TimePart::seconds);
    return parts;
}

StepSpeed estimateSpeed(const config::TrainConfig& config, const DataShape& data, const Layout& layout,
                        const Machines& machines, const MachineRates& rates) {
    StepSpeed step{.ranks = machines.ranks(), .peak = rates.peak};
    const auto holding = holdingOf(config, data, layout, machines, rates);
    const auto clips = clipShapes(config);
    const double share = 1 / static_cast<double>(clips.size());  // of the steps, each bucket's
    const auto parts = static_cast<double>(layout.microBatches);
    const auto nextStage = groupOf(2, machines.ranks() / layout.pp, machines, rates);
    for (const auto& clip : clips) {
        const Passes passes(config, data, clip, layout, machines, rates);
        const auto forward = passes.forward();
        auto backward = passes.backward();
        backward += passes.again(layout.recompute);
        if (config.data.source == "preferences") backward += forward;  // of the base that it is compared with
        backward.elementWise += kWeightBytes * holding.elements / rates.memoryBytes;
        const double launches = forward.launches() + backward.launches();
        auto both = forward;
        both += backward;
        const auto chunks = static_cast<double>(layout.ppChunks);
        const double sends =
            layout.pp > 1 ? 2 * chunks * (passes.stageBytes() / nextStage.neighbour + nextStage.latency) : 0;
        // stages sum gradients when all parts are through: nothing hides that
        const auto traffic = trafficOf(config, layout, holding, layout.pp > 1 ? 0 : forward.seconds(),
                                       layout.pp > 1 ? 0 : backward.seconds());
        step.products += share * parts * both.products;
        step.attention += share * parts * both.attention;
        step.elementWise += share * parts * both.elementWise;
        step.launches += share * parts * launches;
        step.tensorParallel += share * parts * both.tensorParallel;
        step.contextParallel += share * parts * both.contextParallel;
        step.stageSends += share * parts * sends;
        step.bubble += share * static_cast<double>(layout.pp - 1) / chunks *
                       (forward.seconds() + backward.seconds() + sends);
        step.gradientSums += share * traffic.sums;
        step.weightGathers += share * traffic.gathers;
        step.tokens += share * passes.tokensOfStep();
        step.operations +=
            share * passes.clipsOfStep() * (passes.counted().forward() + passes.counted().backward());
        step.standardFlops += share * passes.clipsOfStep() * passes.counted().standard();
    }
    step.optimizer = optimizerSeconds(config, holding, rates) +
                     muonProducts(config, trainedSizesOfRank(layout.applyTo(config), data)) / rates.products;
    return step;
}

MachineRates calibratedRates(const config::TrainConfig& config, const DataShape& data, const Layout& layout,
                             const Machines& machines, const MachineRates& rates, double tokensPerSecond) {
    double slow = std::log(0.05), fast = std::log(20);
    for (int i = 0; i < 50; ++i) {
        const double middle = (slow + fast) / 2;
        const auto speed = estimateSpeed(config, data, layout, machines, rates.faster(std::exp(middle)));
        (speed.tokensPerSecond() < tokensPerSecond ? slow : fast) = middle;
    }
    auto calibrated = rates.faster(std::exp((slow + fast) / 2));
    calibrated.source = "a measured step";
    return calibrated;
}

}  // namespace dailies::planner
