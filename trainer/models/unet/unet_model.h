#pragma once

#include "trainer/models/model_family.h"
#include "trainer/models/unet/unet_levels.h"

namespace dailies::trainer::unet {

/// Groups of the norms of a U-Net whose first level is so wide: 32, as published, but none of fewer than 4
/// channels in those narrower than 128.
std::int64_t normGroups(std::int64_t width);

/// Channels of its levels: 1, 2, 4 and 4 times those of the first.
Levels publishedLevels(const config::TrainConfig::Model& model);

/// [n, frames, height, width, channels] → [n, channels · size², frames, height / size, width / size].
at::Tensor toPlaces(const at::Tensor& clips, std::int64_t size);
/// Back again.
at::Tensor toClips(const at::Tensor& places, std::int64_t size);

/// [n], bool: which of the characters have a reference picture.
at::Tensor haveReference(const Character& characters);
/// Their pictures as clips of one frame, [n, 1, height, width, channels]; 0 for those without one.
at::Tensor referencePictures(const Character& characters);

/// Base of models that are U-Nets: their levels differ in size, so that `ModelPass::output` computes all of
/// them.
class UnetModel : public Model {
public:
    using Model::Model;

    std::int64_t blocks() const final { return 0; }
    std::int64_t tokensPerClip(const ClipSize& size) const final;
    Flops flops(const ClipSize& size, std::int64_t textTokens) const final;

protected:
    /// The characters of a batch, of clips of one size. Throws `Error` where it has none, or their pictures
    /// were not seen by the encoder that the model reads, or the other way round.
    const ClipGroup& requireCharacters(const ModelInput& input) const;
};

/// One pass of such a model: all of it is the output.
class UnetModelPass : public ModelPass {
public:
    UnetModelPass(const UnetModel& model, ClipGroup group) : m_model(model), m_group(std::move(group)) {}

    at::Tensor embedded() const final;
    std::vector<std::int64_t> tokenSizes() const final { return embedded().sizes().vec(); }
    at::Tensor block(std::int64_t, const at::Tensor& places) const final { return places; }
    std::vector<at::Tensor> output(const at::Tensor& places) const final;

protected:
    /// What the net makes of `places` [n, channels, frames, rows, columns], as large.
    virtual at::Tensor denoised(const at::Tensor& places) const = 0;
    const ClipGroup& group() const { return m_group; }

private:
    const UnetModel& m_model;
    ClipGroup m_group;
};

}  // namespace dailies::trainer::unet
