#pragma once

#include "trainer/meters/phase_clock.h"
#include "trainer/models/model_family.h"
#include "trainer/parallel/pipeline_links.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace dailies::trainer {

/// The part of a model that one stage of a pipeline has: some runs of its blocks, on the first stage the
/// patches' embedding, on the last the output, and on every stage what steers the blocks (noise level and
/// caption). The latter is computed on each stage anew instead of being sent, so that a stage's backward pass
/// gives a part of those weights' gradients, and the sum over the stages is the gradient.
class PipelineStage : public PipelineRunner {
public:
    /// `depth`: blocks of the whole model, which stages and chunks divide. `links` must outlive this.
    PipelineStage(const PipelineLinks& links, std::int64_t depth);

    /// By the names that all families give their weights.
    bool has(const std::string& weight) const;
    static bool isOnEveryStage(const std::string& weight);

    std::int64_t stage() const { return m_links.stage(); }
    std::int64_t stages() const override { return m_links.stages(); }
    const PipelineLinks& links() const { return m_links; }

    std::vector<at::Tensor> outputs(const ModelPass& pass, const ModelInput& input) const override;

    /// Parts of a step's batch, of equally many equally sized clips.
    struct MicroBatches {
        std::int64_t count = 1;
        std::function<std::unique_ptr<ModelPass>(std::int64_t index)> begin;
        /// A part's share of the step's loss, of what `Model::forward` gives. On the last stage only, part by
        /// part.
        std::function<at::Tensor(std::int64_t index, const std::vector<at::Tensor>& outputs)> loss;
        at::Device device;
        std::string precision;  ///< see AutocastScope
    };
    /// Forward and backward of all of them, as `config::pipelineSchedule` has it. Waiting for other stages
    /// counts as `Phase::reduce`.
    void forwardBackward(const MicroBatches& batches, PhaseClock& clock) const;

private:
    class Step;

    bool embeds(std::int64_t chunk) const { return stage() == 0 && chunk == 0; }
    bool makesOutput(std::int64_t chunk) const {
        return stage() + 1 == stages() && chunk + 1 == m_links.chunks();
    }
    bool hasBlock(std::int64_t index) const { return index / m_blocks % stages() == stage(); }
    at::Tensor through(std::int64_t chunk, const ModelPass& pass, at::Tensor tokens) const;
    /// In float32, as objectives read it.
    static std::vector<at::Tensor> outputOf(const ModelPass& pass, const at::Tensor& tokens);

    const PipelineLinks& m_links;
    std::int64_t m_blocks;  ///< of one run
};

}  // namespace dailies::trainer
