#include "trainer/training/vae_trainer.h"

#include "core/base/error.h"
#include "core/config/latent_size.h"
#include "trainer/denoising/collate.h"
#include "trainer/inference/clip_output.h"
#include "trainer/optim/ema.h"
#include "trainer/optim/schedule.h"
#include "trainer/runtime/device.h"
#include "trainer/runtime/host_info.h"
#include "trainer/runtime/stop_signal.h"
#include "trainer/tensors/precision.h"
#include "trainer/tensors/random.h"
#include "trainer/tensors/random_tensor.h"
#include "trainer/tokenizers/causal_vae/vae_tokenizer.h"
#include "trainer/training/resume.h"

#include <ATen/Parallel.h>
#include <torch/types.h>

#include <chrono>
#include <cmath>
#include <iterator>

namespace dailies::trainer {

namespace {

constexpr const char* kLossNames[] = {"loss", "loss/pixels", "loss/edges", "loss/divergence", "psnr"};
constexpr std::int64_t kSampledClips = 4;
constexpr std::int64_t kBeyondTraining = std::int64_t{1} << 40;  // of generated clips

/// Clips are shown to a VAE as they are, on the scale -1 … 1.
const ValueScale kPlain{};

at::Device vaeDevice(const config::TrainConfig& config, const DistEnv& ranks) {
    if (config.tokenizer.kind != "vae")
        throw InputError("train-vae: tokenizer.kind is " + config.tokenizer.kind + ", expected vae.");
    if (config.layout.cp > 1 || config.layout.tp > 1 || config.layout.pp > 1 || config.layout.shard != "none")
        throw InputError("train-vae: found layout.cp " + std::to_string(config.layout.cp) + ", layout.tp " +
                         std::to_string(config.layout.tp) + ", layout.pp " +
                         std::to_string(config.layout.pp) + " and layout.shard " + config.layout.shard +
                         ", expected 1, 1, 1 and none: a VAE is trained data-parallel.");
    at::set_num_threads(static_cast<int>(config.runtime.threads));
    return chooseDevice(config.runtime.device, ranks.localRank);
}

at::Tensor toPlanes(const at::Tensor& clips) {
    return clips.permute({0, 4, 1, 2, 3}).contiguous();
}

/// Two clips in one picture, left and right.
RgbClip sideBySide(const at::Tensor& left, const at::Tensor& right) {
    const auto both = at::cat({left, right}, 4).squeeze(0).permute({1, 2, 3, 0});
    return toRgbClip(both, kPlain);
}

Params copyToDevice(const Params& weights, at::Device device) {
    Params moved;
    for (const auto& name : weights.names()) moved.add(name, weights[name].to(device));
    return moved;
}

}  // namespace

VaeTrainer::VaeTrainer(const config::TrainConfig& config, const std::filesystem::path& runFolder,
                       const DistEnv& ranks, RunLog& log)
    : m_config(config),
      m_runFolder(runFolder),
      m_ranks(ranks),
      m_log(log),
      m_watchdog(config.watchdog, runFolder, ranks, log),
      m_lostRankHandler([this](const LostRank& lost) { return m_watchdog.endFor(lost); }),
      m_device(vaeDevice(config, ranks)),
      m_processGroup(m_watchdog.withExplanation([&] { return makeProcessGroup(ranks, m_device); })),
      m_checkpoints(runFolder, config.checkpoint),
      m_source(makeDataSource(config, {cacheFolder(config, runFolder), ranks.rank, ranks.size, {}})),
      m_vocabulary({}),
      m_text(makeTextEncoder({}, m_vocabulary, 0, m_device)),
      m_resumeStep(m_watchdog.withExplanation(
          [&] { return agreedResumeStep(m_checkpoints, *m_processGroup, m_device); })),
      m_data(dataOf(config, *m_source, m_checkpoints, m_resumeStep)),
      m_batches(config, ranks, *m_source, *m_text, kPlain, m_device, m_data.position.segments),
      m_vae(vae::Shape::of(config.tokenizer)) {
    if (m_source->latentChannels() > 0)
        throw InputError("data.latents: found " + config.data.latents +
                         ", expected none for train-vae: a VAE learns from pixels.");
    m_weights = copyToDevice(m_vae.initialWeights(config.seed), m_device);
    requireLrFactorsNameWeights(config.optimizer, m_weights.names());
    if (config.optimizer.ema_decay > 0) m_ema = m_weights.clone();
    // a step runs backward once for each group of clips: sums wait for the last
    m_gradients = std::make_unique<Gradients>(
        m_weights, FlatLayout(m_weights, 1),
        GradientReduceOptions{.replicaGroup = m_ranks.size > 1 ? m_processGroup.get() : nullptr,
                              .overlapReduce = false});
    m_optimizer = makeOptimizer(m_weights, config.optimizer);
    Json facts = {
        {"parameters", m_weights.elementCount()}, {"model", "causal VAE"}, {"device", m_device.str()}};
    m_log.append(events::Start{DAILIES_VERSION, hostName(), m_ranks.size, slurmJob(), slurmRestarts(),
                               std::move(facts)});
    try {
        resume();
    } catch (const LostRank& lost) {
        throw m_watchdog.explain(lost);
    }
}

events::End VaeTrainer::train() {
    try {
        auto end = runSteps();
        m_saver.finish();
        reportSaves();
        return end;
    } catch (const LostRank& lost) {
        const auto error = m_watchdog.explain(lost);
        m_saver.finish();
        reportSaves();
        throw error;
    } catch (...) {
        m_saver.finish();
        reportSaves();
        throw;
    }
}

events::End VaeTrainer::runSteps() {
    while (m_step < m_config.steps) {
        m_watchdog.beginStep(m_step + 1);
        const bool stop = trainStep();
        if (due(m_config.sampling.every)) sample();
        if (due(m_config.checkpoint.every) || stop) save();
        reportSaves();
        if (stop && m_step < m_config.steps)
            return {"stopped", m_step, "Asked to stop (" + stopSignalName() + ")."};
    }
    return {"finished", m_step, ""};
}

at::Tensor VaeTrainer::picturesOrClips(const at::Tensor& clips) const {
    Random random(randomKey(m_config.seed, Stream::still_clips, static_cast<std::uint64_t>(m_step)));
    if (random.uniform() >= m_config.tokenizer.image_share) return clips;
    const auto frame = random.below(static_cast<std::uint64_t>(clips.size(1)));
    return clips.narrow(1, static_cast<std::int64_t>(frame), 1);
}

at::Tensor VaeTrainer::noiseOf(const at::Tensor& like, std::span<const std::int64_t> places) const {
    std::vector<at::Tensor> noise;
    for (std::int64_t i = 0; i < like.size(0); ++i)
        noise.push_back(
            normalTensor(randomKey(m_config.seed, Stream::posterior, static_cast<std::uint64_t>(m_step),
                                   static_cast<std::uint64_t>(places[static_cast<std::size_t>(i)])),
                         like[i].sizes()));
    return at::stack(noise).to(m_device);
}

at::Tensor VaeTrainer::forwardBackward(const Batch& batch) {
    at::Tensor sums;
    std::span<const std::int64_t> places = batch.globalIndices;
    for (const auto& group : batch.groups) {
        const AutocastScope autocast(m_device, m_config.runtime.precision);
        const auto clips = toPlanes(picturesOrClips(group.clips));
        vae::StreamState encoding, decoding;
        auto posterior = m_vae.encode(m_weights, clips, encoding);
        posterior = {posterior.mean.to(at::kFloat), posterior.logVariance.to(at::kFloat)};
        const auto latents = posterior.sample(noiseOf(posterior.mean, places));
        const auto reconstruction = m_vae.decode(m_weights, latents, decoding).to(at::kFloat);
        const auto loss = vae::lossOf(clips, reconstruction, posterior, m_config.tokenizer);
        (loss.total.sum() / static_cast<double>(batch.globalClips)).backward();
        const auto ofGroup =
            at::stack({loss.total, loss.pixels, loss.edges, loss.divergence, loss.squares}).detach().sum(1);
        sums = sums.defined() ? sums + ofGroup : ofGroup;
        places = places.subspan(static_cast<std::size_t>(clips.size(0)));
    }
    return sums;
}

bool VaeTrainer::trainStep() {
    const auto began = std::chrono::steady_clock::now();
    const auto batch = m_batches.load(++m_step);
    m_gradients->clear();
    m_gradients->beginPass(/*last=*/true);
    auto sums = forwardBackward(batch);
    const at::NoGradGuard noGradients;
    m_gradients->finish();
    sums = at::cat({sums, at::full({1}, stopRequested() ? 1.0 : 0.0, sums.options())});
    m_processGroup->allReduce(sums);
    const auto norm = m_gradients->norm();
    const auto gradNorm = norm.item<double>();
    sums = sums.to(at::kCPU, at::kDouble);
    if (!std::isfinite(gradNorm) || !std::isfinite(sums[0].item<double>()))
        throw Error(
            "Training diverged at step " + std::to_string(m_step) + ": its loss or gradient is not finite.",
            "Lower optimizer.lr.");
    m_saver.waitUntilCopied();
    const double clip = m_config.optimizer.grad_clip;
    if (clip > 0 && gradNorm > clip) m_gradients->scale(clip / (norm + 1e-6));
    const auto rate = learningRate(m_config, m_step);
    m_optimizer->step(m_gradients->own(), rate);
    if (!m_ema.names().empty()) updateEma(m_ema, m_weights, emaDecay(m_config.optimizer, m_step));

    const auto losses = std::ssize(kLossNames);
    m_window.sums.resize(static_cast<std::size_t>(losses));
    for (std::int64_t i = 0; i < losses; ++i)
        m_window.sums[static_cast<std::size_t>(i)] += sums[i].item<double>();
    m_window.clips += static_cast<double>(batch.globalClips);
    m_window.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    if (due(m_config.runtime.log_every)) logMetrics(rate, gradNorm);
    return sums[losses].item<double>() > 0;
}

void VaeTrainer::logMetrics(double rate, double gradNorm) {
    std::map<std::string, double> values;
    for (std::size_t i = 0; i < std::size(kLossNames); ++i)
        values[kLossNames[i]] = m_window.sums[i] / m_window.clips;
    values["psnr"] = vae::Loss::psnr(values["psnr"]);
    values["lr"] = rate;
    values["grad_norm"] = gradNorm;
    values["clips_per_second"] = m_window.clips / m_window.seconds;
    m_log.append(events::Metrics{m_step, std::move(values)});
    m_window = {};
    for (const auto& problem : m_source->takeProblems())
        m_log.append(events::Health{"bad_input", problem, m_step});
}

void VaeTrainer::sample() {
    if (!m_ranks.isRank0()) return;
    m_watchdog.enterActivity("sampling");
    const at::NoGradGuard noGradients;
    const VaeTokenizer tokenizer(m_config.tokenizer, m_vae.shape(), sampledWeights());
    const auto size = m_source->size();
    const auto count = size > 0 ? std::min(size, kSampledClips) : kSampledClips;
    double squares = 0;
    for (std::int64_t i = 0; i < count; ++i) {
        const auto example = m_source->example(size > 0 ? i * (size / count) : kBeyondTraining + i);
        const auto clip = scaledValues(valuesOf(example), kPlain).unsqueeze(0);
        const auto back = tokenizer.decode(tokenizer.encode(clip)).to(at::kCPU);
        squares += (back - clip).square().mean().item<double>();
        events::Clip event;
        event.step = m_step;
        event.prompt = example.caption + " | reconstructed";
        event.seed = i;
        event.fps = static_cast<double>(m_config.data.fps);
        const auto note = Json{{"step", m_step}, {"left", "the clip"}, {"right", "its reconstruction"}};
        writeClipOfRun(m_runFolder, "reconstruction-" + std::to_string(i),
                       sideBySide(toPlanes(clip), toPlanes(back)), event, note, m_log);
    }
    m_log.append(
        events::Metrics{m_step, {{"sample_psnr", vae::Loss::psnr(squares / static_cast<double>(count))}}});
}

void VaeTrainer::save() {
    if (!m_ranks.isRank0() || m_savedStep == m_step) return;
    m_savedStep = m_step;
    m_watchdog.enterActivity("checkpoint");
    m_saver.begin({m_step,
                   m_weights,
                   m_ema,
                   m_optimizer->state(),
                   m_vae.shape().toJson(),
                   {{"position", m_data.position.toJson()}},
                   config::toJson(m_config),
                   {{"sums", m_window.sums}, {"clips", m_window.clips}, {"seconds", m_window.seconds}},
                   m_log.newestMetrics()});
}

void VaeTrainer::reportSaves() {
    for (const auto& result : m_saver.takeFinished()) {
        if (result.error.empty())
            m_log.append(events::Checkpoint{result.step, result.saved.path, result.saved.bytes});
        else
            m_log.append(events::Health{"checkpoint_not_written", result.error, result.step});
    }
}

void VaeTrainer::resume() {
    if (!m_resumeStep) return;
    auto state = m_checkpoints.load(*m_resumeStep);
    if (state.model != m_vae.shape().toJson())
        throw InputError("The checkpoint of step " + std::to_string(state.step) + " has another VAE: " +
                             state.model.dump() + ", the config tells " + m_vae.shape().toJson().dump() + ".",
                         "Give the run the checkpoint's tokenizer group, or start a new run.");
    copyInto(m_weights, state.weights);
    copyInto(m_optimizer->state(), state.optimizer);
    if (!m_ema.names().empty())
        copyInto(m_ema, state.average.names().empty() ? state.weights : state.average);
    m_window.sums = state.progress.at("sums").get<std::vector<double>>();
    m_window.clips = state.progress.at("clips").get<double>();
    m_window.seconds = state.progress.at("seconds").get<double>();
    m_step = m_savedStep = state.step;
    m_log.append(events::Resume{m_step});
    logDataChanges(m_data, m_log);
}

}  // namespace dailies::trainer
