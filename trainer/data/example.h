#pragma once

#include "trainer/data/array.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dailies::trainer {

/// A clip as people see it: frames × height × width × RGB, 8 bits each.
struct RgbClip {
    int frames = 0;
    int height = 0;
    int width = 0;
    std::vector<std::uint8_t> rgb;

    std::size_t frameBytes() const {
        return static_cast<std::size_t>(height) * static_cast<std::size_t>(width) * 3;
    }
    const std::uint8_t* frame(int n) const { return rgb.data() + frameBytes() * static_cast<std::size_t>(n); }
    std::uint8_t* frame(int n) { return rgb.data() + frameBytes() * static_cast<std::size_t>(n); }
};

/// What tells a model of characters whom to animate and how.
struct CharacterGuide {
    RgbClip reference;  ///< one picture of the character
    /// As many frames as the clip each: its poses as config::drawingsOf names drawings of them.
    std::vector<RgbClip> poses;
    /// What the model reads of the picture where it learns latents (ConditionEncoder): its latents, [1,
    /// height, width, channels], and what an encoder of pictures sees in it, [1, width]; F32.
    std::optional<Array> latents = {}, embedding = {};
    RgbClip lossMask = {};  ///< of the clip: white where its errors count more; without frames: nowhere
    /// The pose of the reference picture, drawn; without frames where the model does not read it. Such a
    /// model's clips begin with the picture (`Example::image`).
    RgbClip referencePose = {};
};

/// What a model that makes clips out of images is told of a clip's first, or of its first and last
/// (ConditionEncoder).
struct ImageCondition {
    /// [frames, height, width, channels], F32: of the image and grey frames behind it up to the last image,
    /// or of the image alone.
    Array latents;
    /// [tokens, width], F32: what an encoder of pictures sees in the images, one behind the other; none where
    /// the model reads none.
    std::optional<Array> tokens = {};
    bool endsWithImage = false;
};

/// What training takes from the data for one clip: pixels, or latents that stood in the data or in the cache.
struct Example {
    RgbClip clip = {};
    std::string caption = {};
    std::optional<Array> latents = {};  ///< [frames, height, width, channels], F32; `clip` is empty then
    std::optional<Array> textEmbeddings = {};  ///< [tokens, width], F32
    double fps = 0;  ///< frames a second of its bucket; 0 where those differ from clip to clip
    std::optional<CharacterGuide> guide = {};
    /// Of its first frame, of its first and last, or of the guide's reference picture, where the model begins
    /// with images.
    std::optional<ImageCondition> image = {};
};

}  // namespace dailies::trainer
