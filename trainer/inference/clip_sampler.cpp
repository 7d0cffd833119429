#include "trainer/inference/clip_sampler.h"

#include "core/base/error.h"
#include "core/config/family_traits.h"
#include "core/config/latent_size.h"
#include "trainer/denoising/character.h"
#include "trainer/denoising/collate.h"
#include "trainer/denoising/conditioning_frames.h"
#include "trainer/denoising/denoiser.h"
#include "trainer/denoising/image_condition.h"
#include "trainer/diffusion/samplers/guidance.h"
#include "trainer/tensors/precision.h"
#include "trainer/tensors/random.h"
#include "trainer/tensors/random_tensor.h"

#include <torch/types.h>

#include <algorithm>
#include <deque>

namespace dailies::trainer {

namespace {

/// Turns the latents or pixels of one long clip, which come in pieces, into its frames.
class FramesOut {
public:
    FramesOut(const Tokenizer* tokenizer, const ValueScale& scale, std::int64_t frames,
              const std::function<void(const RgbClip&)>& take)
        : m_tokenizer(tokenizer), m_scale(scale), m_left(frames), m_take(take) {}

    void add(const at::Tensor& clips, bool last) {
        auto frames = clips;
        if (m_tokenizer) frames = m_tokenizer->decodePiece(unscaledValues(clips, m_scale), m_memory, last);
        if (!frames.defined() || m_left == 0) return;
        frames = frames.narrow(1, 0, std::min(frames.size(1), m_left));
        m_left -= frames.size(1);
        m_take(toRgbClip(frames.squeeze(0), m_tokenizer ? ValueScale{} : m_scale));
    }

private:
    const Tokenizer* m_tokenizer;
    ValueScale m_scale;
    std::int64_t m_left;  ///< chunks may cover more frames than were wanted
    const std::function<void(const RgbClip&)>& m_take;
    Tokenizer::StreamState m_memory;
};

}  // namespace

ClipSampler::ClipSampler(const config::TrainConfig& config, const SamplerParts& parts,
                         std::int64_t clipsAtOnce, const layers::SequenceParallel* sequenceParallel)
    : m_config(config),
      m_parts(parts),
      m_objective(makeObjective(config.diffusion)),
      m_sampler(makeSampler(config.sampling.sampler)),
      m_clipsAtOnce(static_cast<std::size_t>(clipsAtOnce)),
      m_sequenceParallel(sequenceParallel) {}

at::Tensor ClipSampler::readGiven(const std::filesystem::path& file) const {
    return readConditioningFrames(file, m_config, m_parts.tokenizer, m_parts.scale);
}

ImageCondition ClipSampler::readImage(const std::filesystem::path& first,
                                      const std::filesystem::path& last) const {
    auto pictures = trainer::readImage(first, m_config);
    if (!last.empty()) {
        const auto end = trainer::readImage(last, m_config, "sampling.last_files");
        pictures.rgb.insert(pictures.rgb.end(), end.rgb.begin(), end.rgb.end());
        ++pictures.frames;
    }
    return m_parts.conditionEncoder->imageOf(pictures, m_config.data.frames);
}

RgbClip ClipSampler::imageShown(const ImageCondition& image) const {
    const at::NoGradGuard noGradients;
    const auto first = valuesOf({.latents = image.latents}).narrow(0, 0, 1).unsqueeze(0);
    return toRgbClip(m_parts.tokenizer->decode(first.to(m_parts.device)).squeeze(0), {});
}

ClipSampler::Captions ClipSampler::captionsOf(std::vector<Caption> prompts) const {
    Captions captions{textOf(prompts), {}};
    if (!m_config.sampling.isGuided()) return captions;
    prompts.resize(prompts.size() * 2, Caption{m_config.sampling.negative_prompt});
    captions.withNegative = textOf(prompts);
    return captions;
}

TextInput ClipSampler::textOf(const std::vector<Caption>& prompts) const {
    return eachTensor(m_parts.text.encode(prompts),
                      [&](const at::Tensor& x) { return x.to(m_parts.device); });
}

at::Tensor ClipSampler::noise(const SampleRequest& request, std::int64_t first, std::int64_t frames) const {
    const auto& shape = m_parts.model.shape();
    const auto perFrame = shape.height * shape.width * shape.channels;
    return normalTensor(randomKey(request.seed, Stream::sampler_noise, hashText(request.prompt)),
                        {frames, shape.height, shape.width, shape.channels}, first * perFrame);
}

at::Tensor ClipSampler::givenOf(std::span<const SampleRequest> requests, std::int64_t frames) const {
    const auto& shape = m_parts.model.shape();
    const auto count = static_cast<std::int64_t>(requests.size());
    const auto clips = at::zeros({count, frames, shape.height, shape.width, shape.channels});
    const auto counts = at::zeros({count}, at::kLong);
    for (std::int64_t i = 0; i < count; ++i) {
        const auto& given = requests[static_cast<std::size_t>(i)].conditioning;
        if (!given.defined()) continue;
        clips[i].narrow(0, 0, given.size(0)).copy_(given);
        counts[i] = given.size(0);
    }
    return counts.any().item<bool>() ? conditioningFrames(clips, counts).to(m_parts.device) : at::Tensor();
}

ClipSampler::Conditions ClipSampler::conditionsOf(std::span<const SampleRequest> requests,
                                                  std::int64_t frames, const Params& weights) const {
    std::vector<Character> characters;
    std::vector<const ImageCondition*> images;
    std::deque<ImageCondition> references;
    const auto* encoder = m_parts.conditionEncoder;
    for (const auto& request : requests) {
        if (request.image) images.push_back(&*request.image);
        if (!request.guide) continue;
        auto guide = *request.guide;
        if (encoder && encoder->readsReferenceAsImage())
            images.push_back(
                &references.emplace_back(encoder->imageOf(guide.reference, m_config.data.frames)));
        else if (encoder)
            encoder->encode(guide);
        characters.push_back(characterOf(guide, /*dropped=*/false));
    }
    auto character = stacked(characters, m_parts.scale, m_parts.device);
    if (character.defined()) {
        // chunks may cover more frames than were wanted: the last pose stays
        const auto posed = 1 + (frames - 1) * config::framesPerLatent(m_config);
        if (const auto missing = posed - character.poses.size(1); missing > 0) {
            const auto last = character.poses.narrow(1, character.poses.size(1) - 1, 1);
            character.poses = at::cat({character.poses, last.repeat_interleave(missing, 1)}, 1);
        }
        character = m_parts.model.prepared(weights, character);
    }
    if (const auto image = imageTensors(images, m_parts.scale, m_parts.device); image.defined())
        return {image.conditioning, std::move(character), image.tokens};
    return {givenOf(requests, frames), std::move(character)};
}

Denoiser ClipSampler::denoiser(const Params& weights, const TextInput& text,
                               const Conditions& conditions) const {
    return [this, &weights, text, conditions](const at::Tensor& noised, const PathPoint& point) {
        const auto levels = at::full({noised.size(0)}, point.level, noised.options());
        const NoisyClips noisy{noised,
                               levels,
                               conditions.conditioning,
                               static_cast<double>(m_config.data.fps),
                               conditions.character,
                               conditions.imageTokens};
        const auto* expert = m_parts.otherExpert;
        const auto* other = expert && expert->denoises(point.level) ? expert : nullptr;
        const auto output =
            networkOutputs(other ? other->model() : m_parts.model, other ? other->weights() : weights,
                           *m_objective, {noisy}, text, m_sequenceParallel)
                .front();
        return m_objective->predictClean(output, noised, levels);
    };
}

Denoiser ClipSampler::guidedDenoiser(const Params& weights, const Captions& captions,
                                     const Conditions& conditions) const {
    const auto& sampling = m_config.sampling;
    const auto& [given, character, imageTokens] = conditions;
    auto denoise = denoiser(weights, captions.alone, conditions);
    if (sampling.isGuided()) {
        Conditions twice;
        // of models that read no captions it is the image that guidance compares with
        const auto compared = [drops = config::isUnet(m_config.model)](const at::Tensor& x) {
            return drops ? at::zeros_like(x) : x;
        };
        if (given.defined()) twice.conditioning = at::cat({given, compared(given)});
        if (character.defined()) twice.character = joined(character, withoutReference(character));
        if (imageTokens.defined()) twice.imageTokens = at::cat({imageTokens, compared(imageTokens)});
        const Guidance own{sampling.guidance, sampling.guidance_from, sampling.guidance_to};
        const Guidance others{sampling.otherGuidance(), own.from, own.to};
        const auto scaleAt = [own, others, expert = m_parts.otherExpert](const PathPoint& point) {
            return (expert && expert->denoises(point.level) ? others : own).scaleAt(point);
        };
        denoise = guided(scaleAt, std::move(denoise), denoiser(weights, captions.withNegative, twice),
                         sampling.guidanceGrowth());
    }
    // an image is what the model makes its first frame of, not that frame
    const bool isImage = config::readsImages(m_config.model.conditioning);
    return withConditioningFrames(isImage ? at::Tensor() : given, std::move(denoise));
}

std::vector<PathPoint> ClipSampler::grid() const {
    return m_objective->grid(m_config.sampling.steps, m_parts.model.tokensPerClip());
}

void ClipSampler::sampleAll(const std::vector<SampleRequest>& requests, const Params& weights,
                            const std::function<void(const at::Tensor& clips)>& take) const {
    const at::NoGradGuard noGradients;
    const AutocastScope autocast(m_parts.device, m_config.runtime.precision);
    const auto points = grid();
    for (std::size_t first = 0; first < requests.size(); first += m_clipsAtOnce) {
        const auto last = std::min(first + m_clipsAtOnce, requests.size());
        std::vector<at::Tensor> noises;
        std::vector<Caption> prompts;
        for (auto i = first; i < last; ++i) {
            noises.push_back(noise(requests[i], 0, m_parts.model.shape().frames));
            prompts.push_back(requests[i].caption());
        }
        const auto conditions = conditionsOf(std::span(requests).subspan(first, last - first),
                                             m_parts.model.shape().frames, weights);
        const auto denoise = guidedDenoiser(weights, captionsOf(std::move(prompts)), conditions);
        take(m_sampler->sample(at::stack(noises).to(m_parts.device), denoise, points));
    }
}

std::vector<RgbClip> ClipSampler::sample(const std::vector<SampleRequest>& requests,
                                         const Params& weights) const {
    if (!isOutputRank()) {
        participate(requests, weights);
        return {};
    }
    std::vector<RgbClip> clips;
    sampleAll(requests, weights, [&](const at::Tensor& sampled) {
        if (!m_parts.tokenizer) {
            for (const auto& clip : sampled.unbind(0)) clips.push_back(toRgbClip(clip, m_parts.scale));
            return;
        }
        for (const auto& latents : sampled.split(1)) {
            const auto clip = m_parts.tokenizer->decode(unscaledValues(latents, m_parts.scale));
            clips.push_back(toRgbClip(clip.squeeze(0), {}));
        }
    });
    return clips;
}

void ClipSampler::participate(const std::vector<SampleRequest>& requests, const Params& weights) const {
    sampleAll(requests, weights, [](const at::Tensor&) {});
}

Chunks ClipSampler::chunksOf(const LongClip& wanted) const {
    if (config::beginsWithImages(m_config.model))
        throw InputError("frames: found " + std::to_string(wanted.frames) + ", expected at most " +
                             std::to_string(m_config.data.frames) +
                             ": every clip of this model begins with an image.",
                         "To go on from a clip, sample another one and give it that clip's file: it begins "
                         "with the last frame.");
    const auto factor = m_parts.tokenizer ? m_config.tokenizer.frames_factor : 1;
    const auto length = m_parts.model.shape().frames;
    const auto overlap =
        wanted.overlap > 0 ? (wanted.overlap + factor - 1) / factor : std::max<std::int64_t>(1, length / 3);
    return Chunks::covering(latentFrames(wanted), length, overlap);
}

std::int64_t ClipSampler::latentFrames(const LongClip& wanted) const {
    // the tokenizer makes 1 + (frames - 1) / factor latents: the first frame is one of its own
    const auto factor = m_parts.tokenizer ? m_config.tokenizer.frames_factor : 1;
    return 1 + (wanted.frames - 1 + factor - 1) / factor;
}

FrameWindows ClipSampler::windowsOf(const LongClip& wanted) const {
    const auto chunks = chunksOf(wanted);
    if (wanted.blend == "progressive") return FrameWindows::progressive(chunks);
    const auto layOut = wanted.blend == "uniform" ? FrameWindows::uniform : FrameWindows::triangle;
    return layOut(latentFrames(wanted), chunks.length, chunks.overlap);
}

void ClipSampler::sampleLong(const SampleRequest& request, const LongClip& wanted, const Params& weights,
                             const std::function<void(const RgbClip&)>& take) const {
    const at::NoGradGuard noGradients;
    const AutocastScope autocast(m_parts.device, m_config.runtime.precision);
    const auto chunks = chunksOf(wanted);
    const auto points = grid();
    const auto captions = captionsOf({request.caption()});
    const bool beginsAnew = config::readsImages(m_config.model.conditioning);
    const auto ofFrames = [&](const Conditions& whole, const at::Tensor& frames) {
        const auto& given = whole.conditioning;
        return guidedDenoiser(weights, captions,
                              {given.defined() && !beginsAnew ? given.index_select(1, frames) : given,
                               trainer::ofFrames(whole.character, frames), whole.imageTokens});
    };
    FramesOut out(m_parts.tokenizer, m_parts.scale, wanted.frames, take);
    if (wanted.blend != "linear") {
        const auto windows = windowsOf(wanted);
        const auto conditions = conditionsOf({&request, 1}, windows.frames, weights);
        std::vector<Denoiser> ofWindows;
        for (const auto& frames : windows.windows)
            ofWindows.push_back(
                ofFrames(conditions, at::tensor(frames, at::device(m_parts.device).dtype(at::kLong))));
        const auto whole =
            m_sampler->sample(noise(request, 0, windows.frames).unsqueeze(0).to(m_parts.device),
                              fusedDenoiser(windows, std::move(ofWindows)), points);
        if (!isOutputRank()) return;
        const auto pieces = whole.split(chunks.length, 1);
        for (std::size_t i = 0; i < pieces.size(); ++i) out.add(pieces[i], i + 1 == pieces.size());
        return;
    }
    const auto conditions = conditionsOf({&request, 1}, chunks.frames(), weights);
    LinearBlend blend(chunks);
    for (std::int64_t i = 0; i < chunks.count; ++i) {
        const auto first = chunks.first(i);
        const auto frames =
            at::arange(first, first + chunks.length, at::device(m_parts.device).dtype(at::kLong));
        const auto start = noise(request, first, chunks.length).unsqueeze(0).to(m_parts.device);
        const auto sampled = m_sampler->sample(start, ofFrames(conditions, frames), points);
        if (isOutputRank()) out.add(blend.add(sampled), i + 1 == chunks.count);
    }
}

}  // namespace dailies::trainer
