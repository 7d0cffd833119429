#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace dailies::trainer {

struct ModelInput;

/// A batch on its way through a model, block by block. What all blocks read beside the tokens (noise levels,
/// captions, positions) is computed when the pass begins, on whichever rank computes any of them. The model,
/// the weights and what they share must live until the backward pass has ended.
class ModelPass {
public:
    virtual ~ModelPass() = default;

    /// What the first block reads: [clips, tokens, width], of packed clips [1, tokens of all, width]; of
    /// shared clips this rank's tokens.
    virtual at::Tensor embedded() const = 0;
    /// Its sizes, which are those of what every block makes.
    virtual std::vector<std::int64_t> tokenSizes() const = 0;
    /// What the block of this number makes of what the one before it made.
    virtual at::Tensor block(std::int64_t index, const at::Tensor& tokens) const = 0;
    /// `Model::forward`'s of what the last block made.
    virtual std::vector<at::Tensor> output(const at::Tensor& tokens) const = 0;
};

/// Ranks that divide the blocks of a model among themselves (pipeline parallelism): stages, which hand tokens
/// on to each other.
class PipelineRunner {
public:
    virtual ~PipelineRunner() = default;

    virtual std::int64_t stages() const = 0;

    /// `Model::forward`'s, on every stage; without gradients. Stages must make the same calls in the same
    /// order.
    virtual std::vector<at::Tensor> outputs(const ModelPass& pass, const ModelInput& input) const = 0;
};

}  // namespace dailies::trainer
