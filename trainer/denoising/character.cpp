#include "trainer/denoising/character.h"

#include "core/base/counts.h"
#include "core/base/error.h"
#include "trainer/data/clip_cutter.h"
#include "trainer/data/drawn_poses.h"
#include "trainer/data/video_list.h"
#include "trainer/denoising/collate.h"
#include "trainer/runtime/device.h"

#include <torch/types.h>

#include <algorithm>
#include <numeric>

namespace dailies::trainer {

namespace {

RgbClip referenceOf(const std::filesystem::path& file, const config::TrainConfig& config) {
    try {
        video::ClipReader reader(file);
        return cutClip(reader, {0}, static_cast<int>(config.data.height),
                       static_cast<int>(config.data.width));
    } catch (const Error& error) {
        throw InputError("sampling.reference_files: " + std::string(error.what()), error.remedy());
    }
}

RgbClip posesOf(const std::filesystem::path& file, const config::TrainConfig& config, std::int64_t frames) {
    try {
        DrawnPoses poses(file, poseStyleOf(config.model));
        if (poses.frames() < frames)
            throw InputError(file.string() + " has " + pluralize(poses.frames(), "frame", "frames") +
                                 ", and the clip " + std::to_string(frames) + ".",
                             "Name a longer video, or ask for a shorter clip.");
        std::vector<int> numbers(static_cast<std::size_t>(frames));
        std::iota(numbers.begin(), numbers.end(), 0);
        return poses.clip(numbers, static_cast<int>(config.data.height), static_cast<int>(config.data.width));
    } catch (const Error& error) {
        throw InputError("sampling.pose_files: " + std::string(error.what()), error.remedy());
    }
}

}  // namespace

Character characterOf(const CharacterGuide& guide, bool dropped) {
    const auto picture = valuesOf({.clip = guide.reference, .latents = guide.latents}).squeeze(0);
    const auto isGiven = at::full({picture.size(0), picture.size(1), 1}, dropped ? 0 : 1, picture.options());
    std::vector<at::Tensor> drawings;
    for (const auto& poses : guide.poses) drawings.push_back(valuesOf({.clip = poses}));
    Character character{at::cat({isGiven, picture}, -1), at::cat(drawings, -1)};
    if (guide.embedding) {
        character.embedding = valuesOf({.latents = guide.embedding});
        if (dropped) character.embedding.zero_();
    }
    if (guide.lossMask.frames > 0) character.lossMask = valuesOf({.clip = guide.lossMask}).narrow(-1, 0, 1);
    return character;
}

Character stacked(const std::vector<Character>& characters, const ValueScale& scale, at::Device device) {
    if (characters.empty()) return {};
    std::vector<at::Tensor> references, poses, embeddings, masks;
    for (const auto& character : characters) {
        references.push_back(character.reference);
        poses.push_back(character.poses);
        if (character.embedding.defined()) embeddings.push_back(character.embedding);
        // of videos of which some have a mask
        masks.push_back(character.lossMask.defined() ? character.lossMask
                                                     : at::zeros_like(character.poses.narrow(-1, 0, 1)));
    }
    const bool anyMask = std::ranges::any_of(
        characters, [](const Character& character) { return character.lossMask.defined(); });
    const auto all = copyToDevice(at::stack(references), device);
    const auto isGiven = all.narrow(-1, 0, 1).to(at::kFloat);
    const auto values = scaledValues(all.narrow(-1, 1, all.size(-1) - 1), scale);
    Character stacked{at::cat({isGiven, values * isGiven}, -1),
                      copyToDevice(at::stack(poses), device).to(at::kFloat) / 255,
                      embeddings.empty() ? at::Tensor() : copyToDevice(at::stack(embeddings), device)};
    if (anyMask) stacked.lossMask = copyToDevice(at::stack(masks), device).to(at::kFloat) / 255;
    return stacked;
}

Character withoutReference(const Character& character) {
    auto without = character;
    without.reference = at::zeros_like(character.reference);
    if (character.embedding.defined()) without.embedding = at::zeros_like(character.embedding);
    return without;
}

Character joined(const Character& first, const Character& second) {
    Character both{at::cat({first.reference, second.reference}), at::cat({first.poses, second.poses})};
    if (first.embedding.defined()) both.embedding = at::cat({first.embedding, second.embedding});
    for (const auto& [name, tokens] : first.tokens)
        both.tokens.emplace(name, at::cat({tokens, second.tokens.at(name)}));
    if (first.guided.defined()) both.guided = at::cat({first.guided, second.guided});
    if (first.lossMask.defined()) both.lossMask = at::cat({first.lossMask, second.lossMask});
    return both;
}

Character ofFrames(const Character& character, std::int64_t first, std::int64_t count) {
    auto part = character;
    for (auto* drawn : {&part.poses, &part.guided, &part.lossMask})
        if (drawn->defined()) *drawn = drawn->narrow(1, first, count);
    return part;
}

void readGuide(const GuideFiles& files, const config::TrainConfig& config, std::int64_t frames,
               CharacterGuide& guide) {
    if (!files.reference.empty()) guide.reference = referenceOf(files.reference, config);
    if (files.poses.empty()) return;
    guide.poses.clear();
    for (const auto& drawing : drawingsIn(files.poses, config.model.guidance_types))
        guide.poses.push_back(posesOf(drawing, config, frames));
}

}  // namespace dailies::trainer
