"""Our U-Net of Stable Video Diffusion beside diffusers' UNetSpatioTemporalConditionModel: the same random weights give the same
output and the same gradient of every weight, alone and with the pose of MimicMotion, whose PoseNet is written down here; and its
names and sizes are those of the published model.

video_unet_as_diffusers.py UNET_TOOL
"""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import torch
from diffusers import UNetSpatioTemporalConditionModel
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
    bounds = {key: 1e-3 if key.endswith(".mix_factor") else 1e-4 for key in theirs}
    errors = {key: distance(ours[key], weight.grad) for key, weight in theirs.items()}
    worst = max(theirs, key=lambda key: errors[key] / bounds[key])
    print(f"{name}: {len(theirs)} weights; output {off:.1e} (at most 2e-05), gradients {errors[worst]:.1e} (at most "
          f"{bounds[worst]:.0e}), the worst of {worst}")  # fmt: skip
    if not (off <= 2e-5 and errors[worst] <= bounds[worst]):
        failures.append(name)


compare("Stable Video Diffusion")
compare("of odd sides, with blocks computed again", sides=(7, 10), recompute=True)
compare("MimicMotion", pose_widths=(4, 6, 8, 10))
sys.exit(f"not as diffusers: {', '.join(failures)}" if failures else 0)
