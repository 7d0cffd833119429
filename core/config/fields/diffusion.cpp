#include "core/config/fields/fields.h"

namespace dailies::config {

std::vector<Field> diffusionFields() {
    return {
        oneOf(
            field("diffusion.objective", "Objective", "",
                  "rectified_flow: straight paths from clip to noise; edm: Karras et al. 2022; v_prediction: "
                  "the 1000 steps of DDPM with v as the target.",
                  CONFIG_SLOT(diffusion.objective)),
            {"rectified_flow", "edm", "v_prediction"}),
        oneOf(field("diffusion.prediction", "Prediction", "",
                    "What the network puts out: the clean clip, which suits pixels, or the objective's "
                    "velocity (EDM's F, v), which is usual for latents. The loss is on the velocity in both "
                    "cases.",
                    CONFIG_SLOT(diffusion.prediction)),
              {"clip", "velocity"}),
        oneOf(field("diffusion.timesteps", "Timesteps", "",
                    "For rectified_flow and v_prediction: how the times of training are drawn. logit_normal "
                    "takes "
                    "timestep_mean and timestep_std, mode takes mode_scale (Esser et al. 2024); uniform "
                    "draws all alike, as DDPM does.",
                    CONFIG_SLOT(diffusion.timesteps)),
              {"logit_normal", "uniform", "mode"}),
        between(field("diffusion.timestep_mean", "Timestep mean", "",
                      "Mean m of the logit-normal: t = 1 - sigmoid(m + s·z), t = 1 being pure noise; lower "
                      "trains on more noise.",
                      CONFIG_SLOT(diffusion.timestep_mean)),
                -10, 10),
        between(field("diffusion.timestep_std", "Timestep spread", "",
                      "Standard deviation s of that logit-normal.", CONFIG_SLOT(diffusion.timestep_std)),
                0, 10),
        between(
            field("diffusion.timestep_from", "Timesteps from", "",
                  "The least noise, 0 … 1 after the shift, that clips are trained at: an expert of Wan 2.2 "
                  "trains on its own side of the boundary (0.875, from images 0.9). Within the range the "
                  "times are drawn as they would be without it.",
                  CONFIG_SLOT(diffusion.timestep_from)),
            0, 1),
        between(field("diffusion.timestep_to", "Timesteps to", "", "The most noise, above timestep_from.",
                      CONFIG_SLOT(diffusion.timestep_to)),
                0, 1),
        between(field("diffusion.mode_scale", "Mode scale", "",
                      "For timesteps mode: above 0 draws more times in the middle, below 0 at the ends.",
                      CONFIG_SLOT(diffusion.mode_scale)),
                -1, 1.75),
        between(field("diffusion.shift", "Shift", "×",
                      "For rectified_flow: t becomes a·t / (1 + (a - 1)·t) in training and sampling; above 1 "
                      "means more noise, which larger clips need (3 to 7 are usual). 1 shifts nothing.",
                      CONFIG_SLOT(diffusion.shift)),
                0.01, 100),
        between(field("diffusion.shift_tokens", "Shift reference", "tokens",
                      "Above 0 the shift of a clip of n tokens is shift·√(n / this), so that clips of every "
                      "size lose as much to noise; 0 shifts all alike.",
                      CONFIG_SLOT(diffusion.shift_tokens)),
                0, 1e9),
        between(field("diffusion.shift_growth", "Shift growth", "",
                      "Above 0 the shift of a clip of n tokens is shift·e^(this·(n - shift_tokens) / 1000) "
                      "instead. LTX-Video: shift 2.586 at 1024 tokens, growth 0.358.",
                      CONFIG_SLOT(diffusion.shift_growth)),
                0, 10),
        between(field("diffusion.shift_terminal", "Last noise", "",
                      "Noise that the last step of a sampler begins with: the steps before are stretched "
                      "to it (LTX-Video: 0.1). 0 stretches nothing.",
                      CONFIG_SLOT(diffusion.shift_terminal)),
                0, 0.99),
        between(field("diffusion.dpo_beta", "DPO beta", "",
                      "For data.source preferences: how strictly the model stays what it began as while it "
                      "learns which clips people prefer; larger moves it less. 2000 to 5000 are usual.",
                      CONFIG_SLOT(diffusion.dpo_beta)),
                1, 1e6),
        between(
            field("diffusion.sigma_mean", "Sigma mean", "",
                  "For edm: mean of ln(sigma) in training, sigma being the noise's deviation. The paper's "
                  "-1.2 is for small images of deviation 0.5; larger clips need more.",
                  CONFIG_SLOT(diffusion.sigma_mean)),
            -10, 10),
        between(field("diffusion.sigma_std", "Sigma spread", "", "For edm: standard deviation of ln(sigma).",
                      CONFIG_SLOT(diffusion.sigma_std)),
                0, 10),
        between(field("diffusion.sigma_data", "Data deviation", "",
                      "For edm: the deviation of the clips that the model sees. Clips are scaled to 1.",
                      CONFIG_SLOT(diffusion.sigma_data)),
                0.001, 1000),
        between(field("diffusion.sigma_min", "Min sigma", "",
                      "For edm: the last noise of sampling, before none.", CONFIG_SLOT(diffusion.sigma_min)),
                1e-6, 1),
        between(field("diffusion.sigma_max", "Max sigma", "", "For edm: the noise that sampling starts from.",
                      CONFIG_SLOT(diffusion.sigma_max)),
                1, 1e4),
        oneOf(
            field(
                "diffusion.noise_schedule", "Noise schedule", "",
                "For v_prediction: the 1000 variances of DDPM (linear), Stable Diffusion (scaled_linear) or "
                "Nichol & Dhariwal (cosine).",
                CONFIG_SLOT(diffusion.noise_schedule)),
            {"linear", "scaled_linear", "cosine"}),
        field("diffusion.zero_terminal_snr", "Zero terminal SNR", "",
              "For v_prediction: rescale the schedule so that its last step is pure noise, which sampling "
              "starts from.",
              CONFIG_SLOT(diffusion.zero_terminal_snr)),
        between(field("diffusion.min_snr_gamma", "Min-SNR gamma", "",
                      "For v_prediction: the loss is weighted by min(SNR, this) / (SNR + 1), which makes the "
                      "noisiest clips count least; 5 is usual with uniform timesteps, 0 leaves it "
                      "unweighted.",
                      CONFIG_SLOT(diffusion.min_snr_gamma)),
                0, 1e4),
        between(
            field("diffusion.mask_weight", "Mask weight", "×",
                  "With data.loss_masks, or mask_path in the JSON file of data.folder: how many times an "
                  "error counts in the white of a clip's mask; grey between. MimicMotion has 10 for hands.",
                  CONFIG_SLOT(diffusion.mask_weight)),
            0, 1000),
        field("diffusion.snr_plus_one", "Min-SNR of SNR + 1", "",
              "For min_snr_gamma: weight by min(SNR + 1, gamma) / (SNR + 1) instead, as Animate Anyone does: "
              "the noisiest clips count fully.",
              CONFIG_SLOT(diffusion.snr_plus_one)),
        between(field("diffusion.noise_offset", "Noise offset", "",
                      "For v_prediction: the deviation of a number that is added to each channel of a clip's "
                      "noise, the same for all its frames, so that clips can become darker or brighter as a "
                      "whole; 0.05 is usual, 0 adds none.",
                      CONFIG_SLOT(diffusion.noise_offset)),
                0, 1),
        field("diffusion.stratified", "Stratified noise", "",
              "Spread the noise levels of a step evenly over its global batch: a steadier loss at no cost.",
              CONFIG_SLOT(diffusion.stratified)),
        between(field("diffusion.caption_drop", "Caption drop", "",
                      "Share of clips trained without their caption, which classifier-free guidance needs. "
                      "animate, mimic-motion: without their reference picture; svd: without their image; "
                      "unianimate: without caption and poses.",
                      CONFIG_SLOT(diffusion.caption_drop)),
                0, 1),
    };
}

}  // namespace dailies::config
