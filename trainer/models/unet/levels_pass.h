#pragma once

#include "trainer/models/unet/unet_levels.h"
#include "trainer/tensors/params.h"

#include <string>
#include <vector>

namespace dailies::trainer::unet {

/// One pass through the levels, over pictures [n, channels, rows, columns].
class LevelsPass {
public:
    virtual ~LevelsPass() = default;
    LevelsPass(const LevelsPass&) = delete;
    LevelsPass& operator=(const LevelsPass&) = delete;

protected:
    /// `prefix`: before the names of its weights, which live as long as this.
    LevelsPass(Levels levels, const Params& weights, std::string prefix)
        : m_levels(std::move(levels)), m_weights(weights), m_prefix(std::move(prefix)) {}

    /// `skipped`: of the way down, beside `x`; undefined on that way.
    virtual at::Tensor block(const LevelBlock& at, const at::Tensor& x, const at::Tensor& skipped) = 0;
    virtual at::Tensor middle(const at::Tensor& x) = 0;

    /// Of what the first convolution made what the last norm reads.
    at::Tensor throughLevels(const at::Tensor& x);

    const Params& weights() const { return m_weights; }
    std::string named(const std::string& own) const { return m_prefix + own; }

private:
    at::Tensor wayDown(at::Tensor x);
    at::Tensor wayUp(at::Tensor x);

    Levels m_levels;
    const Params& m_weights;
    std::string m_prefix;
    std::vector<at::Tensor> m_skipped;  ///< of the way down, for the way up
};

}  // namespace dailies::trainer::unet
