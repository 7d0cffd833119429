#include "core/config/no_clips_reason.h"

namespace dailies::config {

std::string noClipsReason(const TrainConfig& config) {
    if (!config.data.latents.empty() && config.tokenizer.kind == "none")
        return "The data contain latents, and no decoder is configured to turn them into clips. Set "
               "tokenizer.kind "
               "torchscript "
               "and tokenizer.decoder, the decoder of the tokenizer that made them.";
    const auto& sampling = config.sampling;
    if (!config.data.text_embeddings.empty() && !sampling.prompts.empty() &&
        sampling.prompt_embeddings.empty())
        return "The data contain text embeddings, and no text encoder is configured for sampling.prompts. "
               "List their files "
               "in "
               "sampling.prompt_embeddings, or leave sampling.prompts empty: captions of the data are "
               "sampled.";
    return "";
}

}  // namespace dailies::config
