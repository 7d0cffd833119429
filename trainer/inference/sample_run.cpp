#include "trainer/inference/sample_run.h"

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/config/family_traits.h"
#include "trainer/inference/clip_output.h"
#include "trainer/runtime/host_info.h"
#include "trainer/runtime/stop_signal.h"
#include "trainer/text/prompt_embeddings.h"

#include <torch/version.h>

#include <algorithm>
#include <exception>
#include <iostream>

namespace dailies::trainer {

namespace {

using SampleClock = std::chrono::steady_clock;

/// The run may have spread its batch over many ranks, and this is one.
constexpr std::int64_t kMaxClipsAtOnce = 8;

bool alignsPoses(const config::SamplingJob& job, const config::TrainConfig& config) {
    return job.align_poses.value_or(config.sampling.align_poses);
}

/// With what the clip begins with, and whom it animates for so many frames: the job's files, else those that
/// the run sampled the same prompt with.
SampleRequest withConditions(SampleRequest request, const ClipSampler& sampler, const InferenceModel& model,
                             const config::SamplingJob& job, std::int64_t frames) {
    const auto& config = model.config();
    const bool animates = config::animates(config.model), images = config::beginsWithImages(config.model);
    if (!request.conditioningFile.empty() && !images)
        request.conditioning = sampler.readGiven(request.conditioningFile);
    if (!animates && !images) return request;
    const auto placeIn = [&](const std::vector<std::string>& prompts) {
        return static_cast<std::size_t>(std::ranges::find(prompts, request.prompt) - prompts.begin());
    };
    const auto fileOf = [&](const std::vector<std::string>& wanted, const std::vector<std::string>& own) {
        if (!wanted.empty()) return config::fileOfPrompt(wanted, placeIn(job.prompts));
        const auto place = placeIn(config.sampling.prompts);
        return own.size() == 1 || place < own.size() ? config::fileOfPrompt(own, place) : "";
    };
    if (images) {
        const auto file = fileOf(job.given_files, config.sampling.given_files);
        if (file.empty())
            throw InputError("given_files: found none for \"" + request.prompt +
                                 "\", expected the image that its clip begins with.",
                             "Name a picture, one for all prompts or one for each.");
        request.conditioningFile = file;
        if (config::readsLastImages(config.model.conditioning)) {
            request.lastFile = fileOf(job.last_files, config.sampling.last_files);
            if (request.lastFile.empty())
                throw InputError("last_files: found none for \"" + request.prompt +
                                     "\", expected the image that its clip ends with.",
                                 "Name a picture, one for all prompts or one for each.");
        }
        request.image = sampler.readImage(file, request.lastFile);
        return request;
    }
    auto wanted = config;
    wanted.sampling.align_poses = alignsPoses(job, config);
    setGuide(request, model.generator(),
             {fileOf(job.reference_files, config.sampling.reference_files),
              fileOf(job.pose_files, config.sampling.pose_files),
              fileOf(job.reference_pose_files, config.sampling.reference_pose_files)},
             wanted, frames);
    return request;
}

/// A path's part before ".mp4" or ".y4m".
std::string withoutEnding(const std::string& path) {
    return path.substr(0, path.rfind('.'));
}

/// The run's own settings where the job names none.
template <class T>
std::vector<T> orOwn(const std::vector<T>& wanted, T own) {
    return wanted.empty() ? std::vector<T>{own} : wanted;
}

}  // namespace

SampleRun::SampleRun(config::SamplingJob job, std::filesystem::path runFolder,
                     const std::vector<events::Event>& earlier, const DistEnv& ranks, RunLog& log)
    : m_job(std::move(job)), m_runFolder(std::move(runFolder)), m_ranks(ranks), m_log(log) {
    if (m_job.checkpoints.empty())
        throw InputError("checkpoints: found none, expected at least one checkpoint folder.");
    if (!earlier.empty()) m_resumedFrom = 0;
    for (const auto& event : earlier) {
        const auto* clip = std::get_if<events::Clip>(&event.payload);
        if (!clip) continue;
        m_resumedFrom = std::max(*m_resumedFrom, clip->step);
        if (std::filesystem::exists(m_runFolder / clip->path)) m_made[withoutEnding(clip->path)] = *clip;
    }
}

events::End SampleRun::run() {
    for (const auto& checkpoint : m_job.checkpoints) {
        const InferenceModel model(checkpoint, m_ranks.localRank);
        m_step = model.step();
        if (m_ranks.size > 1) share(model);
        if (!m_started) logStart(model);
        sample(model, checkpoint);
        for (const auto& note : model.text().takeNotes()) m_log.append(events::Message{"warning", note});
        if (mayStop()) return {"stopped", m_step, "Asked to stop (" + stopSignalName() + ")."};
        logSummary(model);
    }
    if (m_failed > 0)
        return {"failed", m_step,
                std::to_string(m_failed) + " of " + std::to_string(m_job.clips()) +
                    " clips were not written; sampling again makes those only."};
    return {"finished", m_step, ""};
}

void SampleRun::share(const InferenceModel& model) {
    if (m_parallelSampling) return m_parallelSampling->requireFitting(model);
    m_parallelSampling = std::make_unique<ParallelSampling>(model, m_ranks);
    m_speed = m_parallelSampling->measured(model);
}

bool SampleRun::mayStop() const {
    return m_parallelSampling ? m_parallelSampling->any(stopRequested()) : stopRequested();
}

ClipSampler SampleRun::samplerOf(const InferenceModel& model, const config::TrainConfig& config,
                                 std::int64_t clipsAtOnce) const {
    return {config, model.parts(), clipsAtOnce, m_parallelSampling ? m_parallelSampling->tokens() : nullptr};
}

void SampleRun::logStart(const InferenceModel& model) {
    m_started = true;
    Json facts = {{"torch", TORCH_VERSION},
                  {"device", model.device().str()},
                  {"threads", model.config().runtime.threads},
                  {"precision", model.config().runtime.precision},
                  {"clips", m_job.clips()}};
    m_log.append(events::Start{DAILIES_VERSION, hostName(), m_ranks.size, slurmJob(), slurmRestarts(),
                               std::move(facts)});
    if (m_speed) m_log.append(events::Message{"info", m_speed->text()});
    if (m_resumedFrom) m_log.append(events::Resume{*m_resumedFrom});  // nothing that was made is void
    for (const auto& prompt : m_job.prompts)
        for (const auto& word : model.unknownWords(prompt))
            m_log.append(events::Message{"warning", "No caption of the data has the word \"" + word +
                                                        "\"; the model ignores it in \"" + prompt + "\"."});
}

void SampleRun::requireUseOfJob(const config::TrainConfig& config, const std::string& checkpoint) const {
    if (!m_job.given_files.empty() && (config.model.conditioning == "none" || config::animates(config.model)))
        throw InputError("given_files: found " + std::to_string(m_job.given_files.size()) +
                         ", expected none: " + checkpoint +
                         " never learned to go on from frames or an image.");
    if (!m_job.last_files.empty() && !config::readsLastImages(config.model.conditioning))
        throw InputError("last_files: found " + std::to_string(m_job.last_files.size()) +
                         ", expected none: " + checkpoint + " never learned to end with an image.");
    for (const auto& [key, files, reads] :
         {std::tuple{"pose_files", &m_job.pose_files, config::animates(config.model)},
          std::tuple{"reference_files", &m_job.reference_files, config::animates(config.model)},
          std::tuple{"reference_pose_files", &m_job.reference_pose_files,
                     config::readsReferencePose(config.model.family) ||
                         (config::animates(config.model) && alignsPoses(m_job, config))}})
        if (!files->empty() && !reads)
            throw InputError(std::string(key) + ": found some, expected none: " + checkpoint +
                             (config::animates(config.model)
                                  ? " does not read the reference picture's pose (align_poses would)."
                                  : " is no model of characters."));
    if (m_job.align_poses == true && !config::animates(config.model))
        throw InputError("align_poses: found true, expected false: " + checkpoint +
                         " is no model of characters.");
}

SampleRun::Settings SampleRun::settingsOf(const InferenceModel& model, const std::string& checkpoint,
                                          double guidance, std::int64_t steps, double strength) const {
    Settings settings{model.config(), model.weights(), Json::object(), ""};
    auto& sampling = settings.config.sampling;
    sampling.guidance = guidance;
    sampling.steps = steps;
    if (m_job.negative_prompt) sampling.negative_prompt = *m_job.negative_prompt;
    if (sampling.isGuided() && settings.config.diffusion.caption_drop == 0 &&
        sampling.negative_prompt.empty())
        throw InputError("guidance: found " + shortNumber(guidance) + ", expected 1: " + checkpoint +
                         " never learned without a caption (its diffusion.caption_drop is 0).");
    if (!m_job.strength.empty()) {
        settings.weights = model.weightsAt(strength);
        settings.note["strength"] = strength;
    }
    // one file name says all in which the clips of a step differ
    settings.ending = (m_job.guidance.size() > 1 ? "-g" + shortNumber(guidance) : "") +
                      (m_job.steps.size() > 1 ? "-s" + std::to_string(steps) : "") +
                      (m_job.strength.size() > 1 ? "-a" + shortNumber(strength) : "");
    return settings;
}

void SampleRun::sample(const InferenceModel& model, const std::string& checkpoint) {
    const auto& own = model.config().sampling;
    const auto embeddings = embeddingsFor(model, checkpoint);
    requireUseOfJob(model.config(), checkpoint);
    for (const auto guidance : orOwn(m_job.guidance, own.guidance))
        for (const auto steps : orOwn(m_job.steps, own.steps))
            for (const auto strength : orOwn(m_job.strength, 1.0)) {
                const auto settings = settingsOf(model, checkpoint, guidance, steps, strength);
                const auto clips = clipsToMake(model.step(), settings.ending, embeddings);
                if (m_job.frames <= model.config().data.frames) makeTogether(model, settings, clips);
                for (const auto& clip : clips) {
                    if (mayStop()) return;
                    if (m_job.frames > model.config().data.frames) makeLong(model, settings, clip);
                }
                if (mayStop()) return;
            }
}

std::vector<std::optional<Array>> SampleRun::embeddingsFor(const InferenceModel& model,
                                                           const std::string& checkpoint) const {
    std::vector<std::optional<Array>> embeddings(m_job.prompts.size());
    if (model.text().encodesPrompts()) {
        if (!m_job.prompt_embeddings.empty())
            throw InputError("prompt_embeddings: found " + std::to_string(m_job.prompt_embeddings.size()) +
                             ", expected none: " + checkpoint + " reads the prompts themselves.");
        return embeddings;
    }
    if (m_job.negative_prompt && !m_job.negative_prompt->empty())
        throw InputError("negative_prompt: found one, expected none: " + checkpoint +
                         " learned text embeddings, and nothing encodes prompts there.");
    const auto& own = model.config().sampling;
    for (std::size_t i = 0; i < embeddings.size(); ++i) {
        const auto same = std::ranges::find(own.prompts, m_job.prompts[i]) - own.prompts.begin();
        const auto place = static_cast<std::size_t>(same);
        if (m_job.prompt_embeddings.empty() && place >= own.prompt_embeddings.size())
            throw InputError("prompt_embeddings: found none for \"" + m_job.prompts[i] + "\", and " +
                                 checkpoint + " learned text embeddings that stood in its data.",
                             "Name a file with the embeddings of each prompt.");
        embeddings[i] =
            m_job.prompt_embeddings.empty()
                ? readPromptEmbeddings("sampling.prompt_embeddings", own.prompt_embeddings[place],
                                       model.text().width())
                : readPromptEmbeddings("prompt_embeddings", m_job.prompt_embeddings[i], model.text().width());
    }
    return embeddings;
}

std::vector<SampleRun::Clip> SampleRun::clipsToMake(std::int64_t step, const std::string& ending,
                                                    const std::vector<std::optional<Array>>& embeddings) {
    std::vector<Clip> clips;
    for (std::size_t i = 0; i < m_job.prompts.size(); ++i)
        for (const auto seed : m_job.seeds) {
            const auto& prompt = m_job.prompts[i];
            const auto folder = "clips/" + stepFolder(step) + "/";
            const auto path =
                uniqueName(folder + promptFileName(prompt) + "-" + std::to_string(seed) + ending, m_taken);
            if (m_made.contains(path))
                ++m_done;
            else
                clips.push_back({{prompt, seed, m_job.conditioningFile(i), {}, embeddings[i]},
                                 path.substr(folder.size())});
        }
    return clips;
}

void SampleRun::makeTogether(const InferenceModel& model, const Settings& settings,
                             const std::vector<Clip>& clips) {
    const auto& config = settings.config;
    const auto clipsAtOnce = std::min(config.data.batch_size, kMaxClipsAtOnce);
    const auto sampler = samplerOf(model, config, clipsAtOnce);
    const auto batch = static_cast<std::size_t>(clipsAtOnce);
    for (std::size_t first = 0; first < clips.size() && !mayStop(); first += batch) {
        const auto begin = SampleClock::now();
        const auto last = std::min(first + batch, clips.size());
        std::vector<SampleRequest> requests;
        for (auto i = first; i < last; ++i)
            requests.push_back(withConditions(clips[i].request, sampler, model, m_job, config.data.frames));
        auto made = sampler.sample(requests, settings.weights);
        for (std::size_t i = 0; i < made.size(); ++i) {
            const auto& request = requests[i];
            const auto& file = clips[first + i].file;
            if (m_job.frames > 0 && m_job.frames < made[i].frames) {
                made[i].frames = static_cast<int>(m_job.frames);
                made[i].rgb.resize(made[i].frameBytes() * static_cast<std::size_t>(m_job.frames));
            }
            const auto aspects = model.judge() ? model.judge()->judge(made[i], request.prompt) : Aspects{};
            events::Clip event;
            event.step = m_step;
            event.prompt = request.prompt;
            event.seed = request.seed;
            event.fps = static_cast<double>(config.data.fps);
            if (aspects) event.adherence = fractionCorrect(*aspects);
            auto note = sampleNote(config, m_step, request, aspects);
            note.update(settings.note);
            event.perFrame = errorsOf(model.judge(), request, made[i]);
            const auto write = [&](ClipOutput& output) {
                output.add(made[i]);
                addInputs(output, request, config);
            };
            const bool written = writeClipOfRun(m_runFolder, file, write, event, note, m_log);
            if (written) m_made["clips/" + stepFolder(m_step) + "/" + file] = event;
            count(written, 1);
        }
        m_spent += SampleClock::now() - begin;
        m_timed += static_cast<std::int64_t>(made.size());
    }
}

void SampleRun::makeLong(const InferenceModel& model, const Settings& settings, const Clip& clip) {
    const auto& config = settings.config;
    const auto begin = SampleClock::now();
    const auto sampler = samplerOf(model, config, 1);
    const ClipSampler::LongClip wanted{m_job.frames, m_job.overlap, m_job.blend};
    sampler.requireFitting(wanted);
    const auto request = withConditions(clip.request, sampler, model, m_job, m_job.frames);
    events::Clip event;
    event.step = m_step;
    event.prompt = request.prompt;
    event.seed = request.seed;
    event.fps = static_cast<double>(config.data.fps);
    auto note = sampleNote(config, m_step, request, {});
    note.update({{"overlap", m_job.overlap}, {"blend", m_job.blend}});
    note.update(settings.note);
    const auto sample = [&](const std::function<void(const RgbClip&)>& take) {
        sampler.sampleLong(request, wanted, settings.weights, take);
    };
    const auto write = [&](ClipOutput& output) {
        std::exception_ptr refused;
        sample([&](const RgbClip& frames) {
            try {
                if (!refused) output.add(frames);
            } catch (...) {
                if (!m_parallelSampling) throw;
                refused = std::current_exception();  // the other ranks are still in this clip
            }
        });
        if (refused) std::rethrow_exception(refused);
        addInputs(output, request, config);
    };
    if (m_ranks.isRank0())
        count(writeClipOfRun(m_runFolder, clip.file, write, event, note, m_log), 1);
    else
        sample({});
    m_spent += SampleClock::now() - begin;
    ++m_timed;
}

void SampleRun::count(bool written, std::int64_t clips) {
    (written ? m_done : m_failed) += clips;
    std::cout << m_done << " of " << m_job.clips() << " clips" << std::endl;
}

void SampleRun::logSummary(const InferenceModel& model) {
    std::map<std::string, double> values;
    if (m_timed > 0) values["seconds_per_clip"] = m_spent.count() / static_cast<double>(m_timed);
    double judged = 0, right = 0;
    for (const auto& [path, clip] : m_made) {
        if (clip.step != model.step() || !clip.adherence) continue;
        judged += 1;
        right += *clip.adherence == 1;
    }
    if (judged > 0) values["adherence"] = right / judged;
    if (m_speed) values["sharing_efficiency"] = m_speed->efficiency();
    if (!values.empty()) m_log.append(events::Metrics{model.step(), std::move(values)});
    m_spent = {};
    m_timed = 0;
}

}  // namespace dailies::trainer
