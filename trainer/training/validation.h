#pragma once

#include "trainer/data/data_source.h"
#include "trainer/denoising/batch.h"
#include "trainer/diffusion/objective.h"
#include "trainer/models/model_family.h"
#include "trainer/parallel/process_group.h"
#include "trainer/text/text_encoder.h"

#include <map>
#include <string>
#include <vector>

namespace dailies::trainer {

/// Measures the loss on clips that training does not see, at fixed levels with fixed noise and all captions:
/// the same numbers are drawn at every step and in every run, whatever its seed, so that even small changes
/// are real. Every rank takes part and gets the result.
class Validation {
public:
    /// `clips`: indices of the source. What is given by reference must outlive this.
    Validation(const config::TrainConfig& config, const DistEnv& ranks, DataSource& source,
               std::vector<std::int64_t> clips, const TextEncoder& text, const ValueScale& scale,
               const Model& model, const Objective& objective, at::Device device);

    /// "val/loss_0.05", …: mean loss of the clips with noise of that share (PathPoint::noiseFraction);
    /// "val/loss": the mean of these; "val/clip_error": mean squared error of the predicted clean clips over
    /// all levels, which compares runs of different objectives and weights. `sequenceParallel`: ranks that
    /// measure their clips together; `ranks` count those that do as one.
    std::map<std::string, double> run(const Params& weights, ProcessGroup& processGroup,
                                      const layers::SequenceParallel* sequenceParallel = nullptr) const;

private:
    /// Of one clip: a number for each level.
    struct Measured {
        at::Tensor losses, clipErrors;
    };
    Measured measure(const Params& weights, std::size_t clipNumber,
                     const layers::SequenceParallel* sequenceParallel) const;

    config::TrainConfig m_config;
    DataSource& m_source;
    std::vector<std::int64_t> m_clips;  ///< of all ranks
    DistEnv m_ranks;
    const TextEncoder& m_text;
    ValueScale m_scale;
    const Model& m_model;
    const Objective& m_objective;
    at::Device m_device;
    std::vector<double> m_shares;  ///< of noise, one a level
};

}  // namespace dailies::trainer
