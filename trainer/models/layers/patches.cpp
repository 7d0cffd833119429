#include "trainer/models/layers/patches.h"

#include "core/base/error.h"
#include "core/config/conditioning.h"
#include "trainer/models/layers/linear.h"

#include <torch/types.h>

namespace dailies::trainer::layers {

Patches::Patches(const ModelShape& shape)
    : m_frames(shape.model.patch_frames),
      m_size(shape.model.patch_size),
      m_channels(shape.channels),
      m_given(config::conditioningChannels(shape.model, shape.channels)),
      m_inPlace(shape.model.conditioning == "in_place") {}

std::int64_t Patches::inputChannels() const {
    return m_frames * m_size * m_size * (m_channels + m_given);
}

std::int64_t Patches::outputChannels() const {
    return m_frames * m_size * m_size * m_channels;
}

TokenGrid Patches::grid(const ClipSize& size) const {
    if (size.frames % m_frames != 0 || size.height % m_size != 0 || size.width % m_size != 0)
        throw Error("A clip of " + std::to_string(size.frames) + " × " + std::to_string(size.height) + " × " +
                    std::to_string(size.width) + " does not divide into patches of " +
                    std::to_string(m_frames) + " × " + std::to_string(m_size) + " × " +
                    std::to_string(m_size) + ".");
    return {.clips = 1,
            .frames = size.frames / m_frames,
            .rows = size.height / m_size,
            .columns = size.width / m_size};
}

SequenceLayout Patches::layout(const ModelInput& input) const {
    std::vector<TokenGrid> groups;
    for (const auto& group : input.groups) {
        auto tokens = grid({group.clips.size(1), group.clips.size(2), group.clips.size(3)});
        tokens.clips = group.clips.size(0);
        tokens.fps = group.fps;
        groups.push_back(tokens);
    }
    return SequenceLayout(std::move(groups), input.sequenceParallel);
}

at::Tensor Patches::patchify(const ClipGroup& group) const {
    auto clips = group.clips;
    if (m_given > 0) {
        auto sizes = clips.sizes().vec();
        sizes.back() = m_given;
        clips = at::cat({clips, group.conditioning.defined() ? group.conditioning.to(clips.scalar_type())
                                                             : at::zeros(sizes, clips.options())},
                        -1);
    }
    if (m_inPlace && group.conditioning.defined()) {
        const auto values = group.conditioning.narrow(-1, 1, m_channels).to(clips.scalar_type());
        clips = at::where(group.conditioning.narrow(-1, 0, 1) > 0, values, clips);
    }
    return clips.unflatten(3, {-1, m_size})
        .unflatten(2, {-1, m_size})
        .unflatten(1, {-1, m_frames})
        .permute({0, 1, 3, 5, 2, 4, 6, 7})
        .flatten(4)
        .flatten(1, 3);
}

at::Tensor Patches::embedded(const Params& weights, const std::vector<ClipGroup>& groups,
                             const SequenceLayout& layout) const {
    std::vector<at::Tensor> tokens;
    for (const auto& group : groups)
        tokens.push_back(fp32Linear(weights, "patch", layout.own(patchify(group), 1)));
    return layout.join(tokens);
}

at::Tensor Patches::givenTokens(const std::vector<ClipGroup>& groups, const SequenceLayout& layout) const {
    std::vector<at::Tensor> tokens;
    for (const auto& group : groups) {
        const auto given = givenTokens(group);
        if (!given.defined()) return {};
        tokens.push_back(layout.own(given, 1));
    }
    return layout.join(tokens);
}

at::Tensor Patches::givenTokens(const ClipGroup& group) const {
    if (!m_inPlace || !group.conditioning.defined()) return {};
    const auto isGiven = group.conditioning.select(-1, 0) > 0;
    return isGiven.slice(1, 0, {}, m_frames)
        .slice(2, 0, {}, m_size)
        .slice(3, 0, {}, m_size)
        .flatten(1)
        .unsqueeze(-1);
}

std::vector<at::Tensor> Patches::unpatchify(const at::Tensor& tokens, const SequenceLayout& layout) const {
    auto groups = layout.split(tokens);
    for (std::size_t i = 0; i < groups.size(); ++i) {
        const auto& grid = layout.groups()[i];
        groups[i] =
            groups[i]
                .view({-1, grid.frames, grid.rows, grid.columns, m_frames, m_size, m_size, m_channels})
                .permute({0, 1, 4, 2, 5, 3, 6, 7})
                .reshape({-1, grid.frames * m_frames, grid.rows * m_size, grid.columns * m_size, m_channels});
    }
    return groups;
}

}  // namespace dailies::trainer::layers
