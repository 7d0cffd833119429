#pragma once

#include "core/config/family_traits.h"
#include "trainer/data/vocabulary.h"
#include "trainer/denoising/character.h"
#include "trainer/inference/clip_output.h"
#include "trainer/inference/clip_sampler.h"
#include "trainer/runtime/run_log.h"

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace dailies::trainer {

/// Of each aspect of a prompt whether the clip shows it; nullopt where nobody can tell.
using Aspects = std::optional<std::map<std::string, bool>>;

/// The share of the aspects that are right.
double fractionCorrect(const std::map<std::string, bool>& aspects);

/// Sets whom a request animates, for so many frames: from the files, where they are named, else as the data,
/// where there are any, know the prompt. Throws as `readGuide`, and `InputError` where nobody tells.
void setGuide(SampleRequest& request, const DataSource* source, const GuideFiles& files,
              const config::TrainConfig& config, std::int64_t frames);

/// How far a clip is from the true one of its prompt, as `Judge::errors` has it; empty where nobody knows
/// that.
std::map<std::string, std::vector<double>> errorsOf(const Judge* judge, const SampleRequest& request,
                                                    const RgbClip& clip);

/// Writes what the request's clip is made from beside its prompt; frames that a clip goes on from are in it
/// already.
void addInputs(ClipOutput& output, const SampleRequest& request, const config::TrainConfig& config);

/// The note beside a clip: how it was sampled, and what of it is right.
Json sampleNote(const config::TrainConfig& config, std::int64_t step, const SampleRequest& request,
                const Aspects& aspects);

/// Samples the run's fixed prompts from fixed noise, so that clips of different steps, and of runs of one
/// sweep, show the same task: writes the prompts' clips to <run>/clips/step-…/ and reads clips back where the
/// data has a judge. Where the model is conditioned on frames, a prompt's clip may begin with those of a
/// file. On the leading rank; those that share the tokens of its clips, or have other stages of the model,
/// participate.
class Sampling {
public:
    /// `clipsAtOnce`: as many as the rank trains on at once, so that sampling needs no more memory than
    /// training. `sequenceParallel` as ClipSampler has it. Throws `InputError` that names a file of
    /// `sampling.given_files` or `sampling.prompt_embeddings` which cannot be read.
    Sampling(const config::TrainConfig& config, std::filesystem::path runFolder, DataSource& source,
             const Vocabulary& vocabulary, const SamplerParts& parts, std::int64_t clipsAtOnce,
             const layers::SequenceParallel* sequenceParallel, RunLog& log);

    /// Logs a clip event for each written clip and one metrics event ("adherence", "adherence_colour", …:
    /// share of the clips that are right). A clip that cannot be written is a health event.
    void run(std::int64_t step, const Params& weights);
    /// On the other stages at the same time.
    void participate(const Params& weights) const { m_sampler.participate(m_requests, weights); }

private:
    /// What becomes of a clip.
    struct Purpose {
        std::string file;     ///< where it is written, without folder and ending; empty when it is not
        bool judged = false;  ///< counts for the adherence metrics
    };

    void addPrompts(DataSource& source, const std::vector<std::string>& captions,
                    const Vocabulary& vocabulary, const TextEncoder& text);
    /// Captions of clips spread over the data, with the embeddings or the image that a clip itself has.
    void addClipsOf(DataSource& source);
    /// Whether every clip begins with an image, and the data give it.
    bool takesImagesOfData() const { return beginsWithImages() && m_config.sampling.given_files.empty(); }
    /// That of a clip of the data, for the request of this place of so many; none where a file is named.
    std::optional<ImageCondition> imageFrom(DataSource& source, std::size_t place, std::size_t count) const;
    bool beginsWithImages() const { return config::beginsWithImages(m_config.model); }
    /// Where the data hold text embeddings: the prompts with the embeddings of their files.
    void addEmbedded(DataSource& source, std::int64_t width);
    void addRequest(SampleRequest request, std::size_t place, std::set<std::string>& taken);
    /// Whom the request animates, where the model does: from the files of that prompt, else from the data.
    void addGuide(SampleRequest& request, std::size_t place) const;
    void addJudged(const std::vector<std::string>& captions);
    void addJudgedWithImagesOf(DataSource& source);
    void write(const SampleRequest& request, const std::string& file, const RgbClip& clip,
               const Aspects& aspects, std::map<std::string, std::vector<double>> errors, std::int64_t step);

    config::TrainConfig m_config;
    std::filesystem::path m_runFolder;
    const DataSource& m_source;
    const Judge* m_judge;
    ClipSampler m_sampler;
    RunLog& m_log;
    std::vector<SampleRequest> m_requests;
    std::vector<Purpose> m_purposes;  ///< parallel to them
};

}  // namespace dailies::trainer
