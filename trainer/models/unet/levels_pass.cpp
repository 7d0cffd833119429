#include "trainer/models/unet/levels_pass.h"

#include "trainer/models/layers/convolution.h"

#include <torch/types.h>

namespace dailies::trainer::unet {

at::Tensor LevelsPass::throughLevels(const at::Tensor& x) {
    return wayUp(middle(wayDown(x)));
}

at::Tensor LevelsPass::wayDown(at::Tensor x) {
    m_skipped = {x};
    for (std::size_t level = 0; level < m_levels.count(); ++level) {
        const auto name = "down_blocks." + std::to_string(level);
        for (std::int64_t i = 0; i < m_levels.blocks; ++i) {
            x = block({.level = name, .i = i, .attends = m_levels.attends(level)}, x, {});
            m_skipped.push_back(x);
        }
        if (level + 1 == m_levels.count()) break;
        x = layers::convolution(m_weights, named(name + ".downsamplers.0.conv"), x, {.places = 2});
        m_skipped.push_back(x);
    }
    return x;
}

at::Tensor LevelsPass::wayUp(at::Tensor x) {
    for (std::size_t up = 0; up < m_levels.count(); ++up) {
        const auto level = m_levels.count() - 1 - up;
        const auto name = "up_blocks." + std::to_string(up);
        for (std::int64_t i = 0; i < m_levels.blocks + 1; ++i) {
            x = block({.level = name, .i = i, .attends = m_levels.attends(level)}, x, m_skipped.back());
            m_skipped.pop_back();
        }
        if (level == 0) break;
        // to the sides of what comes next from the way down: twice these, or one less where they were odd
        const auto& next = m_skipped.back();
        x = layers::convolution(m_weights, named(name + ".upsamplers.0.conv"),
                                at::upsample_nearest2d(x, {next.size(2), next.size(3)}));
    }
    return x;
}

}  // namespace dailies::trainer::unet
