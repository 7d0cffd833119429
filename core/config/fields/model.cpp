#include "core/config/fields/fields.h"

namespace dailies::config {

std::vector<Field> modelFields() {
    return {
        oneOf(
            field("model.family", "Model family", "",
                  "dit: a video diffusion transformer with attention over the whole clip; st-dit: blocks "
                  "attend in turn within frames and over time, cheaper for long clips; wan: the transformer "
                  "of Wan 2.x; ltx: that of LTX-Video; animate: two U-Nets of Stable Diffusion 1, which "
                  "animate the character of a reference picture by drawn poses (Animate Anyone); svd: the "
                  "U-Net of Stable Video Diffusion, whose clips begin with an image; mimic-motion: the same "
                  "with reference pictures and drawn poses (MimicMotion); unianimate: Wan's image to "
                  "video with both (UniAnimate-DiT).",
                  CONFIG_SLOT(model.family)),
            {"dit", "st-dit", "wan", "ltx", "animate", "mimic-motion", "svd", "unianimate"}),
        between(
            field(
                "model.width", "Width", "",
                "Channels of every token; a multiple of the heads. animate, mimic-motion, svd: of the first "
                "level, 320 as published; the others have 2, 4 and 4 times as many.",
                CONFIG_SLOT(model.width)),
            8, 16384),
        between(field("model.depth", "Depth", "blocks",
                      "Transformer blocks. animate, mimic-motion, svd: blocks of each level, 2 as published.",
                      CONFIG_SLOT(model.depth)),
                1, 256),
        between(field("model.heads", "Heads", "", "Attention heads; each gets width / heads channels.",
                      CONFIG_SLOT(model.heads)),
                1, 256),
        between(field("model.kv_heads", "Key heads", "",
                      "dit, st-dit: heads of keys and values, each shared by heads / kv_heads queries; 0: as "
                      "many as heads.",
                      CONFIG_SLOT(model.kv_heads)),
                0, 256),
        between(field("model.mlp_ratio", "MLP ratio", "×",
                      "Hidden channels of the MLP as a multiple of the width.", CONFIG_SLOT(model.mlp_ratio)),
                1, 16),
        between(field("model.mlp_width", "MLP width", "",
                      "Hidden channels of the MLP where they are no multiple of the width; 0: mlp_ratio × "
                      "width.",
                      CONFIG_SLOT(model.mlp_width)),
                0, 262144),
        between(field("model.patch_frames", "Patch frames", "frames", "Frames folded into one token.",
                      CONFIG_SLOT(model.patch_frames)),
                1, 64),
        between(field("model.patch_size", "Patch size", "px",
                      "Height and width of the square folded into one token.", CONFIG_SLOT(model.patch_size)),
                1, 64),
        oneOf(field("model.activation", "Activation", "",
                    "Non-linearity of the MLP; relu2 is the square of ReLU, gelu-tanh GELU's usual "
                    "approximation.",
                    CONFIG_SLOT(model.activation)),
              {"relu2", "gelu", "gelu-tanh"}),
        field("model.bias", "Biases", "",
              "dit, st-dit: whether the MLPs, the embeddings and the last layer add a bias.",
              CONFIG_SLOT(model.bias)),
        oneOf(field("model.adaln", "AdaLN", "",
                    "dit, st-dit: how time and caption steer a block. single: one projection for all blocks "
                    "plus a table in each; lora: a low-rank projection in each sub-layer (Cosmos); full: a "
                    "projection in each block (DiT).",
                    CONFIG_SLOT(model.adaln)),
              {"single", "lora", "full"}),
        between(field("model.adaln_rank", "AdaLN rank", "", "Rank of model.adaln lora.",
                      CONFIG_SLOT(model.adaln_rank)),
                1, 16384),
        between(field("model.full_attention_every", "Full attention every", "blocks",
                      "st-dit: every n-th block attends over the whole clip; 0: none does.",
                      CONFIG_SLOT(model.full_attention_every)),
                0, 256),
        oneOf(
            field(
                "model.positions", "Positions", "",
                "dit, st-dit: learned adds a table of positions to the rotary ones, and then takes clips of "
                "one size only.",
                CONFIG_SLOT(model.positions)),
            {"learned", "none"}),
        between(
            field("model.rope_fps", "RoPE frame rate", "frames/s",
                  "Frames are placed as if every clip played at this rate, so that a second is as long in "
                  "clips of any rate; 0: by their number.",
                  CONFIG_SLOT(model.rope_fps)),
            0, 240),
        between(field("model.rope_time_scale", "RoPE time scale", "×",
                      "NTK-aware stretch of rotary positions in time, for clips longer than a model was "
                      "trained on.",
                      CONFIG_SLOT(model.rope_time_scale)),
                0.01, 100),
        between(field("model.rope_space_scale", "RoPE space scale", "×",
                      "NTK-aware stretch of rotary positions in height and width.",
                      CONFIG_SLOT(model.rope_space_scale)),
                0.01, 100),
        between(field("model.time_scale", "Time scale", "×",
                      "Factor on the noise level before its sinusoids: 1000 where it runs over 0 … 1.",
                      CONFIG_SLOT(model.time_scale)),
                1e-3, 1e6),
        between(field("model.text_places", "Text places", "tokens",
                      "wan: every caption takes this many places: its embeddings, cut where they are more, "
                      "then zeros, and attention reads all of them, as in the published Wan (512); 0: it "
                      "reads the caption's own embeddings only.",
                      CONFIG_SLOT(model.text_places)),
                0, 65536),
        field("model.causal_positions", "Causal positions", "",
              "ltx: the first frame of latents is placed as the one frame of the clip that it is, as of "
              "LTX-Video 0.9.5; off: as if it stood for as many as the others (0.9.0 and 0.9.1).",
              CONFIG_SLOT(model.causal_positions)),
        oneOf(field("model.motion", "Motion modules", "",
                    "animate: attention over time behind each block (AnimateDiff). v1: for clips of up to 24 "
                    "frames; v2: up to 32, with one in the middle, too; none: each frame for itself, as "
                    "stage 1 trains.",
                    CONFIG_SLOT(model.motion)),
              {"none", "v1", "v2"}),
        field("model.guidance_types", "Guidance types", "",
              "animate: what drawings tell of a motion, an encoder with attention each, which together stand "
              "in for the pose guider: depth, normal, semantic_map and dwpose are Champ. Empty: the guider "
              "reads poses alone, as in Animate Anyone.",
              CONFIG_SLOT(model.guidance_types)),
        field(
            "model.image_encoder", "Image encoder", "",
            "animate, mimic-motion, svd: the nets read what this encoder of CLIP sees in the reference "
            "picture or the image: a file or folder of transformers, such as image_encoder of "
            "lambdalabs/sd-image-variations-diffusers or of Stable Video Diffusion. Needs a tokenizer. "
            "Empty: they have no cross-attention. wan with conditioning image or first_last, and unianimate: "
            "the model attends to what it sees in the images that clips begin and end with, as Wan 2.1's "
            "image to video does (image_encoder of Wan-AI/Wan2.1-I2V-14B-480P-Diffusers). Empty: it knows "
            "the frame's latents alone, as Wan 2.2 "
            "does.",
            CONFIG_SLOT(model.image_encoder)),
        oneOf(field("model.conditioning", "Conditioning", "",
                    "frames: clean frames may be given with their mask, for image to video and continuation. "
                    "image: every clip begins with an image, as in Wan's image to video: the model reads "
                    "four channels of mask and the latents of the image followed by grey frames, svd the "
                    "latents of the image beside each frame, and unianimate begins with the reference "
                    "picture. first_last: the same, and every clip ends with an image, as in Wan 2.1's "
                    "FLF2V. in_place (wan, ltx): the first frame may be given, and stands in the noisy clip "
                    "itself without noise, as in Wan 2.2's 5B and LTX-Video; it does not count in the loss.",
                    CONFIG_SLOT(model.conditioning)),
              {"none", "frames", "image", "first_last", "in_place"}),
        between(
            field("model.given_frames", "Given frames", "frames",
                  "With conditioning frames: a clip that is given its beginning is given from 1 to so many "
                  "frames (of latents, where there is a tokenizer). In place it is 1.",
                  CONFIG_SLOT(model.given_frames)),
            1, 1024),
        between(
            field(
                "model.given_share", "Given share", "",
                "With conditioning frames or in_place: share of clips that train with their beginning given.",
                CONFIG_SLOT(model.given_share)),
            0, 1),
        oneOf(
            field(
                "model.recompute", "Recompute", "",
                "Activation checkpointing: full computes each block again in the backward pass, selective "
                "its MLP only, offload as full, while the tokens that blocks read wait in the node's memory "
                "(neither of U-Nets); gradients stay the same.",
                CONFIG_SLOT(model.recompute)),
            {"none", "selective", "full", "offload"}),
        field(
            "model.init", "Begin with", "",
            "Weights that the run begins with instead of drawing them: what dailies-train export wrote "
            "(MODEL.safetensors or a folder of diffusers), RUN/checkpoints/step-000001000, a published "
            "model of Wan or LTX-Video, for animate a folder with a U-Net of Stable Diffusion 1, alone or "
            "beside a ReferenceNet, motion modules, a pose guider or a ControlNet (links are enough), or for "
            "mimic-motion MimicMotion's file or the U-Net of Stable Video Diffusion. Its optimizer begins "
            "anew; a run that resumes goes on from its own checkpoint.",
            CONFIG_SLOT(model.init)),
    };
}

}  // namespace dailies::config
