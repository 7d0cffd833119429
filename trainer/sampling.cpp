#include "trainer/sampling.h"

#include "core/base/error.h"
#include "trainer/clip_output.h"
#include "trainer/diffusion/samplers/guidance.h"
#include "trainer/example_tensors.h"
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
                   const Tokenizer* tokenizer, PixelScale scale, const Model& model, at::Device device,
                   RunLog& log)
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
      m_log(log) {
    const auto captions = source.captions();
    const auto prompts =
        config.sampling.prompts.empty() ? spread(captions, kDefaultPrompts) : config.sampling.prompts;
    std::set<std::string> taken;
    for (const auto& prompt : prompts) {
        auto file = promptFileName(prompt) + "-" + std::to_string(config.sampling.seed);
        while (!taken.insert(file).second) file += "_";  // "a, b" and "a; b" are two clips
        m_requests.push_back({prompt, config.sampling.seed, file, false});
        if (!text.knowsWordsOnly()) continue;
        for (const auto& word : vocabulary.unknownWords(prompt))
            log.append(events::Message{"warning", "sampling.prompts: no caption of the data has the word \"" +
                                                      word + "\"; the model ignores it in \"" + prompt +
                                                      "\"."});
    }
    if (!m_judge) return;
    const auto captionCount = static_cast<std::int64_t>(captions.size());
    for (std::int64_t i = 0; i < config.sampling.adherence_clips; ++i) {
        // a shuffled walk, so that fewer clips than captions still vary in every aspect; 29 is coprime to 48
        const Request request{captions[static_cast<std::size_t>(i * 29 % captionCount)],
                              config.sampling.seed + i / captionCount, "", true};
        const auto same = std::ranges::find_if(m_requests, [&](const Request& r) {
            return r.prompt == request.prompt && r.seed == request.seed;
        });
        if (same == m_requests.end())
            m_requests.push_back(request);
        else
            same->judged = true;
    }
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
    const auto& data = m_config.data;
    const auto& sampling = m_config.sampling;
    const Guidance guidance{sampling.guidance, sampling.guidance_from, sampling.guidance_to};
    const auto grid = m_objective->grid(sampling.steps, m_model.tokensPerClip());
    const auto fps = static_cast<double>(data.fps);
    const auto& shape = m_model.shape();
    const auto batchSize = static_cast<std::size_t>(data.batch_size);
    std::vector<RgbClip> clips;
    for (std::size_t first = 0; first < requests.size(); first += batchSize) {
        const auto last = std::min(first + batchSize, requests.size());
        std::vector<at::Tensor> noise;
        std::vector<Caption> prompts;
        for (auto i = first; i < last; ++i) {
            noise.push_back(
                normalTensor(randomKey(requests[i].seed, Stream::sampler_noise, hashText(requests[i].prompt)),
                             {shape.frames, shape.height, shape.width, shape.channels}));
            prompts.push_back({requests[i].prompt});
        }
        const auto alone = textOf(prompts);
        prompts.resize(prompts.size() * 2);  // the second half without captions
        const auto both = textOf(prompts);
        const auto denoiser = [&](const TextInput& captions) -> Denoiser {
            return [&](const at::Tensor& mixed, const PathPoint& point) {
                const auto levels = at::full({mixed.size(0)}, point.level, mixed.options());
                const ClipGroup group{m_objective->networkInput(mixed, levels), {}, fps};
                const auto output =
                    m_model.forward(weights, {{group}, m_objective->networkTimes(levels), captions}).front();
                return m_objective->clean(output.to(at::kFloat), mixed, levels);
            };
        };
        const auto sampled = m_sampler->sample(at::stack(noise).to(m_device),
                                               guided(guidance, denoiser(alone), denoiser(both)), grid);
        if (!m_tokenizer) {
            for (const auto& clip : sampled.unbind(0)) clips.push_back(toRgbClip(clip, m_scale));
            continue;
        }
        for (const auto& latents : sampled.split(1)) {
            const auto clip = m_tokenizer->decode(latents * m_scale.deviation + m_scale.mean);
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
