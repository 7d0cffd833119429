#pragma once

#include "trainer/pretrained/families/sd_vae.h"
#include "trainer/tensors/params.h"

namespace dailies::trainer::sd_vae {

/// The autoencoder of Stable Diffusion (Rombach et al. 2022; AutoencoderKL of diffusers) as a function of its
/// weights, by diffusers' names, and that of Stable Video Diffusion (AutoencoderKLTemporalDecoder), whose
/// decoder sees neighbouring frames, too. It encodes pictures. Its norms and its attention mix all places of
/// one, so it goes through whole.
class SdVae {
public:
    /// Throws `InputError` where the norm's groups do not divide the channels.
    explicit SdVae(const pretrained::SdVaeSizes& sizes);

    const pretrained::SdVaeSizes& sizes() const { return m_sizes; }

    /// [n, pixels, rows, columns] of -1 … 1 → means of the latents, [n, latents, rows / factor, columns /
    /// factor], not yet scaled.
    at::Tensor encodeMean(const Params& weights, const at::Tensor& pictures) const;
    /// And back; values may exceed -1 … 1. Where the decoder sees neighbouring frames, so many pictures that
    /// follow each other are a clip.
    at::Tensor decode(const Params& weights, const at::Tensor& latents, std::int64_t frames = 1) const;

private:
    pretrained::SdVaeSizes m_sizes;
};

/// Adds a published weight by its name in diffusers, in the shape that `SdVae` reads: matrices of attention
/// as [out, in].
void addPublished(Params& weights, const std::string& name, const at::Tensor& value);

}  // namespace dailies::trainer::sd_vae
