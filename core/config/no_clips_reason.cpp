#include "core/config/no_clips_reason.h"

namespace dailies::config {

std::string noClipsReason(const TrainConfig& config) {
    if (!config.data.latents.empty() && config.tokenizer.kind == "none")
        return "The data contain latents, and no decoder is configured to turn them into clips. Set "
               "tokenizer.kind to the kind of the tokenizer that made them, with its tokenizer.decoder or "
               "tokenizer.weights.";
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
