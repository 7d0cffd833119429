#include "core/config/no_clips_reason.h"

namespace dailies::config {

std::string noClipsReason(const TrainConfig& config) {
    if (!config.data.latents.empty() && config.tokenizer.kind == "none")
        return "The data hold latents, and nothing turns them back into clips. Set tokenizer.kind "
               "torchscript "
               "and tokenizer.decoder, the decoder of the tokenizer that made them.";
    const auto& sampling = config.sampling;
    if (!config.data.text_embeddings.empty() && !sampling.prompts.empty() &&
        sampling.prompt_embeddings.empty())
        return "The data hold text embeddings, and nothing makes them of sampling.prompts. Name their files "
               "in "
               "sampling.prompt_embeddings, or leave sampling.prompts empty: captions of the data are "
               "sampled.";
    return "";
}

}  // namespace dailies::config
