#include "core/config/fields/fields.h"

#include <algorithm>

namespace dailies::config {

namespace {

/// The keys that have an effect only under these conditions, beside those that stand alone.
struct Rule {
    std::vector<std::string> keys;
    std::vector<Condition> conditions;
};

Condition is(std::string key, std::vector<Json> values) {
    return {std::move(key), std::move(values), false};
}

Condition isNot(std::string key, Json value) {
    return {std::move(key), std::vector<Json>(1, std::move(value)), true};
}

std::vector<Rule> rules() {
    const Condition ditFamilies = is("model.family", {"dit", "st-dit"});
    const Condition transformers = is("model.family", {"dit", "st-dit", "wan", "ltx", "unianimate"});
    const Condition otherThanLtx = is("model.family", {"dit", "st-dit", "wan", "unianimate"});
    const Condition wan = is("model.family", {"wan", "unianimate"});
    const Condition animate = is("model.family", {"animate"});
    const Condition animates = is("model.family", {"animate", "mimic-motion", "unianimate"});
    const Condition webdataset = is("data.source", {"webdataset"});
    const Condition timesteps = is("diffusion.objective", {"rectified_flow", "v_prediction"});
    return {
        {{"model.kv_heads", "model.bias", "model.adaln", "model.positions"}, {ditFamilies}},
        {{"model.adaln_rank"}, {ditFamilies, is("model.adaln", {"lora"})}},
        {{"model.full_attention_every"}, {is("model.family", {"st-dit"})}},
        {{"model.text_places"}, {wan}},
        {{"model.causal_positions"}, {is("model.family", {"ltx"})}},
        {{"model.mlp_width", "model.activation"}, {transformers}},
        {{"model.conditioning"}, {is("model.family", {"dit", "st-dit", "wan", "ltx", "svd", "unianimate"})}},
        {{"model.rope_fps", "model.rope_time_scale", "model.rope_space_scale"}, {otherThanLtx}},
        {{"model.mlp_ratio"}, {transformers, is("model.mlp_width", {0})}},
        {{"model.given_frames"}, {is("model.conditioning", {"frames"})}},
        {{"model.given_share"}, {is("model.conditioning", {"frames", "in_place"})}},
        {{"sampling.given_files"},
         {isNot("model.conditioning", "none"), isNot("model.family", "unianimate")}},
        {{"sampling.last_files"}, {is("model.conditioning", {"first_last"})}},
        {{"model.image_encoder"},
         {is("model.family", {"animate", "mimic-motion", "svd", "wan", "unianimate"})}},
        {{"sampling.other_expert"}, {otherThanLtx, is("diffusion.objective", {"rectified_flow"})}},
        {{"model.motion", "model.guidance_types"}, {animate}},
        {{"sampling.reference_files", "sampling.pose_files", "sampling.reference_pose_files",
          "sampling.align_poses"},
         {animates}},

        {{"data.colours"}, {is("data.source", {"shapes"})}},
        {{"data.folder"}, {is("data.source", {"folder", "preferences"})}},
        {{"data.prior_folder"}, {is("data.source", {"folder"})}},
        {{"data.prior_share"}, {isNot("data.prior_folder", "")}},
        {{"diffusion.dpo_beta"}, {is("data.source", {"preferences"})}},
        {{"data.poses", "data.loss_masks", "diffusion.mask_weight"},
         {animates, is("data.source", {"folder"})}},
        {{"data.shards", "data.remote_cache_gib", "data.buckets", "data.target_fps", "data.max_upscale",
          "data.latents", "data.text_embeddings", "data.packing"},
         {webdataset}},
        {{"sampling.prompt_embeddings"}, {webdataset, isNot("data.text_embeddings", "")}},
        {{"data.frame_stride"}, {is("data.source", {"folder", "preferences", "webdataset"})}},
        {{"data.tokens_per_step"}, {webdataset, is("data.packing", {true})}},

        {{"tokenizer.checkpoint", "tokenizer.width", "tokenizer.blocks", "tokenizer.kl_weight",
          "tokenizer.gradient_weight", "tokenizer.image_share"},
         {is("tokenizer.kind", {"vae"})}},
        {{"tokenizer.weights"}, {is("tokenizer.kind", {"wan_vae", "ltx_vae", "sd_vae"})}},
        {{"tokenizer.encoder", "tokenizer.decoder"}, {is("tokenizer.kind", {"torchscript"})}},
        {{"tokenizer.frames_factor", "tokenizer.space_factor", "tokenizer.channels"},
         {isNot("tokenizer.kind", "none")}},

        {{"text.module"}, {is("text.encoder", {"torchscript"})}},
        {{"text.weights", "text.tokenizer"}, {is("text.encoder", {"t5"})}},
        {{"text.device"}, {is("text.encoder", {"t5", "torchscript"})}},
        {{"text.tokens"}, {is("text.encoder", {"bytes", "t5", "torchscript"})}},
        {{"text.depth", "text.heads"}, {is("text.encoder", {"bytes"})}},

        {{"diffusion.timesteps", "diffusion.timestep_from", "diffusion.timestep_to"}, {timesteps}},
        {{"diffusion.timestep_mean", "diffusion.timestep_std"},
         {timesteps, is("diffusion.timesteps", {"logit_normal"})}},
        {{"diffusion.mode_scale"}, {timesteps, is("diffusion.timesteps", {"mode"})}},
        {{"diffusion.shift", "diffusion.shift_tokens", "diffusion.shift_terminal"},
         {is("diffusion.objective", {"rectified_flow"})}},
        {{"diffusion.shift_growth"},
         {is("diffusion.objective", {"rectified_flow"}), isNot("diffusion.shift_tokens", 0)}},
        {{"diffusion.sigma_mean", "diffusion.sigma_std", "diffusion.sigma_data", "diffusion.sigma_min",
          "diffusion.sigma_max"},
         {is("diffusion.objective", {"edm"})}},
        {{"diffusion.noise_schedule", "diffusion.zero_terminal_snr", "diffusion.min_snr_gamma",
          "diffusion.noise_offset"},
         {is("diffusion.objective", {"v_prediction"})}},
        {{"diffusion.snr_plus_one"},
         {is("diffusion.objective", {"v_prediction"}), isNot("diffusion.min_snr_gamma", 0)}},

        {{"optimizer.decay_fraction"}, {is("optimizer.schedule", {"linear", "wsd"})}},
        {{"optimizer.min_lr"}, {isNot("optimizer.schedule", "constant")}},
        {{"optimizer.ema_power"}, {isNot("optimizer.ema_decay", 0)}},

        {{"lora.alpha", "lora.rslora", "lora.dropout", "lora.targets", "lora.base_precision",
          "lora.blocks_to_swap"},
         {isNot("lora.rank", 0)}},

        {{"layout.ring"}, {isNot("layout.cp", 1)}},
        {{"layout.pp_chunks"}, {isNot("layout.pp", 1)}},
        {{"layout.shard_ranks"}, {isNot("layout.shard", "none")}},

        {{"sampling.guidance_from", "sampling.guidance_to"}, {isNot("sampling.guidance", 1)}},
        {{"sampling.other_guidance"}, {isNot("sampling.other_expert", "")}},
        {{"sampling.adherence_clips"}, {is("data.source", {"shapes", "figures"})}},
        {{"validation.clips", "validation.levels"}, {isNot("validation.every", 0)}},
        {{"checkpoint.best_is"}, {isNot("checkpoint.keep_best", "")}},
        {{"runtime.cuda_graphs", "runtime.prepare_ahead"}, {isNot("runtime.device", "cpu")}},
    };
}

}  // namespace

void describeWhatApplies(std::vector<Field>& fields) {
    for (const auto& rule : rules())
        for (const auto& key : rule.keys)
            std::ranges::find(fields, key, &Field::key)->appliesWhen = rule.conditions;
}

}  // namespace dailies::config
