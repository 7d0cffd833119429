#pragma once

#include "core/config/train_config.h"
#include "trainer/batch.h"
#include "trainer/diffusion/objective.h"
#include "trainer/diffusion/samplers/sampler.h"
#include "trainer/models/model_family.h"
#include "trainer/run_log.h"
#include "trainer/tokenizers/tokenizer.h"

#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace dailies::trainer {

/// Samples the run's fixed prompts from fixed noise, so that clips of different steps, and of runs of one
/// sweep, show the same task: writes the prompts' clips to <run>/clips/step-…/ and reads clips back where the
/// data has a judge. Where the model is conditioned on frames, a prompt's clip may begin with those of a
/// file. Leading rank only.
class Sampling {
public:
    /// `clipsAtOnce`: as many as the rank trains on at once, so that sampling needs no more memory than
    /// training. `tokenizer` turns latents into clips; null where the model makes clips. Throws `InputError`
    /// that names a file of `sampling.given_files` which cannot be read.
    Sampling(const config::TrainConfig& config, std::filesystem::path runFolder, const DataSource& source,
             const Vocabulary& vocabulary, const TextEncoder& text, const Tokenizer* tokenizer,
             const ValueScale& scale, const Model& model, at::Device device, std::int64_t clipsAtOnce,
             RunLog& log);

    /// Logs a clip event for each written clip and one metrics event ("adherence", "adherence_colour", …:
    /// share of the clips that are right). A clip that cannot be written is a health event.
    void run(std::int64_t step, const Params& weights);

private:
    /// One clip to sample.
    struct Request {
        std::string prompt;
        std::int64_t seed = 0;
        std::string file;     ///< where it is written, without folder and ending; empty when it is not
        bool judged = false;  ///< counts for the adherence metrics
        std::string givenFile = {};
        at::Tensor given = {};  ///< frames of that file: see readGivenFrames; undefined where there is none
    };

    using Aspects = std::optional<std::map<std::string, bool>>;

    void addPrompts(const std::vector<std::string>& captions, const Vocabulary& vocabulary);
    void addJudged(const std::vector<std::string>& captions);
    /// Of these requests, as `ClipGroup::given`; undefined where none is given a frame.
    at::Tensor givenOf(std::span<const Request> requests) const;
    /// Expects clean clips by these weights.
    Denoiser denoiser(const Params& weights, const TextInput& captions, const at::Tensor& given) const;
    TextInput textOf(const std::vector<Caption>& prompts) const;
    std::vector<RgbClip> sample(const std::vector<Request>& requests, const Params& weights) const;
    void write(const Request& request, const RgbClip& clip, const Aspects& aspects, std::int64_t step);

    config::TrainConfig m_config;
    std::filesystem::path m_runFolder;
    const TextEncoder& m_text;
    const Tokenizer* m_tokenizer;
    const Judge* m_judge;
    ValueScale m_scale;
    const Model& m_model;
    std::unique_ptr<Objective> m_objective;
    std::unique_ptr<Sampler> m_sampler;
    at::Device m_device;
    RunLog& m_log;
    std::size_t m_clipsAtOnce;
    std::vector<Request> m_requests;
};

}  // namespace dailies::trainer
