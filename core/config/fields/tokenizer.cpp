#include "core/config/fields/fields.h"

namespace dailies::config {

std::vector<Field> tokenizerFields() {
    return {
        oneOf(
            field("tokenizer.kind", "Tokenizer", "",
                  "What turns clips into the latents that the model learns. none: it learns pixels; vae: the "
                  "causal VAE that train-vae trains; wan_vae: the VAE of Wan 2.1 or 2.2 as it is published; "
                  "ltx_vae: that of LTX-Video; sd_vae: that of Stable Diffusion or Stable "
                  "Video Diffusion, picture by picture; "
                  "torchscript: a pair of modules, as Cosmos tokenizers are published.",
                  CONFIG_SLOT(tokenizer.kind)),
            {"none", "vae", "wan_vae", "ltx_vae", "sd_vae", "torchscript"}),
        field("tokenizer.checkpoint", "VAE checkpoint", "",
              "For tokenizer.kind vae: a checkpoint that train-vae wrote, RUN/checkpoints/step-000001000. "
              "train-vae itself leaves it empty.",
              CONFIG_SLOT(tokenizer.checkpoint)),
        field("tokenizer.weights", "Published VAE", "",
              "For tokenizer.kind wan_vae: Wan2.1_VAE.pth or Wan2.2_VAE.pth, ComfyUI's safetensors file, or "
              "diffusers' folder vae. 2.1 has frames_factor 4, space_factor 8 and channels 16, 2.2 has 4, 16 "
              "and 48. For ltx_vae: a file of LTX-Video, alone or with its transformer, or diffusers' folder "
              "vae, with 8, 32 and 128. For sd_vae: such a file or folder of Stable Diffusion's, as "
              "sd-vae-ft-mse, or of Stable Video Diffusion's, with 1, 8 and 4.",
              CONFIG_SLOT(tokenizer.weights)),
        field("tokenizer.encoder", "Encoder module", "",
              "For tokenizer.kind torchscript: clips [n, 3, frames, height, width] of -1 … 1 to latents. May "
              "be "
              "empty where the data hold the latents.",
              CONFIG_SLOT(tokenizer.encoder)),
        field("tokenizer.decoder", "Decoder module", "",
              "For tokenizer.kind torchscript: latents [n, channels, frames, height, width] back to clips.",
              CONFIG_SLOT(tokenizer.decoder)),
        between(field("tokenizer.frames_factor", "Frames per latent", "frames",
                      "A clip of 1 + n times this many frames becomes 1 + n latent frames; a power of two "
                      "for a VAE.",
                      CONFIG_SLOT(tokenizer.frames_factor)),
                1, 16),
        between(field("tokenizer.space_factor", "Pixels of a latent", "px",
                      "Side of the square of pixels that becomes one latent; a power of two for a VAE.",
                      CONFIG_SLOT(tokenizer.space_factor)),
                1, 64),
        between(field("tokenizer.channels", "Latent channels", "", "Numbers in one latent.",
                      CONFIG_SLOT(tokenizer.channels)),
                1, 1024),
        between(field("tokenizer.width", "VAE width", "channels",
                      "For train-vae: channels at full resolution; they double at each halving of the sides, "
                      "at most twice.",
                      CONFIG_SLOT(tokenizer.width)),
                4, 1024),
        between(field("tokenizer.blocks", "VAE blocks", "blocks",
                      "For train-vae: residual blocks at each resolution.", CONFIG_SLOT(tokenizer.blocks)),
                1, 8),
        logarithmic(between(field("tokenizer.kl_weight", "KL weight", "×",
                                  "For train-vae: how strongly latents are drawn to a normal distribution.",
                                  CONFIG_SLOT(tokenizer.kl_weight)),
                            0, 1)),
        between(field("tokenizer.gradient_weight", "Edge weight", "×",
                      "For train-vae: weight of the differences between neighbouring pixels, at three "
                      "resolutions, beside that of the pixels.",
                      CONFIG_SLOT(tokenizer.gradient_weight)),
                0, 100),
        between(field("tokenizer.image_share", "Image fraction", "",
                      "For train-vae: share of the steps that train on single frames.",
                      CONFIG_SLOT(tokenizer.image_share)),
                0, 1),
    };
}

}  // namespace dailies::config
