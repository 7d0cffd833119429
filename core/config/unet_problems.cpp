#include "core/config/unet_problems.h"

#include "core/base/text.h"
#include "core/config/family_traits.h"
#include "core/config/guidance_types.h"
#include "core/config/latent_size.h"

#include <algorithm>
#include <bit>
#include <set>

namespace dailies::config {

namespace {

using Texts = std::vector<std::string>;

/// Adds what a family cannot train with.
struct FamilyRefusal {
    const std::string& family;
    Texts& problems;

    void operator()(const std::string& key, const std::string& found, const std::string& expected) const {
        problems.push_back(key + ": found " + found + " with model.family " + family + ", expected " +
                           expected + ".");
    }
};

void refuseCharacterFiles(const TrainConfig& c, Texts& problems) {
    for (const auto& [key, list] :
         {std::pair{"sampling.reference_files", &c.sampling.reference_files},
          std::pair{"sampling.pose_files", &c.sampling.pose_files},
          std::pair{"sampling.reference_pose_files", &c.sampling.reference_pose_files}}) {
        const bool ofReference = list == &c.sampling.reference_pose_files;
        const bool reads =
            ofReference ? readsReferencePose(c.model.family) || c.sampling.align_poses : animates(c.model);
        if (list->empty() || reads) continue;
        problems.push_back(std::string(key) + ": found " + std::to_string(list->size()) +
                           " with model.family " + c.model.family + ", expected none: only " +
                           (ofReference ? "unianimate, or another model of characters with "
                                          "sampling.align_poses, reads"
                                        : "animate, mimic-motion and unianimate read") +
                           " them.");
    }
    if (!c.sampling.align_poses) return;
    const auto found = std::string("sampling.align_poses: found true with ");
    if (!animates(c.model))
        problems.push_back(found + "model.family " + c.model.family + ", expected false: it reads no poses.");
    else if (!c.model.guidance_types.empty())
        problems.push_back(found + "model.guidance_types " + join(c.model.guidance_types, ", ") +
                           ", expected false: only key points can be aligned.");
    else if (c.sampling.pose_files.empty() || c.sampling.reference_pose_files.empty())
        problems.push_back(
            found +
            (c.sampling.pose_files.empty() ? "no sampling.pose_files" : "no sampling.reference_pose_files") +
            ", expected key points (json) in both.");
}

void refuseUnet(const TrainConfig& c, Texts& problems) {
    if (!isUnet(c.model)) return;
    const FamilyRefusal refuse{c.model.family, problems};
    if (c.model.width % 8 != 0) refuse("model.width", std::to_string(c.model.width), "a multiple of 8");
    if (c.model.patch_frames != 1)
        refuse("model.patch_frames", std::to_string(c.model.patch_frames), "1: frames are not folded");
    if (c.model.recompute == "selective" || c.model.recompute == "offload")
        refuse("model.recompute", c.model.recompute, "none or full");
    if (c.text.encoder != "words") refuse("text.encoder", c.text.encoder, "words: it reads no captions");
    if (c.tokenizer.kind != "none" && c.tokenizer.frames_factor != 1)
        refuse("tokenizer.frames_factor", std::to_string(c.tokenizer.frames_factor),
               "1: frames are not folded (tokenizer.kind sd_vae)");
    if (!c.model.image_encoder.empty() && c.tokenizer.kind == "none")
        problems.push_back("model.image_encoder: found " + c.model.image_encoder +
                           " with tokenizer.kind none, expected a tokenizer such as sd_vae.");
    if (c.data.packing) refuse("data.packing", "true", "false");
    if (c.lora.rank > 0) refuse("lora.rank", std::to_string(c.lora.rank), "0");
    if (!isVideoUnet(c.model)) return;
    if (c.diffusion.objective != "edm")
        refuse("diffusion.objective", c.diffusion.objective, "edm, by which Stable Video Diffusion learns");
    if (c.model.motion != "none")
        refuse("model.motion", c.model.motion, "none: each of its blocks sees all frames");
    if (c.model.family == "svd" && c.model.conditioning != "image")
        refuse("model.conditioning", c.model.conditioning, "image: every clip begins with one");
}

/// Of UniAnimate-DiT, whose encoders of poses shrink them as the tokenizer shrinks the clip.
void refuseReferencePose(const TrainConfig& c, const FamilyRefusal& refuse) {
    if (c.model.conditioning != "image")
        refuse("model.conditioning", c.model.conditioning,
               "image: every clip begins with its reference picture");
    if (c.model.patch_frames != 1)
        refuse("model.patch_frames", std::to_string(c.model.patch_frames), "1: a token is of one frame");
    const auto side = latentPixels(c);
    if (c.tokenizer.kind != "none" &&
        (side < framesPerLatent(c) || !std::has_single_bit(static_cast<std::uint64_t>(side))))
        refuse("tokenizer.space_factor", std::to_string(side),
               "a power of two, at least 4: its convolutions halve drawn poses down to latents");
}

void refuseCharacters(const TrainConfig& c, Texts& problems) {
    if (!animates(c.model)) return;
    const FamilyRefusal refuse{c.model.family, problems};
    const bool isList = c.data.folder.ends_with(".json");
    if (c.data.source != "figures" && c.data.source != "folder")
        refuse("data.source", c.data.source, "figures, or folder with data.poses");
    // Champ keeps drawings beside the pictures of each video
    if (c.data.source == "folder" && !isList && c.data.poses.empty() && c.model.guidance_types.empty())
        refuse("data.poses", "nothing",
               "the folder of their poses' videos, or a JSON file as data.folder that lists both");
    if (c.data.source == "folder" && isList && !c.data.poses.empty())
        refuse("data.poses", c.data.poses, "nothing: the JSON file that data.folder names lists the poses");
    std::set<std::string> types;
    if (c.model.family != "animate" && !c.model.guidance_types.empty())
        refuse("model.guidance_types", join(c.model.guidance_types, ", "), "none: it reads drawn poses");
    for (const auto& type : c.model.guidance_types) {
        const auto& known = kGuidanceTypes;
        if (std::ranges::find(known, type) == known.end())
            refuse("model.guidance_types", type, "only " + join(known, ", "));
        else if (!types.insert(type).second)
            refuse("model.guidance_types", type + " twice", "each type once");
    }
    if (const auto side = c.model.patch_size * latentPixels(c);
        isUnet(c.model) && (side > 8 || !std::has_single_bit(static_cast<std::uint64_t>(side))))
        refuse("model.patch_size", std::to_string(c.model.patch_size),
               c.tokenizer.kind == "none" ? "1, 2, 4 or 8"
                                          : "1, 2, 4 or 8 pixels with tokenizer.space_factor " +
                                                std::to_string(c.tokenizer.space_factor) +
                                                ": so many times do its convolutions halve drawn poses");
    if (isUnet(c.model) && c.model.conditioning != "none")
        refuse("model.conditioning", c.model.conditioning,
               "none: the reference picture and the poses are what it is told");
    if (readsReferencePose(c.model.family)) refuseReferencePose(c, refuse);
    const std::int64_t places = c.model.motion == "v1" ? 24 : 32;
    if (c.model.motion != "none" && c.data.frames > places)
        problems.push_back("data.frames: found " + std::to_string(c.data.frames) + " with model.motion " +
                           c.model.motion + ", expected at most " + std::to_string(places) +
                           ", for which its motion modules have positions.");
}

}  // namespace

std::vector<std::string> unetProblems(const TrainConfig& config) {
    Texts problems;
    refuseCharacterFiles(config, problems);
    refuseUnet(config, problems);
    refuseCharacters(config, problems);
    return problems;
}

}  // namespace dailies::config
