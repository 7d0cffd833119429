#pragma once

#include "trainer/optim/adamw.h"
#include "trainer/optim/optimizer.h"

#include <string>
#include <vector>

namespace dailies::trainer {

/// The nearest matrix whose rows (or columns, where these are fewer) are orthonormal, roughly: five
/// Newton-Schulz iterations in bfloat16, whose polynomial brings singular values near 1 fast rather than
/// exactly (Jordan et al., "Muon", 2024).
at::Tensor orthogonalised(const at::Tensor& matrix);

/// Muon for the matrices of attention and MLP: Nesterov momentum, orthogonalised. The step is as large as one
/// of AdamW usually is (Liu et al., "Muon is Scalable for LLM Training", 2025), so that the learning rate and
/// the decay are those of AdamW, which updates all other weights. Where a weight holds several matrices
/// (queries, keys and values) each is orthogonalised by itself. State: a moment a matrix; AdamW's of the
/// rest. For whole weights only.
class Muon final : public Optimizer {
public:
    /// Throws `InputError` for parts of weights.
    Muon(const Params& weights, const config::TrainConfig::Optimizer& config,
         const TensorRanges& ranges = {});

    void step(const std::vector<at::Tensor>& gradients, double learningRate) override;
    Params state() const override;
    TensorRanges stateRanges() const override { return {}; }

private:
    struct Rows {
        std::int64_t first = 0, count = 0;
    };
    struct Member {
        std::size_t index = 0;  ///< among the weights
        std::string name;
        at::Tensor weight, moment;
        std::vector<Rows> matrices;
    };
    static std::vector<Rows> matricesOf(const std::string& name, const at::Tensor& weight);

    double m_weightDecay;
    std::vector<Member> m_members;
    std::vector<std::size_t> m_others;
    AdamW m_rest;
};

}  // namespace dailies::trainer
