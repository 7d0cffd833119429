#pragma once

#include "trainer/models/layers/sequence_layout.h"
#include "trainer/models/model_input.h"
#include "trainer/models/model_shape.h"

namespace dailies::trainer::layers {

/// Cuts clips into patches, one a token, and puts clips together again. A patch's channels run over frame,
/// row, column and colour.
class Patches {
public:
    explicit Patches(const ModelShape& shape);

    std::int64_t inputChannels() const;   ///< of a patch; what is given and its mask included
    std::int64_t outputChannels() const;  ///< of a patch

    TokenGrid grid(const ClipSize& size) const;
    SequenceLayout layout(const ModelInput& input) const;

    /// [clips, tokens, inputChannels()] of a group, all tokens: its clips and, where the model is
    /// conditioned, what is given with its mask beside them (zeros where nothing is) or in their place.
    at::Tensor patchify(const ClipGroup& group) const;
    /// The patches of all groups as tokens of the layout: its own, through the layer `patch`.
    at::Tensor embedded(const Params& weights, const std::vector<ClipGroup>& groups,
                        const SequenceLayout& layout) const;
    /// Where frames are given in place: which tokens of the layout are of such frames, [batch, tokens, 1],
    /// bool; undefined where none is given. A patch is of its first frame.
    at::Tensor givenTokens(const std::vector<ClipGroup>& groups, const SequenceLayout& layout) const;
    /// Tokens of outputChannels() in the layout's form → each group's [clips, frames, height, width,
    /// channels].
    std::vector<at::Tensor> unpatchify(const at::Tensor& tokens, const SequenceLayout& layout) const;

private:
    at::Tensor givenTokens(const ClipGroup& group) const;

    std::int64_t m_frames, m_size, m_channels;
    std::int64_t m_given;  ///< channels of ClipGroup::conditioning beside the clip's own
    bool m_inPlace;        ///< ClipGroup::conditioning stands in the clip itself
};

}  // namespace dailies::trainer::layers
