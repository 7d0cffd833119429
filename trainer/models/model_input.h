#pragma once

#include "trainer/models/layers/sequence_parallel.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace dailies::trainer {

/// The size of a clip as the model sees it: in pixels or latents.
struct ClipSize {
    std::int64_t frames = 0;
    std::int64_t height = 0;
    std::int64_t width = 0;
};

/// What the clips of a group show and how it moves, where the model animates a character.
struct Character {
    /// [n, height, width, 1 + channels]: 1 and the values of the reference picture, on the model's scale; all
    /// 0 for clips without one. Undefined where it is `ClipGroup::conditioning`.
    at::Tensor reference = {};
    /// [n, frames, pixels high, pixels wide, 3 · kinds], 0 … 1: drawn, as config::drawingsOf orders them
    at::Tensor poses = {};
    /// [n, 1, width]: what an encoder of pictures sees in the reference picture, 0 for clips without one;
    /// undefined where the model does not read it.
    at::Tensor embedding = {};
    /// What the model makes of the references once and for all levels of noise (`Model::prepared`).
    std::map<std::string, at::Tensor> tokens = {};
    at::Tensor guided = {};  ///< and of the poses: [n, frames, channels, rows, columns]
    /// [n, frames, pixels high, pixels wide, 1], 0 … 1: where errors count more; undefined: nowhere. Models
    /// do not read it.
    at::Tensor lossMask = {};
    /// [n, pixels high, pixels wide, 1 + 3]: 1 and the drawn pose of the reference picture, 0 … 1; all 0 for
    /// clips without poses. Undefined where the model does not read it.
    at::Tensor referencePose = {};

    bool defined() const { return poses.defined(); }
};

/// Clips of one size in a batch.
struct ClipGroup {
    at::Tensor clips;  ///< [n, frames, height, width, channels], pixels or latents
    /// [n, frames, height, width, config::conditioningChannels]: what is given of the clip, behind its mask.
    /// With conditioning frames 1 and the clean values where a frame is given, elsewhere 0; with image four
    /// times 1 in the first frame, elsewhere 0, and the latents of the image that grey frames follow; with
    /// first_last 1 in the last channel of the last frame's mask, too, and the latents end with that image;
    /// for svd [n, 1, …, channels]: of the image alone, 0 for clips without it. In place:
    /// [..., 1 + channels] as with frames, which then stand in the clip. Undefined where nothing is given.
    at::Tensor conditioning = {};
    double fps = 24;
    Character character = {};
    /// [n, tokens, imageWidth]: what an encoder of pictures sees in the image that the clip begins with, and
    /// behind it in the one that it ends with; undefined where the model does not read it.
    at::Tensor imageTokens = {};
};

/// The captions of a batch, as the run's text encoder leaves them: `words`, or `embeddings` or `bytes` with
/// `mask`.
struct TextInput {
    at::Tensor words = {};       ///< [clips, vocabulary]: how often each word stands in the caption
    at::Tensor embeddings = {};  ///< [clips, tokens, width]
    at::Tensor mask = {};        ///< [clips, tokens], bool: true where the caption has a token
    at::Tensor bytes = {};       ///< [clips, tokens], int64: what an encoder that is trained along reads
};

/// What a model sees of a batch: one group of clips, or several that are packed into one sequence, in which
/// each clip attends to itself only. Clips are counted through the groups, in order.
struct ModelInput {
    std::vector<ClipGroup> groups;  ///< clips mixed with noise, scaled as the objective's network input
    at::Tensor times;  ///< [clips]: the noise level as the objective tells it; times model.time_scale inside
    TextInput text;
    /// Ranks that compute this batch together; null: alone.
    const layers::SequenceParallel* sequenceParallel = nullptr;
    /// Of each clip: the key of what adapters drop of it (`lora.dropout`); empty: nothing.
    std::vector<std::uint64_t> dropoutKeys = {};
};

}  // namespace dailies::trainer
