#pragma once

#include "core/config/train_config.h"
#include "trainer/data/data_source.h"
#include "trainer/diffusion/chunks.h"
#include "trainer/diffusion/frame_windows.h"
#include "trainer/diffusion/objective.h"
#include "trainer/diffusion/samplers/sampler.h"
#include "trainer/inference/other_expert.h"
#include "trainer/models/model_family.h"
#include "trainer/text/text_encoder.h"
#include "trainer/tokenizers/condition_encoder.h"
#include "trainer/tokenizers/tokenizer.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace dailies::trainer {

/// What a clip is sampled from.
struct SampleRequest {
    std::string prompt;
    std::int64_t seed = 0;
    std::string conditioningFile = {};  ///< what `conditioning` was read from
    at::Tensor conditioning =
        {};  ///< the frames it begins with: see readConditioningFrames; undefined for none
    std::optional<Array> embeddings = {};  ///< of the prompt, F32 [tokens, width], where the data hold those
    std::optional<CharacterGuide> guide = {};  ///< whom it animates, where the model does
    /// The guide is what the data make up for the prompt and seed: their judge knows the true clip.
    bool isPromptsGuide = false;
    std::optional<ImageCondition> image = {};  ///< that it begins with, where the model begins with images
    std::string lastFile = {};                 ///< what `image` ends with, where the model reads that

    Caption caption() const { return {prompt, embeddings ? &*embeddings : nullptr}; }
};

/// What clips are made with. All of it must outlive those who make them.
struct SamplerParts {
    const TextEncoder& text;
    const Tokenizer* tokenizer;                ///< turns latents into clips; null where the model makes clips
    const ConditionEncoder* conditionEncoder;  ///< encodes what clips are made of beside prompts; may be null
    ValueScale scale;
    const Model& model;
    at::Device device;
    const OtherExpert* otherExpert = nullptr;  ///< denoises what the model is not trained for; null: nothing
};

/// Makes clips of prompts with a model, as `config.sampling` tells. The noise of a clip follows from its
/// prompt and seed alone, and a longer clip begins with that of a shorter one.
class ClipSampler {
public:
    /// `clipsAtOnce`: memory grows with it. `sequenceParallel`: ranks that sample the same clips together,
    /// each some of their tokens; they all make the same calls, and the first of them gets the clips. Null:
    /// alone.
    ClipSampler(const config::TrainConfig& config, const SamplerParts& parts, std::int64_t clipsAtOnce,
                const layers::SequenceParallel* sequenceParallel = nullptr);

    /// The `conditioning` of a request whose clip begins with frames of this file. Throws as
    /// `readConditioningFrames`.
    at::Tensor readGiven(const std::filesystem::path& file) const;

    /// The `image` of a request whose clip begins with one file and, where the model reads last images, ends
    /// with another. Throws as `trainer::readImage`.
    ImageCondition readImage(const std::filesystem::path& first, const std::filesystem::path& last) const;

    /// Such an image as the tokenizer shows it, for those whose pixels are gone.
    RgbClip imageShown(const ImageCondition& image) const;

    /// Clips of the model's own length, one a request; none on ranks that only share in it.
    std::vector<RgbClip> sample(const std::vector<SampleRequest>& requests, const Params& weights) const;
    /// The same work but for turning latents into clips: on ranks that have other stages of the model than
    /// the first, at the same time.
    void participate(const std::vector<SampleRequest>& requests, const Params& weights) const;

    /// A clip longer than the model's own.
    struct LongClip {
        std::int64_t frames = 0;
        std::int64_t overlap = 0;  ///< frames that neighbouring chunks share; 0: a third of a chunk
        /// Of `config::kBlends`. Only "linear" has the memory of one chunk, however long the clip; others
        /// hold the latents of the whole clip at once.
        std::string blend = "linear";
    };

    /// Throws `InputError` for an overlap that does not fit the model, or where all clips of the model begin
    /// with an image, which chunks in the middle of a clip do not; each begins with a reference picture.
    void requireFitting(const LongClip& wanted) const { chunksOf(wanted); }

    /// `take` gets the frames in order, some at a time; not on ranks that only share in it. Throws as
    /// `requireFitting`.
    void sampleLong(const SampleRequest& request, const LongClip& wanted, const Params& weights,
                    const std::function<void(const RgbClip&)>& take) const;

private:
    /// `take` gets the clips, or their latents, some at a time.
    void sampleAll(const std::vector<SampleRequest>& requests, const Params& weights,
                   const std::function<void(const at::Tensor& clips)>& take) const;
    /// What is read of prompts: encoded once for all chunks of a long clip.
    struct Captions {
        TextInput alone;
        TextInput
            withNegative;  ///< followed by as many negative ones; only where guidance compares with these
    };

    Captions captionsOf(std::vector<Caption> prompts) const;
    TextInput textOf(const std::vector<Caption>& prompts) const;
    at::Tensor noise(const SampleRequest& request, std::int64_t first, std::int64_t frames) const;
    /// What clips of so many frames are made of beside their prompts.
    struct Conditions {
        at::Tensor conditioning = {};  ///< ClipGroup::conditioning; undefined where none is given a frame
        Character character = {};
        at::Tensor imageTokens = {};  ///< ClipGroup::imageTokens
    };
    Conditions conditionsOf(std::span<const SampleRequest> requests, std::int64_t frames,
                            const Params& weights) const;
    at::Tensor givenOf(std::span<const SampleRequest> requests, std::int64_t frames) const;
    /// Expects clean clips by these weights.
    Denoiser denoiser(const Params& weights, const TextInput& text, const Conditions& conditions) const;
    /// The same, guided, with the given frames as they are.
    Denoiser guidedDenoiser(const Params& weights, const Captions& captions,
                            const Conditions& conditions) const;
    std::vector<PathPoint> grid() const;
    std::int64_t latentFrames(const LongClip& wanted) const;
    Chunks chunksOf(const LongClip& wanted) const;
    /// Of every blend but "linear".
    FrameWindows windowsOf(const LongClip& wanted) const;
    bool isOutputRank() const { return !m_sequenceParallel || m_sequenceParallel->rank() == 0; }

    config::TrainConfig m_config;
    SamplerParts m_parts;
    std::unique_ptr<Objective> m_objective;
    std::unique_ptr<Sampler> m_sampler;
    std::size_t m_clipsAtOnce;
    const layers::SequenceParallel* m_sequenceParallel;
};

}  // namespace dailies::trainer
