#include "trainer/sampling.h"

#include "core/base/error.h"
#include "trainer/clip_output.h"
#include "trainer/diffusion/samplers/guidance.h"
#include "trainer/example_tensors.h"
#include "trainer/given_frames.h"
#include "trainer/network_outputs.h"
#include "trainer/precision.h"
#include "trainer/random.h"
#include "trainer/random_tensor.h"

#include <torch/types.h>

#include <algorithm>
#include <set>

namespace dailies::trainer {

namespace {

constexpr std::size_t kDefaultPrompts = 6;

/// Evenly spread over the captions, first and last included, so that each of their aspects varies.
std::vector<std::string> spread(const std::vector<std::string>& captions, std::size_t count) {
    if (captions.size() <= count) return captions;
    std::vector<std::string> chosen;
    for (std::size_t i = 0; i < count; ++i)
        chosen.push_back(captions[(i * (captions.size() - 1) + (count - 1) / 2) / (count - 1)]);
    return chosen;
}

}  // namespace

Sampling::Sampling(const config::TrainConfig& config, std::filesystem::path runFolder,
                   const DataSource& source, const Vocabulary& vocabulary, const TextEncoder& text,
                   const Tokenizer* tokenizer, const ValueScale& scale, const Model& model, at::Device device,
                   std::int64_t clipsAtOnce, RunLog& log)
    : m_config(config),
      m_runFolder(std::move(runFolder)),
      m_text(text),
      m_tokenizer(tokenizer),
      m_judge(source.judge()),
      m_scale(scale),
      m_model(model),
      m_objective(makeObjective(config.diffusion)),
      m_sampler(makeSampler(config.sampling.sampler)),
      m_device(device),
      m_log(log),
      m_clipsAtOnce(static_cast<std::size_t>(clipsAtOnce)) {
    const auto captions = source.captions();
    addPrompts(captions, vocabulary);
    if (m_judge) addJudged(captions);
}

void Sampling::addPrompts(const std::vector<std::string>& captions, const Vocabulary& vocabulary) {
    const auto& sampling = m_config.sampling;
    const auto prompts = sampling.prompts.empty() ? spread(captions, kDefaultPrompts) : sampling.prompts;
    std::set<std::string> taken;
    for (std::size_t i = 0; i < prompts.size(); ++i) {
        const auto& prompt = prompts[i];
        auto file = promptFileName(prompt) + "-" + std::to_string(sampling.seed);
        while (!taken.insert(file).second) file += "_";  // "a, b" and "a; b" are two clips
        Request request{prompt, sampling.seed, file, false};
        if (!sampling.given_files.empty())
            request.givenFile = sampling.given_files[sampling.given_files.size() == 1 ? 0 : i];
        if (!request.givenFile.empty())
            request.given = readGivenFrames(request.givenFile, m_config, m_tokenizer, m_scale);
        m_requests.push_back(std::move(request));
        if (!m_text.knowsWordsOnly()) continue;
        for (const auto& word : vocabulary.unknownWords(prompt))
            m_log.append(
                events::Message{"warning", "sampling.prompts: no caption of the data has the word \"" + word +
                                               "\"; the model ignores it in \"" + prompt + "\"."});
    }
}

void Sampling::addJudged(const std::vector<std::string>& captions) {
    const auto& sampling = m_config.sampling;
    const auto captionCount = static_cast<std::int64_t>(captions.size());
    for (std::int64_t i = 0; i < sampling.adherence_clips; ++i) {
        // a shuffled walk, so that fewer clips than captions still vary in every aspect; 29 is coprime to 48
        const Request request{captions[static_cast<std::size_t>(i * 29 % captionCount)],
                              sampling.seed + i / captionCount, "", true};
        const auto same = std::ranges::find_if(m_requests, [&](const Request& r) {
            return r.prompt == request.prompt && r.seed == request.seed && r.givenFile.empty();
        });
        if (same == m_requests.end())
            m_requests.push_back(request);
        else
            same->judged = true;
    }
}

at::Tensor Sampling::givenOf(std::span<const Request> requests) const {
    const auto& shape = m_model.shape();
    const auto count = static_cast<std::int64_t>(requests.size());
    const auto clips = at::zeros({count, shape.frames, shape.height, shape.width, shape.channels});
    const auto counts = at::zeros({count}, at::kLong);
    for (std::int64_t i = 0; i < count; ++i) {
        const auto& given = requests[static_cast<std::size_t>(i)].given;
        if (!given.defined()) continue;
        clips[i].narrow(0, 0, given.size(0)).copy_(given);
        counts[i] = given.size(0);
    }
    return counts.any().item<bool>() ? givenFrames(clips, counts).to(m_device) : at::Tensor();
}

Denoiser Sampling::denoiser(const Params& weights, const TextInput& captions, const at::Tensor& given) const {
    return [this, &weights, captions, given](const at::Tensor& mixed, const PathPoint& point) {
        const auto levels = at::full({mixed.size(0)}, point.level, mixed.options());
        const NoisyClips noisy{mixed, levels, given, static_cast<double>(m_config.data.fps)};
        const auto output = networkOutputs(m_model, weights, *m_objective, {noisy}, captions).front();
        return m_objective->clean(output, mixed, levels);
    };
}

void Sampling::run(std::int64_t step, const Params& weights) {
    const auto clips = sample(m_requests, weights);
    std::map<std::string, double> right;
    double judged = 0;
    for (std::size_t i = 0; i < clips.size(); ++i) {
        const auto& request = m_requests[i];
        const auto aspects = m_judge ? m_judge->judge(clips[i], request.prompt) : Aspects{};
        if (!request.file.empty()) write(request, clips[i], aspects, step);
        if (!request.judged || !aspects) continue;
        judged += 1;
        for (const auto& [aspect, isRight] : *aspects) right["adherence_" + aspect] += isRight;
        right["adherence"] += std::ranges::all_of(*aspects, [](const auto& aspect) { return aspect.second; });
    }
    if (judged == 0) return;
    for (auto& [name, count] : right) count /= judged;
    m_log.append(events::Metrics{step, std::move(right)});
}

TextInput Sampling::textOf(const std::vector<Caption>& prompts) const {
    return eachTensor(m_text.encode(prompts), [&](const at::Tensor& x) { return x.to(m_device); });
}

std::vector<RgbClip> Sampling::sample(const std::vector<Request>& requests, const Params& weights) const {
    const at::NoGradGuard noGradients;
    const AutocastScope autocast(m_device, m_config.runtime.precision);
    const auto& sampling = m_config.sampling;
    const Guidance guidance{sampling.guidance, sampling.guidance_from, sampling.guidance_to};
    const auto grid = m_objective->grid(sampling.steps, m_model.tokensPerClip());
    const auto& shape = m_model.shape();
    std::vector<RgbClip> clips;
    for (std::size_t first = 0; first < requests.size(); first += m_clipsAtOnce) {
        const auto last = std::min(first + m_clipsAtOnce, requests.size());
        std::vector<at::Tensor> noise;
        std::vector<Caption> prompts;
        for (auto i = first; i < last; ++i) {
            noise.push_back(
                normalTensor(randomKey(requests[i].seed, Stream::sampler_noise, hashText(requests[i].prompt)),
                             {shape.frames, shape.height, shape.width, shape.channels}));
            prompts.push_back({requests[i].prompt});
        }
        const auto given = givenOf(std::span(requests).subspan(first, last - first));
        auto denoise = denoiser(weights, textOf(prompts), given);
        if (guidance.scale != 1) {
            prompts.resize(prompts.size() * 2);  // the second half without captions
            const auto twice = given.defined() ? at::cat({given, given}) : given;
            denoise = guided(guidance, std::move(denoise), denoiser(weights, textOf(prompts), twice));
        }
        const auto sampled =
            m_sampler->sample(at::stack(noise).to(m_device), keepingGiven(given, denoise), grid);
        if (!m_tokenizer) {
            for (const auto& clip : sampled.unbind(0)) clips.push_back(toRgbClip(clip, m_scale));
            continue;
        }
        for (const auto& latents : sampled.split(1)) {
            const auto clip = m_tokenizer->decode(unscaledValues(latents, m_scale));
            clips.push_back(toRgbClip(clip.squeeze(0), {}));
        }
    }
    return clips;
}

void Sampling::write(const Request& request, const RgbClip& clip, const Aspects& aspects, std::int64_t step) {
    events::Clip event;
    event.step = step;
    event.prompt = request.prompt;
    event.seed = request.seed;
    event.fps = static_cast<double>(m_config.data.fps);
    Json note = {{"step", step},
                 {"prompt", request.prompt},
                 {"seed", request.seed},
                 {"frames", clip.frames},
                 {"height", clip.height},
                 {"width", clip.width},
                 {"fps", m_config.data.fps},
                 {"sampler", m_config.sampling.sampler},
                 {"sampler_steps", m_config.sampling.steps},
                 {"guidance", m_config.sampling.guidance}};
    if (request.given.defined()) {
        note["given_file"] = request.givenFile;
        note["given_frames"] = request.given.size(0);
    }
    if (aspects) {
        double right = 0;
        for (const auto& [aspect, isRight] : *aspects) {
            note["right"][aspect] = isRight;
            right += isRight;
        }
        event.adherence = right / static_cast<double>(aspects->size());
        note["adherence"] = *event.adherence;
    }
    writeClipOfRun(m_runFolder, request.file, clip, event, note, m_log);
}

}  // namespace dailies::trainer
