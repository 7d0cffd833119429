#pragma once

#include "core/base/json.h"

#include <cstdint>
#include <string>
#include <vector>

namespace dailies::config {

/// One run's configuration, as `dailies-train` uses it. The member initialisers are the defaults; names,
/// units, ranges and documentation stand in `trainSchema()` (schema.h), the one description that the trainer,
/// the Launch page's form, sweeps and the guide share. Each group is one object of config.json:
/// `optimizer.lr` is `optimizer: {"lr": …}`.
struct TrainConfig {
    std::int64_t steps = 1600;
    std::int64_t seed = 0;

    struct Model {
        std::string family = "dit";
        std::int64_t width = 64;
        std::int64_t depth = 2;
        std::int64_t heads = 4;
        std::int64_t kv_heads = 0;
        std::int64_t mlp_ratio = 4;
        std::int64_t mlp_width = 0;
        std::int64_t patch_frames = 2;
        std::int64_t patch_size = 8;
        std::string activation = "relu2";
        bool bias = true;
        std::string adaln = "single";
        std::int64_t adaln_rank = 256;
        std::int64_t full_attention_every = 0;
        std::string positions = "learned";
        double rope_fps = 0;
        double rope_time_scale = 1;
        double rope_space_scale = 1;
        double time_scale = 1000;
        std::int64_t text_places = 0;
        bool causal_positions = false;
        std::string motion = "none";
        std::vector<std::string> guidance_types;
        std::string image_encoder;
        std::string conditioning = "none";
        std::int64_t given_frames = 1;
        double given_share = 0.5;
        std::string recompute = "none";
        std::string init;
    } model;

    struct Data {
        std::string source = "shapes";
        std::vector<std::string> colours;
        std::string folder;
        std::string poses;
        std::string loss_masks;
        std::string prior_folder;
        double prior_share = 0.5;
        std::vector<std::string> shards;
        std::vector<std::string> buckets;
        double target_fps = 0;
        double max_upscale = 1.1;
        std::string latents;
        std::string latent_scale;
        std::string text_embeddings;
        std::string cache;
        std::int64_t remote_cache_gib = 64;
        bool packing = false;
        std::int64_t tokens_per_step = 16384;
        std::int64_t workers = 2;
        std::int64_t frames = 8;
        std::int64_t height = 32;
        std::int64_t width = 32;
        std::int64_t fps = 8;
        std::int64_t frame_stride = 1;
        std::int64_t batch_size = 16;
    } data;

    struct Tokenizer {
        std::string kind = "none";
        std::string checkpoint;
        std::string weights;
        std::string encoder;
        std::string decoder;
        std::int64_t frames_factor = 4;
        std::int64_t space_factor = 8;
        std::int64_t channels = 16;
        std::int64_t width = 32;
        std::int64_t blocks = 1;
        double kl_weight = 5e-4;
        double gradient_weight = 1.0;
        double image_share = 0.2;
    } tokenizer;

    struct Text {
        std::string encoder = "words";
        std::string module;
        std::string weights;
        std::string tokenizer;
        std::string device = "gpu";
        std::int64_t tokens = 64;
        std::int64_t width = 64;
        std::int64_t depth = 2;
        std::int64_t heads = 4;
    } text;

    struct Diffusion {
        std::string objective = "rectified_flow";
        std::string prediction = "clip";
        std::string timesteps = "logit_normal";
        double timestep_mean = -1.6;
        double timestep_std = 1.0;
        double timestep_from = 0.0;
        double timestep_to = 1.0;
        double mode_scale = 1.29;
        double shift = 1.0;
        std::int64_t shift_tokens = 0;
        double shift_growth = 0.0;
        double shift_terminal = 0.0;
        double dpo_beta = 2000.0;
        double sigma_mean = 1.6;
        double sigma_std = 1.0;
        double sigma_data = 1.0;
        double sigma_min = 0.002;
        double sigma_max = 80.0;
        std::string noise_schedule = "scaled_linear";
        bool zero_terminal_snr = true;
        double min_snr_gamma = 0.0;
        bool snr_plus_one = false;
        double noise_offset = 0.0;
        double mask_weight = 10.0;
        bool stratified = false;
        double caption_drop = 0.1;
    } diffusion;

    struct Optimizer {
        std::string name = "adamw";
        double lr = 1e-2;
        double beta1 = 0.9;
        double beta2 = 0.95;
        double weight_decay = 0.0;
        double grad_clip = 1.0;
        std::int64_t accumulate = 1;
        bool offload = false;
        bool master_weights = false;
        std::string schedule = "linear";
        std::int64_t warmup_steps = 30;
        double decay_fraction = 0.3;
        double min_lr = 0.0;
        double ema_decay = 0.99;
        double ema_power = 0.0;
        std::vector<std::string> freeze;
        std::vector<std::string> lr_factors;
    } optimizer;

    struct Lora {
        std::int64_t rank = 0;
        double alpha = 0;
        bool rslora = false;
        double dropout = 0;
        std::vector<std::string> targets;
        std::string base_precision = "run";
        std::int64_t blocks_to_swap = 0;
    } lora;

    struct Layout {
        std::int64_t dp = 0;
        std::int64_t cp = 1;
        std::int64_t ring = 1;
        std::int64_t tp = 1;
        std::int64_t pp = 1;
        std::int64_t pp_chunks = 1;
        std::string shard = "none";
        std::int64_t shard_ranks = 0;
        std::string gradient_sums = "fp32";
        std::string certificate = "auto";
    } layout;

    struct Sampling {
        std::int64_t every = 400;
        std::vector<std::string> prompts;
        std::vector<std::string> prompt_embeddings;
        std::string negative_prompt;
        std::vector<std::string> given_files;
        std::vector<std::string> last_files;
        std::vector<std::string> reference_files;
        std::vector<std::string> pose_files;
        std::vector<std::string> reference_pose_files;
        bool align_poses = false;
        std::string other_expert;
        std::int64_t seed = 1;
        std::string sampler = "euler";
        std::int64_t steps = 20;
        double guidance = 1.5;
        double first_guidance = 0.0;
        double guidance_from = 0.0;
        double guidance_to = 1.0;
        double other_guidance = 0.0;
        std::int64_t adherence_clips = 48;

        /// Of the other expert's part of the noise.
        double otherGuidance() const { return other_guidance == 0 ? guidance : other_guidance; }
        /// What the first frame has of the guidance beyond 1.
        double guidanceGrowth() const {
            return first_guidance == 0 || guidance == 1 ? 1 : (first_guidance - 1) / (guidance - 1);
        }
        bool isGuided() const { return guidance != 1 || (!other_expert.empty() && otherGuidance() != 1); }
    } sampling;

    struct Validation {
        std::int64_t every = 0;
        std::int64_t clips = 64;
        std::int64_t levels = 10;
    } validation;

    struct Checkpoint {
        std::int64_t every = 400;
        std::int64_t keep = 2;
        std::int64_t keep_every = 0;
        std::string keep_best;
        std::string best_is = "lowest";
        std::int64_t shard_bytes = std::int64_t{4} << 30;
        std::string mirror;
    } checkpoint;

    struct Runtime {
        std::string device = "auto";
        std::string precision = "fp32";
        std::int64_t threads = 1;
        bool prepare_ahead = false;
        bool cuda_graphs = false;
        std::int64_t log_every = 10;
        std::int64_t trace_step = 0;
    } runtime;

    struct Watchdog {
        double start_limit = 900;
        double first_step_limit = 1800;
        double step_factor = 5;
        double step_floor = 120;
        double pause_limit = 1800;
        double straggler_factor = 1.3;
    } watchdog;
};

/// A complete, valid configuration from a partial one: unknown keys, wrong types, values out of range and
/// impossible combinations are refused together, in one `InputError` that names for each the key, what was
/// found and what would be accepted. Keys that are absent take their defaults, so the result of `toJson`
/// leaves nothing to default later.
TrainConfig resolve(const Json& partial);

/// The nested object that config.json holds, in the schema's order, every key present.
Json toJson(const TrainConfig& config);

}  // namespace dailies::config
