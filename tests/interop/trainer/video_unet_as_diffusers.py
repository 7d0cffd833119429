"""Our U-Net of Stable Video Diffusion beside diffusers' UNetSpatioTemporalConditionModel: the same random weights give the same
output and the same gradient of every weight, alone and with the pose of MimicMotion, whose PoseNet is written down here; and
models of the families mimic-motion and svd leave of noise what their programs leave of it, step by step.

video_unet_as_diffusers.py UNET_TOOL
"""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import torch
from diffusers import EulerDiscreteScheduler, UNetSpatioTemporalConditionModel
from safetensors.torch import load_file, save_file

tool = sys.argv[1]
folder = Path(tempfile.mkdtemp())
torch.manual_seed(0)
torch.set_num_threads(1)  # nets this small wait for threads longer than they compute
failures = []

SIZES = {"channels": [64, 64, 128], "blocks": 2, "context": 24, "head_width": 16, "groups": 32, "label_width": 8}
FRAMES = 3


def video_unet():
    return UNetSpatioTemporalConditionModel(
        in_channels=8, out_channels=4, block_out_channels=SIZES["channels"], layers_per_block=SIZES["blocks"],
        down_block_types=["CrossAttnDownBlockSpatioTemporal"] * 2 + ["DownBlockSpatioTemporal"],
        up_block_types=["UpBlockSpatioTemporal"] + ["CrossAttnUpBlockSpatioTemporal"] * 2,
        cross_attention_dim=SIZES["context"], num_attention_heads=[width // SIZES["head_width"] for width in SIZES["channels"]],
        addition_time_embed_dim=SIZES["label_width"], projection_class_embeddings_input_dim=3 * SIZES["label_width"],
    )  # fmt: skip


class PoseNet(torch.nn.Module):
    """Of MimicMotion (modules/pose_net.py)."""

    def __init__(self, widths, outputs):
        super().__init__()
        layers, width = [], 3
        for i, wider in enumerate(widths):
            last = i + 1 == len(widths)
            layers += [torch.nn.Conv2d(width, width, 3, padding=1), torch.nn.SiLU(),
                       torch.nn.Conv2d(width, wider, 3 if last else 4, 1 if last else 2, padding=1), torch.nn.SiLU()]  # fmt: skip
            width = wider
        self.conv_layers = torch.nn.Sequential(*layers)
        self.final_proj = torch.nn.Conv2d(width, outputs, 1)
        self.scale = torch.nn.Parameter(torch.ones(1) * 2)

    def forward(self, pictures):
        return self.final_proj(self.conv_layers(2 * pictures - 1)) * self.scale


def lively(model):
    """Defaults hide mistakes: zero projections, unit gains, equal shares."""
    for key, weight in model.named_parameters():
        torch.nn.init.normal_(weight, std=0.1 if weight.ndim == 1 else weight[0].numel() ** -0.5)
        if ("norm" in key and weight.ndim == 1 and key.endswith("weight")) or key == "scale":
            weight.data += 1
        weight.requires_grad_(True)
    return model


def largest(a, b):
    assert a.shape == b.shape, (a.shape, b.shape)
    return ((a - b).abs().max() / b.abs().max()).item()


def distance(a, b):
    return ((a - b).norm() / b.norm()).item()


def compare(name, sides=(8, 12), pose_widths=None, recompute=False):
    model = lively(video_unet())
    pose = lively(PoseNet(pose_widths, SIZES["channels"][0])) if pose_widths else None
    given = {
        "input.latents": torch.randn(2, 8, FRAMES, *sides), "input.times": torch.tensor([-1.2, 1.6]),
        "input.context": torch.randn(2, 5, SIZES["context"]), "input.labels": torch.tensor([[6.0, 127, 0.02], [23, 40, 0]]),
    }  # fmt: skip
    if pose:
        given["input.pose"] = torch.rand(2, 3, FRAMES, 8 * sides[0], 8 * sides[1])
        added = pose(given["input.pose"].transpose(1, 2).flatten(0, 1))
        model.conv_in.register_forward_hook(lambda module, x, out: out + added)
    output = model(given["input.latents"].transpose(1, 2), given["input.times"], given["input.context"],
                   given["input.labels"]).sample.transpose(1, 2)  # fmt: skip
    given["output.gradient"] = torch.randn(output.shape)
    output.backward(given["output.gradient"])

    theirs = {}
    for prefix, part in (("", model), ("pose.", pose)):
        theirs.update({prefix + key: weight for key, weight in (part.named_parameters() if part else ())})
    save_file({**given, **{key: weight.detach().clone().contiguous() for key, weight in theirs.items()}}, folder / "in.safetensors")
    sizes = {**SIZES, "pose_widths": pose_widths, "recompute": recompute}
    (folder / "sizes.json").write_text(json.dumps(sizes))
    subprocess.run([tool, folder / "sizes.json", folder / "in.safetensors", folder / "out.safetensors"], check=True)
    ours = load_file(folder / "out.safetensors")
    off = largest(ours.pop("output"), output.detach())
    assert ours.keys() == theirs.keys(), ours.keys() ^ theirs.keys()
    # the gradient of a share is one sum over all numbers, which nearly cancel
    bounds = {key: 5e-3 if key.endswith(".mix_factor") else 1e-4 for key in theirs}
    errors = {key: distance(ours[key], weight.grad) for key, weight in theirs.items()}
    worst = max(theirs, key=lambda key: errors[key] / bounds[key])
    print(f"{name}: {len(theirs)} weights; output {off:.1e} (at most 2e-05), gradients {errors[worst]:.1e} (at most "
          f"{bounds[worst]:.0e}), the worst of {worst}")  # fmt: skip
    if not (off <= 2e-5 and errors[worst] <= bounds[worst]):
        failures.append(name)


@torch.no_grad()
def compare_steps(family):
    """A model of the family, as MimicMotion's own program or Stable Video Diffusion's would run it: two steps of 25."""
    shape = {"family": family, "conditioning": "image" if family == "svd" else "none", "width": 64, "depth": 1, "heads": 4, "patch_frames": 1, "patch_size": 1, "time_scale": 1,
             "channels": 4, "latent_pixels": 8, "image_width": 24}  # fmt: skip
    widths = [64, 128, 256, 256]
    unet = UNetSpatioTemporalConditionModel(
        in_channels=8, out_channels=4, block_out_channels=widths, layers_per_block=1, cross_attention_dim=24,
        num_attention_heads=[width // 16 for width in widths],
    )  # fmt: skip
    # groups of norms: gcd(64 / 4, 32), which diffusers cannot be told
    for module in unet.modules():
        if isinstance(module, torch.nn.GroupNorm):
            module.num_groups = 16
    unet, pose = lively(unet), lively(PoseNet([8, 8, 16, 32], 64))
    scheduler = EulerDiscreteScheduler(
        beta_start=0.00085, beta_end=0.012, beta_schedule="scaled_linear", prediction_type="v_prediction", sigma_min=0.002,
        sigma_max=700.0, use_karras_sigmas=True, timestep_spacing="leading", timestep_type="continuous",
    )  # fmt: skip
    scheduler.set_timesteps(25)
    scale = 0.18215
    picture, embedding = torch.randn(1, 4, 8, 12), torch.randn(1, 1, 24)  # latents as the model's scale has them
    drawn = torch.rand(1, 3, FRAMES, 64, 96)
    fps = 25
    weights = {f"unet.{key}": value for key, value in unet.named_parameters()}
    if family == "mimic-motion":
        fps = 7  # whatever the clip's
        weights |= {f"pose_net.{key}": value for key, value in pose.named_parameters()}
        added = pose(drawn.transpose(1, 2).flatten(0, 1))
        unet.conv_in.register_forward_hook(lambda module, x, out: out + added)
    labels = torch.tensor([[fps - 1.0, 127, 0]])
    worst = 0
    for i in (4, 20):
        time, sigma = scheduler.timesteps[i], scheduler.sigmas[i]
        scheduler._step_index = i
        noised = torch.randn(1, FRAMES, 4, 8, 12) * (1 + sigma)
        latents = torch.cat([scheduler.scale_model_input(noised, time), (picture / scale)[:, None].expand_as(noised)], 2)
        made = unet(latents, time, embedding, labels).sample
        theirs = scheduler.step(made, time, noised).pred_original_sample
        given = {
            "input.noised": noised.permute(0, 1, 3, 4, 2), "input.sigma": sigma[None].float(), "input.embedding": embedding,
            "input.picture": picture.permute(0, 2, 3, 1), "input.pose": drawn.permute(0, 2, 3, 4, 1),
        }  # fmt: skip
        save_file({key: value.detach().clone().contiguous() for key, value in {**given, **weights}.items()}, folder / "in.safetensors")
        (folder / "sizes.json").write_text(json.dumps({"shape": shape, "fps": 25, "sigma_max": 700.0, "steps": 25}))
        subprocess.run([tool, folder / "sizes.json", folder / "in.safetensors", folder / "out.safetensors"], check=True)
        ours = load_file(folder / "out.safetensors")
        worst = max(worst, largest(ours["output"].permute(0, 1, 4, 2, 3), theirs))
        worst = max(worst, largest(ours["grid"][:-1], scheduler.sigmas[:-1]))
    print(f"steps of {family}: denoised clips and levels {worst:.1e} (at most 2e-05)")
    if worst > 2e-5:
        failures.append(f"steps of {family}")


compare_steps("mimic-motion")
compare_steps("svd")
compare("Stable Video Diffusion")
compare("of odd sides, with blocks computed again", sides=(7, 10), recompute=True)
compare("MimicMotion", pose_widths=(4, 6, 8, 10))
sys.exit(f"not as diffusers: {', '.join(failures)}" if failures else 0)
