#include "trainer/training/trainer.h"

#include "core/base/byte_units.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/config/latent_size.h"
#include "core/config/no_clips_reason.h"
#include "core/planner/memory.h"
#include "trainer/data/dataset_report.h"
#include "trainer/lora/checkpoint_base.h"
#include "trainer/lora/lora_model.h"
#include "trainer/lora/trained_part.h"
#include "trainer/meters/device_info.h"
#include "trainer/meters/step_trace.h"
#include "trainer/models/model_with_text_encoder.h"
#include "trainer/optim/schedule.h"
#include "trainer/optim/step_guard.h"
#include "trainer/parallel/tensor_parallel_shards.h"
#include "trainer/runtime/device.h"
#include "trainer/runtime/device_phase_clock.h"
#include "trainer/runtime/host_info.h"
#include "trainer/runtime/stop_signal.h"
#include "trainer/training/certificate.h"
#include "trainer/training/resume.h"
#include "trainer/training/step.h"

#include <ATen/Parallel.h>
#include <torch/types.h>
#include <torch/version.h>

#include <cmath>
#include <cstdio>
#include <iostream>
#include <numeric>

namespace dailies::trainer {

namespace {

constexpr std::int64_t kNonFiniteLimit = 10;
constexpr std::size_t kProblemsShown = 20;

at::Device prepareDevice(const config::TrainConfig& config, const DistEnv& ranks) {
    at::set_num_threads(static_cast<int>(config.runtime.threads));
    return chooseDevice(config.runtime.device, ranks.localRank);
}

ClipSize sizeOf(const at::Tensor& clips) {
    return {clips.size(1), clips.size(2), clips.size(3)};
}

/// Those that a new run begins with; of an adapter its base, which checkpoints do not hold.
std::unique_ptr<pretrained::InitialWeights> openInitial(const config::TrainConfig& config,
                                                        std::optional<std::int64_t> resumeStep) {
    if (config.model.init.empty() || (resumeStep && !lora::trainsPart(config))) return nullptr;
    return std::make_unique<pretrained::InitialWeights>(config.model.init);
}

Json trainedWith(const pretrained::InitialWeights* init) {
    return init ? init->trainedWith() : Json::object();
}

bool clipsCanBeSampled(const config::TrainConfig& config, bool isExpert, RunLog& log) {
    auto why = config::noClipsReason(config);
    if (why.empty() && isExpert && config.sampling.other_expert.empty())
        why =
            "Its model is one of two, each for a part of the noise. Name the other one as "
            "sampling.other_expert.";
    if (!why.empty()) log.append(events::Message{"warning", "This run samples no clips. " + why});
    return why.empty();
}

double busyIn(const PhaseSeconds& seconds) {
    return std::accumulate(seconds.begin(), seconds.end(), 0.0) -
           seconds[static_cast<std::size_t>(Phase::reduce)];
}

std::string rounded(double value, int digits) {
    char text[64];
    std::snprintf(text, sizeof text, "%.*f", digits, value);
    return text;
}

/// With the digits that a person reads.
std::string significant(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.4g", value);
    return text;
}

}  // namespace

Trainer::Trainer(const config::TrainConfig& config, const std::filesystem::path& runFolder,
                 const DistEnv& ranks, RunLog& log)
    : m_config(config),
      m_runFolder(runFolder),
      m_ranks(ranks),
      m_log(log),
      m_watchdog(config.watchdog, runFolder, ranks, log, config.layout.pp),
      m_lostRankHandler([this](const LostRank& lost) { return m_watchdog.endFor(lost); }),
      m_device(prepareDevice(config, ranks)),
      m_mesh(config, ranks),
      m_processGroup(m_watchdog.withExplanation([&] { return makeProcessGroup(ranks, m_device); })),
      m_groups(m_mesh, *m_processGroup),
      m_checkpoints(runFolder, config.checkpoint),
      m_resumeStep(m_watchdog.withExplanation(
          [&] { return agreedResumeStep(m_checkpoints, *m_processGroup, m_device); })),
      m_init(openInitial(config, m_resumeStep)),
      m_data(config, runFolder, ranks, m_device, m_checkpoints, m_resumeStep, trainedWith(m_init.get())),
      m_shape(m_data.shape(config)),
      m_model(makeModelWithTextEncoder(m_shape, m_device)),
      m_objective(makeObjective(config.diffusion)),
      m_loader(config, m_mesh.dataRanks(), m_data.training(), m_data.text(), m_data.scale(), m_device,
               m_data.resumed().position.segments),
      m_batches(config, m_loader, m_device),
      m_stragglers(ranks.size, config.watchdog.straggler_factor) {
    try {
        prepare();
    } catch (const LostRank& lost) {
        throw m_watchdog.explain(lost);
    }
}

void Trainer::prepare() {
    if (m_init) {
        requireInitialTokenizer(m_init->trainedWith(), m_data.tokenizerIdentity());
        requireInitialImageEncoder(m_init->trainedWith(), imageEncoderOf(m_data.conditionEncoder()));
        m_init->fit(*m_model, m_config.diffusion);
    }
    m_isExpert = isExpert();
    m_model = lora::trainedPart(std::move(m_model), m_config,
                                [this](const Model& model) { return partBase(model); });
    requireLrFactorsNameWeights(m_config.optimizer, m_model->weightsOnMeta().names());
    logStart();
    verifyLayout();  // in the memory that the run's own weights and states are about to take
    m_engine = std::make_unique<TrainEngine>(
        m_config, *m_model, *m_objective, m_groups, m_device,
        [&](const WeightInitializer::Keep& keep) { return firstWeights(keep); });
    if (m_config.optimizer.ema_decay > 0) m_ema = weights().own().clone();
    m_optimizer = makeOptimizer(weights().own(), m_config.optimizer, weights().ranges());
    m_clock = makePhaseClock(m_device);
    if (const auto peak = peakFlops(deviceName(m_device)))
        m_meter = StepMeter(*peak * static_cast<double>(m_ranks.size));
    if (m_resumeStep) restore(*m_resumeStep);
    if (m_config.validation.every > 0)
        m_validation =
            std::make_unique<Validation>(m_config, m_mesh.dataRanks(), m_data.source(), m_data.heldOut(),
                                         m_data.text(), m_data.scale(), *m_model, *m_objective, m_device);
    if (m_mesh.dataRanks().isRank0() && clipsCanBeSampled(m_config, m_isExpert, m_log)) {
        m_otherExpert = makeOtherExpert(m_config, m_shape, m_device);
        const SamplerParts parts{m_data.text(), m_data.tokenizer(), m_data.conditionEncoder(), m_data.scale(),
                                 *m_model,      m_device,           m_otherExpert.get()};
        m_sampling = std::make_unique<Sampling>(m_config, m_runFolder, m_data.source(), m_data.vocabulary(),
                                                parts, clipsAtOnce(), m_groups.tokens(), m_log);
    }
    reportDataProblems();
}

bool Trainer::isExpert() const {
    const auto trained =
        m_resumeStep ? m_checkpoints.manifest(*m_resumeStep).at("data") : trainedWith(m_init.get());
    return trained.is_object() && trained.value("expert", false);
}

Params Trainer::firstWeights(const WeightInitializer::Keep& keep) const {
    if (!m_init) return m_model->initialWeights(m_config.seed, keep);
    return m_model->weightsFrom([&](const std::string& name) { return m_init->read(name); }, keep,
                                m_config.seed);
}

lora::BaseWeights Trainer::partBase(const Model& model) const {
    if (m_config.lora.rank > 0)
        lora::requireTargets(model, m_config.lora.targets);  // before many gigabytes are read
    auto storage = lora::BaseStorage::of(m_config);
    storage.shardOf = shardReader(model, m_groups.tensorParallelGroup());
    auto base = lora::loadBase(
        model, [this](const std::string& name) { return m_init->read(name); }, m_device, storage,
        lora::baseOf(m_config, model));
    base.weights.setTensorParallel(m_groups.weights());
    if (m_resumeStep)
        lora::requireSameBase(m_checkpoints.manifest(*m_resumeStep).at("model"), base, m_config.model.init);
    return base;
}

Json Trainer::savedShape() const {
    auto shape = m_shape.toJson();
    lora::addPartShape(*m_model, shape);
    return shape;
}

void Trainer::verifyLayout() {
    if (!config::provesLayout(m_config, m_ranks.size)) return;
    m_watchdog.enterActivity("certificate");
    const auto certificate =
        certify({m_config, m_shape, *m_objective, m_data.training(), m_data.text(), m_data.scale(), m_device},
                m_ranks, m_mesh, m_groups, *m_processGroup);
    if (!certificate) {
        m_log.append(
            events::Message{"warning",
                            "The layout was not proven: two blocks of the model and one whole clip are "
                            "too large for the GPU of rank 0."});
        return;
    }
    m_log.append(*certificate);
    if (!certificate->proven) throw LayoutMismatchError(*certificate, m_ranks.isRank0());
}

events::End Trainer::train() {
    try {
        auto end = runSteps();
        finishSaves();
        return end;
    } catch (const LostRank& lost) {
        const auto error = m_watchdog.explain(lost);
        finishSaves();
        throw error;
    } catch (...) {
        finishSaves();  // a checkpoint that was being written is told of before the failure
        throw;
    }
}

events::End Trainer::runSteps() {
    m_sentBytes = m_processGroup->traffic().bytes();
    m_sentStep = m_step;
    while (m_step < m_config.steps) {
        m_watchdog.beginStep(m_step + 1);
        const auto result = nextStep();
        ++m_step;

        guard(result);
        logMetrics(result);
        if (due(m_config.validation.every)) validate();
        if (due(m_config.sampling.every)) sample();
        if (due(m_config.checkpoint.every) || result.stop) save();
        reportSaves();
        if (result.stop && m_step < m_config.steps)
            return {"stopped", m_step, "Asked to stop (" + stopSignalName() + ")."};
    }
    return {"finished", m_step, ""};
}

Trainer::StepResult Trainer::trainStep() {
    StepResult result;
    const auto batch = m_batches.take(m_step + 1, *m_clock);
    const auto losses = m_engine->forwardBackward(batch, m_config.optimizer.accumulate, *m_clock);
    for (const auto& note : m_engine->takeNotes()) m_log.append(events::Message{"info", note});
    m_batches.prefetchNext(m_step + 2, *m_clock);

    m_clock->enter(Phase::reduce);
    const auto sums = reduceStepStats(batch, {losses, stopRequested(), m_busySeconds}, m_mesh, m_ranks,
                                      *m_engine, *m_processGroup);
    const auto numbers = sums.numbers.to(at::kCPU);
    result.loss = numbers[0].item<double>();
    result.stop = numbers[1].item<double>() > 0;
    result.deciles = numbers.narrow(0, 2, 2 * NoiseDeciles::kCount);
    result.likePeople = numbers[2 + 2 * NoiseDeciles::kCount].item<double>();
    result.gradNorm = sums.gradNorm.item<double>();
    result.learningRate = learningRate(m_config, m_step + 1);
    result.updated = std::isfinite(result.loss) && std::isfinite(result.gradNorm);
    m_clock->enter(Phase::update);
    if (result.updated) update(result, sums.gradNorm);
    const auto seconds = m_clock->finish();
    m_busySeconds = busyIn(seconds);
    m_meter.add(work(batch), seconds);
    reportStragglers(numbers.narrow(0, numbers.numel() - m_ranks.size, m_ranks.size));
    return result;
}

Trainer::StepResult Trainer::nextStep() {
    if (m_step + 1 != m_config.runtime.trace_step) return trainStep();
    StepTrace trace(m_device);
    auto result = trainStep();
    report(trace);
    return result;
}

void Trainer::report(StepTrace& trace) {
    const auto step = std::to_string(m_step + 1), rank = std::to_string(m_ranks.rank);
    const auto file = "traces/step-" + step + "-rank-" + rank + ".json";
    try {
        const auto spent = trace.finish(m_runFolder / file);
        auto text = "Step " + step + " was traced: rank " + rank + " computed for " +
                    rounded(spent.computing, 3) + " s";
        if (m_ranks.size > 1)
            text += " and collectives were under way for " + rounded(spent.communicating, 3) + " s, " +
                    rounded(spent.both, 3) + " s of it while it computed";
        m_log.append(events::Message{"info", text + ". ui.perfetto.dev shows " + file + "."});
    } catch (const Error& error) {
        m_log.append(events::Message{"warning", error.full()});
    }
}

void Trainer::update(const StepResult& result, const at::Tensor& gradNorm) {
    m_saver.waitUntilCopied();
    const double clip = m_config.optimizer.grad_clip;
    const bool clips = clip > 0 && result.gradNorm > clip;
    optimizerStep(m_config, m_step + 1,
                  clips ? std::optional(clipCoefficient(m_config, gradNorm)) : std::nullopt,
                  {*m_engine, *m_optimizer, m_ema});
}

StepWork Trainer::work(const Batch& batch) const {
    const auto textTokens = batch.text.mask.defined() ? batch.text.mask.size(1) : 0;
    double tokens = 0, flops = 0;
    for (const auto& group : batch.groups) {
        const auto count = group.clips.size(0);
        const auto size = sizeOf(group.clips);
        const auto each = m_model->flops(size, textTokens);
        tokens += static_cast<double>(count * m_model->tokensPerClip(size));
        flops += static_cast<double>(count * (each.forward() + each.backward()));
    }
    // other ranks' clips are taken to be as long as this one's
    return {batch.globalClips, batch.globalTokens, flops / tokens * static_cast<double>(batch.globalTokens)};
}

void Trainer::guard(const StepResult& result) {
    m_nonFiniteInARow = result.updated ? 0 : m_nonFiniteInARow + 1;
    if (result.updated) return reportSpike(result);
    m_log.append(events::Health{"non_finite",
                                "Step " + std::to_string(m_step) + " was skipped: loss " +
                                    significant(result.loss) + ", gradient norm " +
                                    significant(result.gradNorm) + ". " +
                                    whyNotFinite(std::isfinite(result.loss), m_engine->health()),
                                m_step});
    if (m_nonFiniteInARow == kNonFiniteLimit)
        throw Error("Training diverged at step " + std::to_string(m_step) + ": " +
                        std::to_string(kNonFiniteLimit) + " steps in a row had no finite loss and gradient.",
                    "Lower optimizer.lr (now " + shortNumber(m_config.optimizer.lr) + ").");
}

void Trainer::logMetrics(const StepResult& result) {
    if (result.updated) {
        m_window.sum += result.loss;
        m_window.count += 1;
        m_window.likePeople += result.likePeople;
        m_window.deciles.add(result.deciles);
    }
    if (!due(m_config.runtime.log_every)) return;
    auto values = m_meter.takeAverages();
    values.merge(m_window.deciles.means());
    values["loss"] = m_window.sum / static_cast<double>(m_window.count);
    if (m_config.data.source == "preferences")
        values["preference_accuracy"] = m_window.likePeople / static_cast<double>(m_window.count);
    values["lr"] = result.learningRate;
    values["grad_norm"] = result.gradNorm;
    if (const auto slowest = m_stragglers.slowest(); slowest && m_ranks.size > 1)
        values["slowest_rank"] = *slowest;
    if (m_ranks.size > 1) {
        const auto sent = m_processGroup->traffic().bytes();
        values["sent_mib"] = (sent - m_sentBytes) / static_cast<double>(m_step - m_sentStep) / kMebibyte;
        m_sentBytes = sent;
        m_sentStep = m_step;
    }
    values["memory_gib"] = static_cast<double>(peakMemory(m_device)) / kGibibyte;
    m_log.append(events::Metrics{m_step, std::move(values)});
    m_window = {};
    reportDataProblems();
}

void Trainer::validate() {
    m_watchdog.enterActivity("validation");
    m_log.append(
        events::Metrics{m_step, m_validation->run(evalWeights(), *m_processGroup, m_groups.tokens())});
}

void Trainer::sample() {
    const auto weights = evalWeights();
    if (!m_sampling) return;
    m_watchdog.enterActivity("sampling");
    if (m_ranks.isRank0())
        m_sampling->run(m_step, weights);
    else
        m_sampling->participate(weights);
}

void Trainer::save() {
    if (m_savedStep == m_step) return;
    m_savedStep = m_step;
    if (writes()) m_watchdog.enterActivity("checkpoint");
    if (m_groups.checkpointWriters() > 1 && !prepareShardedSave()) return;
    if (writes()) m_saver.begin(state());
}

bool Trainer::prepareShardedSave() {
    m_saver.finish();
    auto ready = at::ones({}, at::TensorOptions(m_device).dtype(at::kLong));
    try {
        if (m_ranks.isRank0()) m_checkpoints.prepare(m_step);
    } catch (const Error& error) {
        ready.zero_();
        m_log.append(events::Health{"checkpoint_not_written",
                                    error.full() + " Training goes on; the earlier checkpoint is untouched.",
                                    m_step});
    }
    m_processGroup->broadcastFromRank0(ready);
    return ready.item<std::int64_t>() == 1;
}

void Trainer::reportSaves() {
    for (const auto& result : m_saver.takeFinished()) {
        if (!result.error.empty()) {
            m_log.append(events::Health{
                "checkpoint_not_written",
                result.error + " Training goes on; the earlier checkpoint is untouched.", result.step});
            continue;
        }
        m_log.append(events::Checkpoint{result.step, result.saved.path, result.saved.bytes});
        m_log.append(events::Metrics{
            m_step,
            {{"checkpoint_seconds", result.seconds}, {"checkpoint_stall_seconds", result.stallSeconds}}});
    }
}

void Trainer::finishSaves() {
    m_watchdog.enterActivity("checkpoint");
    m_saver.finish();
    reportSaves();
}

void Trainer::reportSpike(const StepResult& result) {
    const auto spike = m_spikes.observe(m_step, result.loss);
    if (!spike) return;
    std::string text = "The loss of step " + std::to_string(m_step) + " is " + significant(result.loss) +
                       ", " + rounded(spike->factor, 1) + " times the median before it (" +
                       rounded(spike->deviations, 0) + " robust deviations); gradient norm " +
                       significant(result.gradNorm) + ".";
    const auto samples = m_loader.samples(m_step);
    if (!samples.empty()) text += " Its samples: " + join(samples, ", ") + ".";
    if (spike->suppressed > 0)
        text += " " + std::to_string(spike->suppressed) +
                (spike->suppressed == 1 ? " similar step" : " similar steps") + " since the last report.";
    m_log.append(events::Health{"loss_spike", text, m_step});
}

void Trainer::reportStragglers(const at::Tensor& busySeconds) {
    if (m_ranks.size == 1) return;
    const auto values = busySeconds.to(at::kDouble).contiguous();
    const auto* first = values.const_data_ptr<double>();
    for (const auto& finding : m_stragglers.add({first, first + values.numel()}))
        m_log.append(events::Health{finding.caughtUp ? "caught_up" : "straggler",
                                    toText(finding, m_watchdog.nodeOf(finding.rank)), m_step + 1});
}

void Trainer::reportDataProblems() {
    for (const auto& note : m_data.text().takeNotes()) {
        std::cerr << "dailies-train: " << sanitizedText(note) << '\n';
        m_log.append(events::Message{"warning", note});
    }
    auto problems = m_data.training().takeProblems();
    if (problems.empty()) return;
    const auto count = problems.size();
    for (const auto& problem : problems) std::cerr << "dailies-train: " << sanitizedText(problem) << '\n';
    if (count > kProblemsShown) {
        problems.resize(kProblemsShown);
        problems.push_back("and " + std::to_string(count - kProblemsShown) +
                           " more, named in the job's log.");
    }
    m_log.append(events::Health{"bad_input",
                                std::to_string(count) + (count == 1 ? " input was" : " inputs were") +
                                    " left out:\n" + join(problems, "\n"),
                                m_step});
}

void Trainer::logStart() {
    const auto clips = m_data.source().size();
    const auto whyNotCaptured = trainer::whyNotCaptured(m_config, m_device.is_cuda());
    Json facts = {
        {"parameters", m_model->weightsOnMeta().elementCount()},
        {"tokens_per_clip", m_model->tokensPerClip({m_shape.frames, m_shape.height, m_shape.width})},
        {"torch", TORCH_VERSION},
        {"device", m_device.str()},
        {"threads", m_config.runtime.threads},
        {"precision", m_config.runtime.precision},
        {"attention", attentionOrder(m_device)},
        {"cuda_graphs", whyNotCaptured.empty() ? "on" : "off: " + whyNotCaptured},
        {"ranks", m_processGroup->name()},
        {"layout", m_mesh.sizes().text(m_config.layout.shard)},
        {"planned_memory_gib", plannedMemory() / kGibibyte},
        {"dataset_clips", clips > 0 ? Json(clips) : Json("generated")},
        {"vocabulary", m_data.vocabulary().words().size()}};
    const auto report = reportOn(m_config, m_data.training(), m_mesh.sizes().dp);
    if (clips > 0) facts["dataset"] = report.toJson();
    m_log.append(events::Start{DAILIES_VERSION, hostName(), m_ranks.size, slurmJob(), slurmRestarts(),
                               std::move(facts)});
    if (clips > 0) m_log.append(events::Message{"info", report.text()});
    if (m_init) m_log.append(events::Message{"info", m_init->text()});
    if (const auto text = lora::partText(*m_model); !text.empty())
        m_log.append(events::Message{"info", text});
    if (!m_ranks.note.empty()) m_log.append(events::Message{"warning", m_ranks.note});
}

std::int64_t Trainer::clipsAtOnce() const {
    const auto& data = m_config.data;
    const auto ofStep = data.packing ? data.tokens_per_step / m_model->tokensPerClip() : data.batch_size;
    return std::max<std::int64_t>(1, ofStep / (m_mesh.sizes().dp * m_config.optimizer.accumulate));
}

double Trainer::plannedMemory() const {
    const auto texts = m_data.text().width() > 0 ? planner::DataShape::expected(m_config).textTokens : 0;
    const planner::DataShape data{m_shape.channels, m_shape.captionTokens, m_shape.textWidth, texts,
                                  m_shape.imageWidth};
    const auto need = planner::rankMemory(m_config, data, {m_ranks.size, m_device.is_cuda()});
    return m_device.is_cuda() ? need.gpuBytes() : need.hostBytes();
}

Params Trainer::evalWeights() const {
    auto held = m_ema.names().empty() ? weights().held() : weights().gathered(m_ema);
    held.setTensorParallel(m_groups.weights());
    held.setPipeline(m_engine->stage());
    return held;
}

TrainingState Trainer::state() const {
    auto ranges = weights().ranges();
    ranges.merge(m_optimizer->stateRanges());
    return {m_step,
            weights().own(),
            m_ema,
            m_optimizer->state(),
            savedShape(),
            {{"vocabulary", m_data.vocabulary().words()},
             {"pixel_mean", toJson(m_data.scale().mean)},
             {"pixel_deviation", toJson(m_data.scale().deviation)},
             {"tokenizer", m_data.tokenizerIdentity()},
             {"image_encoder", imageEncoderOf(m_data.conditionEncoder())},
             {"expert", m_isExpert},
             {"position", m_data.resumed().position.toJson()}},
            config::toJson(m_config),
            {{"loss_sum", m_window.sum},
             {"loss_count", m_window.count},
             {"like_people_sum", m_window.likePeople},
             {"deciles", m_window.deciles.toJson()},
             {"non_finite_in_a_row", m_nonFiniteInARow},
             {"recent_losses", m_spikes.recent()}},
            m_log.newestMetrics(),
            std::move(ranges),
            {m_groups.checkpointWriterRank().value_or(0), m_groups.checkpointWriters()}};
}

void Trainer::restore(std::int64_t step) {
    const auto state = m_checkpoints.loadMetadata(step);
    requireSameShape(state, savedShape());
    requireSameTokenizer(state, m_data.tokenizerIdentity());
    requireSameImageEncoder(state, imageEncoderOf(m_data.conditionEncoder()));
    requireSameOptimizer(state, m_config.optimizer);
    m_checkpoints.loadInto(step, "weights", weights().own(), weights().ranges());
    m_engine->syncWeights();
    m_checkpoints.loadInto(step, "optimizer", m_optimizer->state(), m_optimizer->stateRanges());
    // a run that turns averaging on when it resumes starts the average from the weights of then
    const auto average =
        m_checkpoints.manifest(step).at("tensors").contains("average") ? "average" : "weights";
    m_checkpoints.loadInto(step, average, m_ema, weights().ranges());
    m_window.sum = state.progress.at("loss_sum").get<double>();
    m_window.count = state.progress.at("loss_count").get<std::int64_t>();
    m_window.likePeople = state.progress.value("like_people_sum", 0.0);
    m_window.deciles = NoiseDeciles::fromJson(state.progress.at("deciles"));
    m_nonFiniteInARow = state.progress.at("non_finite_in_a_row").get<std::int64_t>();
    m_spikes.restore(state.progress.at("recent_losses").get<std::vector<double>>());
    m_step = m_savedStep = state.step;
    m_log.append(events::Resume{m_step});
    logDataChanges(m_data.resumed(), m_log);
}

}  // namespace dailies::trainer
