#pragma once

#include "core/config/train_config.h"
#include "trainer/data/value_scale.h"
#include "trainer/models/model_input.h"

#include <ATen/core/Tensor.h>

#include <map>
#include <memory>
#include <optional>
#include <string>

namespace dailies::trainer {

/// Turns clips into the latents that a model learns, and back. Its weights are frozen. Frames are encoded
/// causally: a latent frame knows nothing of the frames behind it, so 1 + n·frames_factor frames become 1 + n
/// and a picture is a clip of one frame. `encode` and `decode` may be called by several threads at once.
class Tokenizer {
public:
    explicit Tokenizer(const config::TrainConfig::Tokenizer& config) : m_config(config) {}
    virtual ~Tokenizer() = default;

    /// [n, frames, height, width, 3] of -1 … 1 → [n, frames, height, width, channels], float32. Throws
    /// `InputError` with the nearest sizes for clips that it does not take.
    at::Tensor encode(const at::Tensor& clips) const;
    at::Tensor decode(const at::Tensor& latents) const;

    /// What a decoder remembers of the latents of a clip that went before. A fresh one begins a clip.
    using StreamState = std::map<std::string, at::Tensor>;

    /// `decode` of a clip whose latents come in pieces, in order: the frames that are complete with this one,
    /// undefined when there are none. `last`: no more come.
    at::Tensor decodePiece(const at::Tensor& latents, StreamState& memory, bool last) const;

    std::int64_t channels() const { return m_config.channels; }
    ClipSize latentSize(const ClipSize& clip) const;

    /// Of its weights: latents of one tokenizer mean nothing to another.
    virtual std::string identity() const = 0;

    /// Mean and deviation of its latents that models of it learn by, where its publisher names them; nothing
    /// where they are measured on the data. `encode` and `decode` do without.
    virtual std::optional<ValueScale> latentScale() const { return std::nullopt; }

protected:
    /// Throws `InputError` unless the config tells what the tokenizer of the file or folder `of` has.
    void requireFactors(std::int64_t frames, std::int64_t space, std::int64_t channels,
                        const std::string& of) const;

    /// [n, 3, frames, height, width] → [n, channels, frames, height, width], and back.
    virtual at::Tensor encodePlanes(const at::Tensor& clips) const = 0;
    virtual at::Tensor decodePlanes(const at::Tensor& latents) const = 0;
    /// Unless a tokenizer can go on where it stopped, the latents wait for the last ones.
    virtual at::Tensor decodePlanesPiece(const at::Tensor& latents, StreamState& memory, bool last) const;

private:
    config::TrainConfig::Tokenizer m_config;
};

/// The tokenizer of `config.kind`; null for "none". Throws `InputError` when its files are missing or
/// contradict the configuration.
std::unique_ptr<Tokenizer> makeTokenizer(const config::TrainConfig::Tokenizer& config, at::Device device);

}  // namespace dailies::trainer
