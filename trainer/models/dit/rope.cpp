#include "trainer/models/dit/rope.h"

#include <torch/types.h>

namespace dailies::trainer {

namespace {

constexpr double kBase = 10000;

/// Angles of one axis, [positions, width / 2].
at::Tensor axisAngles(std::int64_t positions, std::int64_t width) {
    const auto exponents = at::arange(0, width, 2, at::kDouble) / static_cast<double>(width);
    return at::outer(at::arange(positions, at::kDouble), at::pow(kBase, -exponents));
}

}  // namespace

Rope3d::Rope3d(std::int64_t frames, std::int64_t rows, std::int64_t columns, std::int64_t headWidth,
               at::Device device) {
    const std::int64_t spatial = 2 * (headWidth / 6), temporal = headWidth - 2 * spatial;
    const auto grid = [&](const at::Tensor& angles, std::int64_t axis) {
        std::int64_t shape[] = {1, 1, 1, angles.size(1)};
        shape[axis] = angles.size(0);
        return angles.view(shape).expand({frames, rows, columns, angles.size(1)});
    };
    const auto half = at::cat({grid(axisAngles(frames, temporal), 0), grid(axisAngles(rows, spatial), 1),
                               grid(axisAngles(columns, spatial), 2)},
                              -1)
                          .reshape({frames * rows * columns, headWidth / 2});
    const auto angles = at::cat({half, half}, -1);
    m_cos = at::cos(angles).to(at::kFloat).to(device);
    m_sin = at::sin(angles).to(at::kFloat).to(device);
}

at::Tensor Rope3d::rotate(const at::Tensor& x) const {
    const auto halves = x.chunk(2, -1);
    const auto turned = at::cat({-halves[1], halves[0]}, -1);
    return x * m_cos + turned * m_sin;
}

}  // namespace dailies::trainer
