#include "trainer/trainer.h"

#include "core/base/error.h"
#include "core/base/text.h"
#include "trainer/device.h"
#include "trainer/optim/schedule.h"
#include "trainer/precision.h"
#include "trainer/stop_signal.h"

#include <ATen/Parallel.h>
#include <torch/types.h>
#include <torch/version.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <unistd.h>

namespace dailies::trainer {

namespace {

constexpr std::int64_t kNonFiniteLimit = 10;
constexpr std::size_t kProblemsShown = 20;

at::Device prepareDevice(const config::TrainConfig& config, const Ranks& ranks) {
    at::set_num_threads(static_cast<int>(config.runtime.threads));
    return chooseDevice(config.runtime.device, ranks.localRank);
}

/// The step that all ranks resume from: the leader's view of the shared folder decides.
std::optional<std::int64_t> agreedResumeStep(const Checkpoints& checkpoints, Communicator& communicator,
                                             at::Device device) {
    auto step = at::full({}, checkpoints.newest().value_or(-1), at::TensorOptions(device).dtype(at::kLong));
    communicator.broadcastFromLeader(step);
    const auto agreed = step.item<std::int64_t>();
    return agreed < 0 ? std::nullopt : std::optional(agreed);
}

// Weights learned with one vocabulary and pixel scale mean nothing with another, so a checkpoint's go before
// the data's.
Vocabulary vocabularyOf(const DataSource& source, const Checkpoints& checkpoints,
                        std::optional<std::int64_t> resumeStep) {
    if (!resumeStep) return Vocabulary::ofCaptions(source.captions());
    return Vocabulary(
        checkpoints.manifest(*resumeStep).at("data").at("vocabulary").get<std::vector<std::string>>());
}

PixelScale scaleOf(const DataSource& source, const Checkpoints& checkpoints,
                   std::optional<std::int64_t> resumeStep) {
    if (!resumeStep) return source.pixelScale();
    const auto data = checkpoints.manifest(*resumeStep).at("data");
    return {data.at("pixel_mean").get<double>(), data.at("pixel_deviation").get<double>()};
}

ModelShape shapeOf(const config::TrainConfig& config, const Vocabulary& vocabulary) {
    return {config.model, config.data.frames, config.data.height, config.data.width, vocabulary.tokenCount()};
}

void refuseOtherShape(const Json& saved, const Json& wanted, std::int64_t step) {
    std::vector<std::string> differences;
    for (const auto& [key, value] : wanted.items()) {
        const auto found = saved.value(key, Json());
        if (found != value)
            differences.push_back(key + " " + found.dump() + " there, " + value.dump() + " in the config");
    }
    if (differences.empty()) return;
    throw InputError("The checkpoint of step " + std::to_string(step) +
                         " has another model: " + join(differences, "; ") + ".",
                     "Give the run the checkpoint's model, or start a new run.");
}

void copyInto(const Params& target, const Params& source) {
    const at::NoGradGuard noGradients;
    for (const auto& name : target.names()) {
        auto tensor = target[name].detach();
        if (tensor.sizes() != source[name].sizes())
            throw Error("The checkpoint's " + name + " has another size than the model's.");
        tensor.copy_(source[name]);
    }
}

std::string hostName() {
    char name[256] = {};
    ::gethostname(name, sizeof name - 1);
    return name;
}

std::string slurmJob() {
    const auto variable = [](const char* name) -> std::string {
        const char* value = std::getenv(name);
        return value ? value : "";
    };
    const auto array = variable("SLURM_ARRAY_JOB_ID");
    return array.empty() ? variable("SLURM_JOB_ID") : array + "_" + variable("SLURM_ARRAY_TASK_ID");
}

std::int64_t slurmRestarts() {
    const char* count = std::getenv("SLURM_RESTART_COUNT");
    return count ? std::strtoll(count, nullptr, 10) : 0;
}

}  // namespace

Trainer::Trainer(const config::TrainConfig& config, const std::filesystem::path& runFolder,
                 const Ranks& ranks, RunLog& log)
    : m_config(config),
      m_ranks(ranks),
      m_log(log),
      m_device(prepareDevice(config, ranks)),
      m_communicator(makeCommunicator(ranks, m_device)),
      m_checkpoints(runFolder, config.checkpoint.keep),
      m_source(makeDataSource(config)),
      m_resumeStep(agreedResumeStep(m_checkpoints, *m_communicator, m_device)),
      m_vocabulary(vocabularyOf(*m_source, m_checkpoints, m_resumeStep)),
      m_scale(scaleOf(*m_source, m_checkpoints, m_resumeStep)),
      m_shape(shapeOf(config, m_vocabulary)),
      m_model(makeModel(m_shape, m_device)),
      m_flow(RectifiedFlow::of(config.diffusion)),
      m_batches(config, ranks, *m_source, m_vocabulary, m_scale, m_device) {
    const auto initial = m_model->initialWeights(config.seed);
    for (const auto& name : initial.names()) m_weights.add(name, initial[name].to(m_device));
    if (config.optimizer.ema_decay > 0) m_average = m_weights.clone();
    m_gradients = std::make_unique<Gradients>(m_weights);
    m_optimizer = std::make_unique<AdamW>(m_weights, config.optimizer);
    logStart();
    if (m_resumeStep) restore(m_checkpoints.load(*m_resumeStep));
    if (m_ranks.leads())
        m_sampling = std::make_unique<Sampling>(config, runFolder, *m_source, m_vocabulary, m_scale, *m_model,
                                                m_device, log);
    reportDataProblems();
}

events::End Trainer::train() {
    while (m_step < m_config.steps) {
        const auto began = std::chrono::steady_clock::now();
        const auto batch = m_batches.load(m_step + 1);
        auto result = trainStep(batch);
        result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
        ++m_step;

        guard(result);
        logMetrics(result);
        if (due(m_config.sampling.every)) sample();
        if (due(m_config.checkpoint.every) || result.stop) save();
        if (result.stop && m_step < m_config.steps)
            return {"stopped", m_step, "Asked to stop (" + stopSignalName() + ")."};
    }
    return {"finished", m_step, ""};
}

Trainer::StepResult Trainer::trainStep(const Batch& batch) {
    StepResult result;
    m_gradients->clear();
    at::Tensor loss;
    {
        const AutocastScope autocast(m_device, m_config.runtime.precision);
        const auto mixed = RectifiedFlow::mix(batch.clips, batch.noise, batch.times);
        const auto output =
            m_model->forward(m_weights, {{{mixed}}, batch.times, {.words = batch.captions}}).front();
        // every rank holds its part of the global mean, so that sums over ranks are means over the batch
        loss = m_flow.loss(output.to(at::kFloat), batch.clips, batch.noise, batch.times).sum() /
               static_cast<double>(m_config.data.batch_size);
    }
    loss.backward();

    const at::NoGradGuard noGradients;
    m_gradients->sumOver(*m_communicator);
    auto shared = at::stack(
        {loss.detach(), at::full({}, stopRequested() ? 1.0 : 0.0, loss.options().requires_grad(false))});
    m_communicator->sum(shared);
    const auto norm = m_gradients->norm();
    result.loss = shared[0].item<double>();
    result.stop = shared[1].item<double>() > 0;
    result.gradNorm = norm.item<double>();
    result.learningRate = learningRate(m_config, m_step + 1);
    result.updated = std::isfinite(result.loss) && std::isfinite(result.gradNorm);
    if (!result.updated) return result;

    const double clip = m_config.optimizer.grad_clip;
    if (clip > 0 && result.gradNorm > clip) m_gradients->scale(clip / (norm + 1e-6));
    m_optimizer->step(m_gradients->views(), result.learningRate);
    if (!m_average.names().empty()) updateAverage(m_average, m_weights, m_config.optimizer.ema_decay);
    return result;
}

void Trainer::guard(const StepResult& result) {
    m_nonFiniteInARow = result.updated ? 0 : m_nonFiniteInARow + 1;
    if (result.updated) return;
    m_log.append(events::Health{"non_finite",
                                "Step " + std::to_string(m_step) + " was skipped: loss " +
                                    shortNumber(result.loss) + ", gradient norm " +
                                    shortNumber(result.gradNorm) + ".",
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
    }
    m_window.seconds += result.seconds;
    m_window.steps += 1;
    if (!due(m_config.runtime.log_every)) return;
    const double seconds = m_window.seconds / static_cast<double>(m_window.steps);
    m_log.append(
        events::Metrics{m_step,
                        {{"loss", m_window.sum / static_cast<double>(m_window.count)},
                         {"lr", result.learningRate},
                         {"grad_norm", result.gradNorm},
                         {"step_seconds", seconds},
                         {"clips_per_second", static_cast<double>(m_config.data.batch_size) / seconds}}});
    m_window = {};
    reportDataProblems();
}

void Trainer::sample() {
    if (m_sampling) m_sampling->run(m_step, sampledWeights());
}

void Trainer::save() {
    if (!m_ranks.leads() || m_savedStep == m_step) return;
    try {
        const auto saved = m_checkpoints.save(state());
        m_savedStep = m_step;
        m_log.append(events::Checkpoint{m_step, saved.path, saved.bytes});
    } catch (const Error& error) {
        m_log.append(events::Health{"checkpoint_not_written",
                                    error.full() + " Training goes on; the earlier checkpoint is untouched.",
                                    m_step});
    }
}

void Trainer::reportDataProblems() {
    auto problems = m_source->takeProblems();
    if (problems.empty()) return;
    const auto count = problems.size();
    for (const auto& problem : problems) std::cerr << "dailies-train: " << inertText(problem) << '\n';
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
    const auto clips = m_source->size();
    Json facts = {{"parameters", m_weights.elementCount()},
                  {"tokens_per_clip", m_model->tokensPerClip()},
                  {"torch", TORCH_VERSION},
                  {"device", m_device.str()},
                  {"threads", m_config.runtime.threads},
                  {"precision", m_config.runtime.precision},
                  {"ranks", m_communicator->name()},
                  {"dataset_clips", clips > 0 ? Json(clips) : Json("generated")},
                  {"vocabulary", m_vocabulary.words().size()}};
    m_log.append(events::Start{DAILIES_VERSION, hostName(), m_ranks.size, slurmJob(), slurmRestarts(),
                               std::move(facts)});
    if (!m_ranks.note.empty()) m_log.append(events::Message{"warning", m_ranks.note});
}

TrainingState Trainer::state() const {
    return {m_step,
            m_weights,
            m_average,
            m_optimizer->state(),
            m_shape.toJson(),
            {{"vocabulary", m_vocabulary.words()},
             {"pixel_mean", m_scale.mean},
             {"pixel_deviation", m_scale.deviation}},
            config::toJson(m_config),
            {{"loss_sum", m_window.sum},
             {"loss_count", m_window.count},
             {"non_finite_in_a_row", m_nonFiniteInARow}}};
}

void Trainer::restore(TrainingState state) {
    refuseOtherShape(state.model, m_shape.toJson(), state.step);
    copyInto(m_weights, state.weights);
    copyInto(m_optimizer->state(), state.optimizer);
    // a run that turns averaging on when it resumes starts the average from the weights of then
    if (!m_average.names().empty())
        copyInto(m_average, state.average.names().empty() ? state.weights : state.average);
    m_window.sum = state.progress.at("loss_sum").get<double>();
    m_window.count = state.progress.at("loss_count").get<std::int64_t>();
    m_nonFiniteInARow = state.progress.at("non_finite_in_a_row").get<std::int64_t>();
    m_step = m_savedStep = state.step;
    m_log.append(events::Resume{m_step});
}

}  // namespace dailies::trainer
