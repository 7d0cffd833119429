#include "trainer/denoising/character.h"

#include "core/base/counts.h"
#include "core/base/error.h"
#include "trainer/data/clip_cutter.h"
#include "trainer/data/drawn_poses.h"
#include "trainer/data/pose_alignment.h"
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

Keypoints keypointsOf(const std::filesystem::path& file) {
    if (!isKeypoints(file))
        throw InputError(file.string() + " holds no key points (json), and drawn poses cannot be aligned.",
                         "Name the key points that the poses were drawn from, or leave them as they are "
                         "(align_poses false).");
    return readKeypoints(file);
}

/// `alignedTo`: key points of whoever has the build that the poses get; empty: they keep theirs.
RgbClip posesOf(const std::filesystem::path& file, const config::TrainConfig& config, std::int64_t frames,
                const std::string& key, const std::filesystem::path& alignedTo = {}) {
    try {
        const auto style = poseStyleOf(config.model);
        const double aspect = double(config.data.width) / double(config.data.height);
        auto poses = alignedTo.empty() ? DrawnPoses(file, style)
                                       : DrawnPoses(file,
                                                    aligned(keypointsOf(file), keypointsOf(alignedTo), aspect,
                                                            poseFitOf(config.model)),
                                                    style);
        if (poses.frames() < frames)
            throw InputError(file.string() + " has " + pluralize(poses.frames(), "frame", "frames") +
                                 ", and the clip " + std::to_string(frames) + ".",
                             "Name a longer video, or ask for a shorter clip.");
        std::vector<int> numbers(static_cast<std::size_t>(frames));
        std::iota(numbers.begin(), numbers.end(), 0);
        return poses.clip(numbers, static_cast<int>(config.data.height), static_cast<int>(config.data.width));
    } catch (const Error& error) {
        throw InputError(key + ": " + error.what(), error.remedy());
    }
}

}  // namespace

Character characterOf(const CharacterGuide& guide, bool dropped) {
    const auto masked = [&](const at::Tensor& picture) {
        const auto isGiven =
            at::full({picture.size(0), picture.size(1), 1}, dropped ? 0 : 1, picture.options());
        return at::cat({isGiven, picture}, -1);
    };
    std::vector<at::Tensor> drawings;
    for (const auto& poses : guide.poses) drawings.push_back(valuesOf({.clip = poses}));
    Character character{.poses = at::cat(drawings, -1)};
    if (guide.referencePose.frames > 0)
        character.referencePose = masked(valuesOf({.clip = guide.referencePose}).squeeze(0));
    else
        character.reference =
            masked(valuesOf({.clip = guide.reference, .latents = guide.latents}).squeeze(0));
    if (guide.embedding) {
        character.embedding = valuesOf({.latents = guide.embedding});
        if (dropped) character.embedding.zero_();
    }
    if (guide.lossMask.frames > 0) character.lossMask = valuesOf({.clip = guide.lossMask}).narrow(-1, 0, 1);
    return character;
}

Character stacked(const std::vector<Character>& characters, const ValueScale& scale, at::Device device) {
    if (characters.empty()) return {};
    std::vector<at::Tensor> references, poses, embeddings, masks, referencePoses;
    for (const auto& character : characters) {
        if (character.reference.defined()) references.push_back(character.reference);
        if (character.referencePose.defined()) referencePoses.push_back(character.referencePose);
        poses.push_back(character.poses);
        if (character.embedding.defined()) embeddings.push_back(character.embedding);
        // of videos of which some have a mask
        masks.push_back(character.lossMask.defined() ? character.lossMask
                                                     : at::zeros_like(character.poses.narrow(-1, 0, 1)));
    }
    const bool anyMask = std::ranges::any_of(
        characters, [](const Character& character) { return character.lossMask.defined(); });
    const auto given = [&](const std::vector<at::Tensor>& masked, auto scaled) {
        if (masked.empty()) return at::Tensor();
        const auto all = copyToDevice(at::stack(masked), device);
        const auto isGiven = all.narrow(-1, 0, 1).to(at::kFloat);
        return at::cat({isGiven, scaled(all.narrow(-1, 1, all.size(-1) - 1)) * isGiven}, -1);
    };
    const auto ofDrawing = [](const at::Tensor& bytes) { return bytes.to(at::kFloat) / 255; };
    Character stacked{given(references, [&](const at::Tensor& x) { return scaledValues(x, scale); }),
                      ofDrawing(copyToDevice(at::stack(poses), device)),
                      embeddings.empty() ? at::Tensor() : copyToDevice(at::stack(embeddings), device)};
    stacked.referencePose = given(referencePoses, ofDrawing);
    if (anyMask) stacked.lossMask = ofDrawing(copyToDevice(at::stack(masks), device));
    return stacked;
}

Character withoutReference(const Character& character) {
    auto without = character;
    for (auto* told : {&without.reference, &without.embedding, &without.referencePose})
        if (told->defined()) *told = at::zeros_like(*told);
    return without;
}

Character joined(const Character& first, const Character& second) {
    Character both;
    for (const auto part : kCharacterTensors)
        if ((first.*part).defined()) both.*part = at::cat({first.*part, second.*part});
    for (const auto& [name, tokens] : first.tokens)
        both.tokens.emplace(name, at::cat({tokens, second.tokens.at(name)}));
    return both;
}

Character ofFrames(const Character& character, const at::Tensor& frames) {
    if (!character.guided.defined()) return character;
    auto part = character;
    part.guided = character.guided.index_select(1, frames);
    return part;
}

void readGuide(const GuideFiles& files, const config::TrainConfig& config, std::int64_t frames,
               CharacterGuide& guide) {
    if (!files.reference.empty()) {
        guide.reference = referenceOf(files.reference, config);
        guide.referencePose = {};  // that of another picture
    }
    const auto& alignedTo = config.sampling.align_poses ? files.referencePose : std::string();
    if (config.sampling.align_poses && alignedTo.empty() && !files.poses.empty())
        throw InputError(
            "sampling.align_poses: found true without sampling.reference_pose_files, expected "
            "the key points (json) of the reference.");
    if (!files.referencePose.empty() && config::readsReferencePose(config.model.family))
        guide.referencePose = posesOf(files.referencePose, config, 1, "sampling.reference_pose_files");
    if (files.poses.empty()) return;
    guide.poses.clear();
    for (const auto& drawing : drawingsIn(files.poses, config.model.guidance_types))
        guide.poses.push_back(posesOf(drawing, config, frames, "sampling.pose_files", alignedTo));
}

}  // namespace dailies::trainer
