#include "trainer/models/layers/rotary.h"

#include <torch/types.h>

#include <cmath>

namespace dailies::trainer::layers {

namespace {

constexpr double kBase = 10000;

/// Angles of one axis, [positions, width / 2].
at::Tensor axisAngles(const at::Tensor& positions, std::int64_t width, double scale) {
    // one pair of channels turns at frequency 1 whatever the base
    const double stretch =
        width > 2 ? std::pow(scale, static_cast<double>(width) / static_cast<double>(width - 2)) : 1;
    const auto exponents = at::arange(0, width, 2, at::kDouble) / static_cast<double>(width);
    return at::outer(positions, at::pow(kBase * stretch, -exponents));
}

at::Tensor anglesOf(const Rotary::Settings& settings, const TokenGrid& grid) {
    const double rate = settings.fps > 0 ? settings.fps / grid.fps : 1;
    const std::int64_t spatial = 2 * (settings.headWidth / 6), temporal = settings.headWidth - 2 * spatial;
    const auto spread = [&](const at::Tensor& angles, std::int64_t axis) {
        std::int64_t shape[] = {1, 1, 1, angles.size(1)};
        shape[axis] = angles.size(0);
        return angles.view(shape).expand({grid.frames, grid.rows, grid.columns, angles.size(1)});
    };
    const auto places = [](std::int64_t count) { return at::arange(count, at::kDouble); };
    return at::cat({spread(axisAngles(places(grid.frames) * rate, temporal, settings.timeScale), 0),
                    spread(axisAngles(places(grid.rows), spatial, settings.spaceScale), 1),
                    spread(axisAngles(places(grid.columns), spatial, settings.spaceScale), 2)},
                   -1)
        .reshape({grid.tokensPerClip(), 1, settings.headWidth / 2});
}

}  // namespace

RopeTable RopeTable::ofHeads(std::int64_t first, std::int64_t count) const {
    if (!differsByHead()) return *this;
    return {cos.narrow(-2, first, count), sin.narrow(-2, first, count), interleaved};
}

Rotary::Rotary(const Settings& settings, at::Device device)
    : m_angles([settings](const TokenGrid& grid) { return anglesOf(settings, grid); }),
      m_interleaved(settings.interleaved),
      m_device(device) {}

const RopeTable& Rotary::clipRope(const TokenGrid& grid) const {
    const Key key{grid.frames, grid.rows, grid.columns, grid.fps};
    if (const auto known = m_ropes.find(key); known != m_ropes.end()) return known->second;
    auto angles = m_angles(grid);
    if (!m_interleaved) angles = at::cat({angles, angles}, -1);
    const auto kept = [&](const at::Tensor& x) { return x.to(at::kFloat).to(m_device); };
    return m_ropes.emplace(key, RopeTable{kept(at::cos(angles)), kept(at::sin(angles)), m_interleaved})
        .first->second;
}

RopeTable Rotary::rope(const SequenceLayout& layout, Span span) const {
    const std::lock_guard lock(m_mutex);
    if (!layout.packed()) {
        const auto& rope = clipRope(layout.groups().front());
        return {layout.attending(rope.cos, span), layout.attending(rope.sin, span), rope.interleaved};
    }
    std::vector<at::Tensor> cosines, sines;
    for (const auto& group : layout.groups()) {
        const auto& rope = clipRope(group);
        cosines.push_back(rope.cos.repeat({group.clips, 1, 1}));
        sines.push_back(rope.sin.repeat({group.clips, 1, 1}));
    }
    return {at::cat(cosines), at::cat(sines), m_interleaved};
}

at::Tensor rotated(const at::Tensor& x, const RopeTable& rope) {
    if (rope.interleaved) {
        const auto pairs = x.unflatten(-1, {x.size(-1) / 2, 2}).unbind(-1);
        return at::stack(
                   {pairs[0] * rope.cos - pairs[1] * rope.sin, pairs[0] * rope.sin + pairs[1] * rope.cos}, -1)
            .flatten(-2);
    }
    const auto halves = x.chunk(2, -1);
    return x * rope.cos + at::cat({-halves[1], halves[0]}, -1) * rope.sin;
}

}  // namespace dailies::trainer::layers
