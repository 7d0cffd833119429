#include "core/config/fields/fields.h"

namespace dailies::config {

std::vector<Field> samplingFields() {
    return {
        between(
            field("sampling.every", "Sample every", "steps",
                  "Steps between sampled clips; the last step always samples.", CONFIG_SLOT(sampling.every)),
            1, 1e9),
        field("sampling.prompts", "Prompts", "",
              "Prompts of the clips to write; empty takes six of the data's own captions.",
              CONFIG_SLOT(sampling.prompts)),
        field(
            "sampling.prompt_embeddings", "Prompt embeddings", "",
            "With data.text_embeddings: the prompts as the encoder of the data's captions embeds them, files "
            "on the cluster (npy or safetensors, [tokens, width]) in the prompts' order. Empty: captions of "
            "the data are sampled, with their own embeddings.",
            CONFIG_SLOT(sampling.prompt_embeddings)),
        field("sampling.negative_prompt", "Negative prompt", "",
              "What clips are guided away from, where guidance is not 1; empty guides away from no prompt.",
              CONFIG_SLOT(sampling.negative_prompt)),
        field(
            "sampling.given_files", "Given frames", "",
            "With model.conditioning frames: what the prompts' clips begin with, files on the cluster in the "
            "prompts' order, or one for all. A picture (png, jpg) is the first frame; a video (mp4, …) is "
            "gone on from its last frames, at most model.given_frames. An empty text gives a prompt nothing. "
            "With conditioning image and first_last: the image that each begins with (of a video its last "
            "frame); empty: those of clips of the data.",
            CONFIG_SLOT(sampling.given_files)),
        field("sampling.last_files", "Last frames", "",
              "With model.conditioning first_last: the images that the prompts' clips end with, in the "
              "prompts' "
              "order, or one for all; given_files has those that they begin with. Both empty: those of clips "
              "of "
              "the data.",
              CONFIG_SLOT(sampling.last_files)),
        field("sampling.other_expert", "Other expert", "",
              "Of a pair of models, one for much and one for little noise (Wan 2.2 A14B): the one that this "
              "run does not train, which makes its samples' way through the noise outside "
              "diffusion.timestep_from and timestep_to: a file or folder of weights as model.init takes it. "
              "On a GPU its blocks stay in the node's memory and are copied one by one.",
              CONFIG_SLOT(sampling.other_expert)),
        field("sampling.reference_files", "Reference pictures", "",
              "animate, mimic-motion, unianimate: pictures of the characters (png, jpg) in the prompts' "
              "order, or one for all. Empty with data.source figures: the figures of the prompts.",
              CONFIG_SLOT(sampling.reference_files)),
        field(
            "sampling.pose_files", "Pose videos", "",
            "animate, mimic-motion, unianimate: videos of drawn poses (mp4, …), or key points as data.poses "
            "has them (json), in the prompts' order, or one for all; with model.guidance_types folders that "
            "hold one of each type. Empty with data.source figures: the poses of the prompts' figures.",
            CONFIG_SLOT(sampling.pose_files)),
        field(
            "sampling.reference_pose_files", "Reference poses", "",
            "unianimate: the poses of sampling.reference_files, drawn (png, jpg) or as key points (json), in "
            "the prompts' order, or one for all. Empty with data.source figures: those of the prompts' "
            "figures. With sampling.align_poses: key points, for every family that reads poses.",
            CONFIG_SLOT(sampling.reference_pose_files)),
        field("sampling.align_poses", "Align poses", "",
              "animate, mimic-motion, unianimate: give the people of sampling.pose_files the build and the "
              "place of those in sampling.reference_pose_files, limb by limb as their first frames measure. "
              "Both must be key points (json). Turn it on where the one who moves is of another build than "
              "the character.",
              CONFIG_SLOT(sampling.align_poses)),
        between(
            field("sampling.seed", "Sampling seed", "",
                  "Seeds the noise that clips start from: the same for every step and every run of a sweep.",
                  CONFIG_SLOT(sampling.seed)),
            0, 9007199254740991.0),
        oneOf(
            field(
                "sampling.sampler", "Sampler", "",
                "euler: first order; heun: second order, two evaluations a step; dpmpp_2m and unipc: second "
                "order, one evaluation a step.",
                CONFIG_SLOT(sampling.sampler)),
            {"euler", "heun", "dpmpp_2m", "unipc"}),
        between(field("sampling.steps", "Sampler steps", "steps", "Steps from noise to clip.",
                      CONFIG_SLOT(sampling.steps)),
                1, 1000),
        between(field("sampling.guidance", "Guidance", "×", "Scale of classifier-free guidance; 1 is none.",
                      CONFIG_SLOT(sampling.guidance)),
                0, 100),
        between(
            field("sampling.first_guidance", "First guidance", "×",
                  "Scale of guidance at the first frame of a clip, from which it grows evenly to "
                  "sampling.guidance at the last: frames near the image that a clip begins with need less. "
                  "Stable Video Diffusion is published with 1 and 3; 0: the same for all frames.",
                  CONFIG_SLOT(sampling.first_guidance)),
            0, 100),
        between(field("sampling.guidance_from", "Guidance from", "",
                      "Guide only where the noise has at least this share of noise and clip together.",
                      CONFIG_SLOT(sampling.guidance_from)),
                0, 1),
        between(field("sampling.guidance_to", "Guidance to", "",
                      "Guide only where the noise has at most this share: less than 1 leaves the first steps "
                      "unguided, which keeps clips varied.",
                      CONFIG_SLOT(sampling.guidance_to)),
                0, 1),
        between(
            field("sampling.other_guidance", "Other guidance", "×",
                  "Scale of the guidance where sampling.other_expert denoises: Wan 2.2's text to video is "
                  "made with 4 for much noise and 3 for little. 0 is sampling.guidance.",
                  CONFIG_SLOT(sampling.other_guidance)),
            0, 100),
        between(
            field("sampling.adherence_clips", "Adherence clips", "clips",
                  "For data.source shapes and figures: how many prompts are sampled and read back for the "
                  "adherence metrics; 0 is none.",
                  CONFIG_SLOT(sampling.adherence_clips)),
            0, 4800),
    };
}

}  // namespace dailies::config
