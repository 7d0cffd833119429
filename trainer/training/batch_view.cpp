#include "trainer/training/batch_view.h"

#include "core/base/counts.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/text.h"
#include "trainer/denoising/collate.h"
#include "trainer/diffusion/objective.h"
#include "trainer/inference/clip_output.h"
#include "trainer/models/model_with_text_encoder.h"
#include "trainer/parallel/mesh.h"
#include "trainer/pretrained/initial_weights.h"
#include "trainer/runtime/device.h"
#include "trainer/runtime/host_info.h"
#include "trainer/runtime/stop_signal.h"
#include "trainer/training/training_data.h"

#include <ATen/core/grad_mode.h>
#include <torch/types.h>

#include <algorithm>
#include <cstdio>

namespace dailies::trainer {

namespace {

/// Nothing has to be ready ahead of a step.
config::TrainConfig ofOneView(config::TrainConfig config) {
    config.data.workers = 0;
    return config;
}

config::TrainConfig configOf(const config::BatchJob& job) {
    const auto file = std::filesystem::path(job.run_folder) / "config.json";
    if (!std::filesystem::exists(file))
        throw InputError("run_folder: found no config.json in " + job.run_folder +
                         ", expected that of a run.");
    return ofOneView(config::resolve(parseJson(readFile(file), file.string())));
}

DistEnv ranksOf(const config::BatchJob& job) {
    DistEnv ranks;
    ranks.rank = job.rank;
    ranks.size = job.ranks;
    return ranks;
}

Json trainedWith(const config::TrainConfig& config, std::optional<std::int64_t> resumeStep) {
    if (resumeStep || config.model.init.empty()) return Json::object();
    return pretrained::InitialWeights(config.model.init).trainedWith();
}

/// Of a row of a tensor that may be undefined.
std::optional<std::int64_t> rowSum(const at::Tensor& rows, std::int64_t row) {
    if (!rows.defined()) return std::nullopt;
    return rows[row].sum().item<std::int64_t>();
}

std::string percent(double share) {
    char text[16];
    std::snprintf(text, sizeof text, "%.0f %%", 100 * share);
    return text;
}

}  // namespace

/// The data of the run, and what makes batches of them.
class BatchView::Loaded {
public:
    Loaded(const config::TrainConfig& config, const config::BatchJob& job)
        : m_device(chooseDevice(config.runtime.device, 0)),
          m_checkpoints(job.run_folder, config.checkpoint),
          m_resumeStep(m_checkpoints.newest()),
          m_data(config, job.run_folder, {}, m_device, m_checkpoints, m_resumeStep,
                 trainedWith(config, m_resumeStep)),
          m_model(makeModelWithTextEncoder(m_data.shape(config), m_device)),
          m_objective(makeObjective(config.diffusion)),
          m_ranks(Mesh(config, ranksOf(job)).dataRanks()),
          m_config(config) {}

    TrainingData& data() { return m_data; }

    /// What gives the batch of a step, by the rule that held then.
    BatchLoader loaderOf(std::int64_t step) {
        auto segments = m_data.resumed().position.segments;
        std::erase_if(segments, [step](const DataSegment& segment) { return segment.since >= step; });
        if (segments.empty())
            throw InputError("steps: found " + std::to_string(step) +
                                 ", but the run has other data since a later step: which clips it took "
                                 "before is not known.",
                             "Name steps of the data that it has now.");
        auto config = m_config;
        if (segments.back().batchSize > 0) config.data.batch_size = segments.back().batchSize;
        return {config, m_ranks, m_data.training(), m_data.text(), m_data.scale(), m_device, segments};
    }

    /// Of each clip of a group, where it lies on the objective's path.
    at::Tensor levels(const at::Tensor& clips, const at::Tensor& quantiles) const {
        return m_objective->levels(quantiles,
                                   m_model->tokensPerClip({clips.size(1), clips.size(2), clips.size(3)}));
    }
    double noiseShare(double level) const { return m_objective->point(level).noiseFraction(); }
    at::Tensor noised(const at::Tensor& clips, const at::Tensor& noise, const at::Tensor& levels) const {
        return m_objective->addNoise(clips, noise, copyToDevice(levels, m_device));
    }

    /// Of a clip on the model's scale, [frames, height, width, channels]; without frames where nothing
    /// decodes its latents.
    RgbClip picture(const at::Tensor& clip) const {
        if (const auto* tokenizer = m_data.tokenizer()) {
            const auto latents = unscaledValues(clip, m_data.scale()).unsqueeze(0);
            return toRgbClip(tokenizer->decode(latents).squeeze(0), {});
        }
        if (m_data.source().latentChannels() > 0) return {};
        return toRgbClip(clip, m_data.scale());
    }

private:
    at::Device m_device;
    Checkpoints m_checkpoints;
    std::optional<std::int64_t> m_resumeStep;
    TrainingData m_data;
    std::unique_ptr<Model> m_model;
    std::unique_ptr<Objective> m_objective;
    DistEnv m_ranks;
    config::TrainConfig m_config;
};

BatchView::BatchView(const config::BatchJob& job, const std::filesystem::path& runFolder, RunLog& log)
    : m_job(job), m_runFolder(runFolder), m_log(log), m_config(configOf(job)) {
    for (const auto step : job.steps)
        if (step > m_config.steps)
            throw InputError("steps: found " + std::to_string(step) + ", expected at most the " +
                             std::to_string(m_config.steps) + " of the run.");
}

events::End BatchView::run() {
    const at::NoGradGuard noGradients;
    m_log.append(events::Start{DAILIES_VERSION, hostName(), 1, slurmJob(), slurmRestarts(), Json::object()});
    Loaded loaded(m_config, m_job);
    auto steps = m_job.steps;
    std::ranges::sort(steps);
    for (const auto step : steps) {
        if (stopRequested()) return {"stopped", m_step, "asked to stop"};
        m_step = step;
        show(loaded, step);
    }
    for (const auto& problem : loaded.data().training().takeProblems())
        m_log.append(events::Message{"warning", problem});
    return {"finished", m_step, ""};
}

void BatchView::show(Loaded& loaded, std::int64_t step) {
    auto loader = loaded.loaderOf(step);
    const auto examples = loader.take(step);
    const auto batch = loader.prepare(step, examples);
    const auto taken = loader.taken(step);
    const auto most = std::min(taken.size(), static_cast<std::size_t>(m_job.clips));
    m_log.append(events::Message{
        "info", "Step " + std::to_string(step) + ": rank " + std::to_string(m_job.rank) + " of " +
                    std::to_string(m_job.ranks) + " takes " + std::to_string(taken.size()) + " of " +
                    pluralize(batch.globalClips, "clip", "clips") +
                    (most < taken.size() ? "; the first " + std::to_string(most) + " are shown." : ".")});
    std::int64_t first = 0;  // of the group
    for (const auto& group : batch.groups) {
        const auto count = group.clips.size(0);
        const auto levels = loaded.levels(group.clips, batch.quantiles.narrow(0, first, count));
        const auto noised = loaded.noised(group.clips, group.noise, levels);
        for (std::int64_t i = 0; i < count && first + i < static_cast<std::int64_t>(most); ++i) {
            const auto clip = static_cast<std::size_t>(first + i);
            show(loaded, examples[clip],
                 {.step = step,
                  .taken = taken[clip],
                  .fps = group.fps,
                  .clip = group.clips[i],
                  .noised = noised[i],
                  .noise = loaded.noiseShare(levels[i].item<double>()),
                  .tokens = rowSum(batch.text.mask, first + i),
                  .framesGiven = rowSum(batch.conditioningFrames, first + i)});
        }
        first += count;
    }
}

void BatchView::show(Loaded& loaded, const Example& example, const SeenClip& seen) {
    const auto& [index, place, withoutCaption] = seen.taken;
    const auto caption = withoutCaption ? std::string() : example.caption;
    const auto origin = loaded.data().training().origin(index);
    auto text = "Step " + std::to_string(seen.step) + ", place " + std::to_string(place) + ": " +
                firstNonEmpty(origin, "a generated clip") + "; " + percent(seen.noise) + " noise";
    if (seen.framesGiven) text += "; " + pluralize(*seen.framesGiven, "frame", "frames") + " given";
    text += withoutCaption ? "; its caption is dropped" : "; \"" + caption + "\"";
    if (seen.tokens) text += ", " + pluralize(*seen.tokens, "token", "tokens");
    m_log.append(events::Message{"info", text + "."});

    const auto clean = loaded.picture(seen.clip);
    if (clean.frames == 0) return;
    events::Clip event;
    event.step = seen.step;
    event.prompt = caption;
    event.seed = place;
    event.fps = seen.fps;
    writeClipOfRun(
        m_runFolder, "place-" + std::to_string(place),
        [&](ClipOutput& output) {
            output.add(clean);
            output.addInput("noised", loaded.picture(seen.noised));
            if (!example.guide) return;
            output.addInput("reference", example.guide->reference);
            if (!example.guide->poses.empty()) output.addInput("poses", example.guide->poses.front());
            if (example.guide->lossMask.frames > 0) output.addInput("mask", example.guide->lossMask);
        },
        event,
        {{"origin", origin}, {"noise", seen.noise}, {"place", place}, {"caption_dropped", withoutCaption}},
        m_log);
}

}  // namespace dailies::trainer
