#pragma once

#include "core/config/train_config.h"
#include "trainer/data/data_source.h"
#include "trainer/models/model_family.h"

#include <array>
#include <string>
#include <vector>

namespace dailies::trainer {

/// One clip's, on the CPU and without the axis of clips: bytes, or the latents and the embedding that the
/// guide has of its picture. `dropped`: as `withoutReference`.
Character characterOf(const CharacterGuide& guide, bool dropped);

/// Those of several clips as a model reads them; undefined tensors for none.
Character stacked(const std::vector<Character>& characters, const ValueScale& scale, at::Device device);

/// The same characters without their reference pictures, or without poses where the model reads that of the
/// picture: what guidance compares with.
Character withoutReference(const Character& character);

/// The characters of both, one behind the other.
Character joined(const Character& first, const Character& second);

/// These frames of what `Model::prepared` made of their poses. `frames`: int64, [n].
Character ofFrames(const Character& character, const at::Tensor& frames);

/// What a clip is sampled from: a picture, and a video of drawn poses, or with `model.guidance_types` a
/// folder that holds one of each type.
struct GuideFiles {
    std::string reference, poses;    ///< empty: none
    std::string referencePose = {};  ///< a picture in which it is drawn, or key points
};

/// Reads the files that are named for a clip of `frames` frames, scaled and cropped like training clips;
/// with `sampling.align_poses` the poses get the build of the reference's. Throws `InputError` that names the
/// file when it cannot be read or has fewer frames.
void readGuide(const GuideFiles& files, const config::TrainConfig& config, std::int64_t frames,
               CharacterGuide& guide);

/// The tensors of a character, but for its `tokens`; some may be undefined.
inline constexpr std::array kCharacterTensors = {&Character::reference, &Character::poses,
                                                 &Character::embedding, &Character::guided,
                                                 &Character::lossMask,  &Character::referencePose};

/// Each tensor of a character, changed.
template <class Change>
Character eachTensor(const Character& character, Change change) {
    Character result;
    for (const auto part : kCharacterTensors)
        if ((character.*part).defined()) result.*part = change(character.*part);
    for (const auto& [name, tokens] : character.tokens) result.tokens.emplace(name, change(tokens));
    return result;
}

}  // namespace dailies::trainer
