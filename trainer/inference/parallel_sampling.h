#pragma once

#include "trainer/inference/inference_model.h"
#include "trainer/parallel/mesh.h"
#include "trainer/parallel/parallel_dims.h"

#include <memory>
#include <string>

namespace dailies::trainer {

/// The ranks of a sampling job, which share the tokens of each clip (context parallelism): they exchange
/// tokens for heads as far as the heads divide among them, and the rest go round a ring. All of them make the
/// same calls; the first has the clips.
class ParallelSampling {
public:
    /// Meets the others. Throws `InputError` where the ranks cannot share the clips of this model, with the
    /// nearest that can.
    ParallelSampling(const InferenceModel& model, const DistEnv& ranks);

    /// Null where one rank samples alone.
    const layers::SequenceParallel* tokens() const { return m_groups->tokens(); }
    bool isRank0() const { return m_ranks.isRank0(); }

    /// Throws `InputError` for a model that these ranks would have to share otherwise.
    void requireFitting(const InferenceModel& model) const;

    /// Whether any of the ranks says so.
    bool any(bool own) const;

    /// One pass of the model over one clip.
    struct Speed {
        std::int64_t ranks = 1;
        double alone = 0, together = 0;  ///< seconds, by the first rank and by all
        double efficiency() const { return alone / (together * static_cast<double>(ranks)); }
        std::string text() const;
    };
    Speed measured(const InferenceModel& model) const;

private:
    DistEnv m_ranks;
    at::Device m_device;
    config::LayoutSizes m_sizes;
    std::unique_ptr<ProcessGroup> m_world;
    std::unique_ptr<ParallelDims> m_groups;
};

}  // namespace dailies::trainer
