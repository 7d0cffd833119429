#pragma once

#include "trainer/models/layers/norms.h"
#include "trainer/models/layers/rotary.h"

#include <array>
#include <utility>

/// What stands between the matrix products of a transformer block, each as one pass over memory forward and
/// one backward on GPUs. Elsewhere models/layers compute it; the numbers are the same up to rounding, under
/// autocast too. On GPUs, what goes into a matrix product leaves here in the type that product reads.
namespace dailies::trainer::fused {

/// Who computes. `automatic`: the kernels for tensors on a GPU whose sizes they take (rows of a multiple of 8
/// and at most 8,192 channels), else the layers.
enum class FusedBackend { automatic, layers, kernels };

/// While it lives, all threads take this route; `kernels` on CPU tensors runs the kernels' arithmetic in
/// loops. For tests and benchmarks, which compare the routes.
class FusedBackendScope {
public:
    explicit FusedBackendScope(FusedBackend route);
    ~FusedBackendScope();
    FusedBackendScope(const FusedBackendScope&) = delete;
    FusedBackendScope& operator=(const FusedBackendScope&) = delete;

private:
    FusedBackend m_before;
};

/// (1 + scale) · layerNorm(x) + shift, for a matrix product. x is [batch, tokens, width] in float32; shift
/// and scale are [batch, 1, width], or like x (packed clips, and frames of their own noise).
at::Tensor normModulate(const at::Tensor& x, const at::Tensor& shift, const at::Tensor& scale);

/// x + gate · change.
at::Tensor gatedResidual(const at::Tensor& x, const at::Tensor& change, const at::Tensor& gate);

/// The sum x + gate · change, and the same modulated: where one sub-layer ends and the next begins.
std::pair<at::Tensor, at::Tensor> gatedResidualNormModulate(const at::Tensor& x, const at::Tensor& change,
                                                            const at::Tensor& gate, const at::Tensor& shift,
                                                            const at::Tensor& scale);

/// How the channels of queries, keys and values lie behind one another.
struct Heads {
    std::int64_t queryWidth = 0;
    std::int64_t kvWidth = 0;  ///< of keys, and of values
    std::int64_t headWidth = 0;
    bool normAcrossHeads = false;  ///< one RMS over all heads, else one a head
    double epsilon = layers::kNormEpsilon;
};

/// Queries, keys and values, [batch, tokens, heads, headWidth], of `joined` [batch, tokens, queryWidth +
/// 2 · kvWidth]: queries and keys RMS-normalised with their gains and turned by their place.
std::array<at::Tensor, 3> qkNormRope(const at::Tensor& joined, const Heads& heads,
                                     const at::Tensor& queryGain, const at::Tensor& keyGain,
                                     const layers::RopeTable& rope);

}  // namespace dailies::trainer::fused
