"""Our U-Net of Stable Diffusion beside diffusers': the same random weights give the same output and the same gradient of every
weight, as a net for pictures (UNet2DConditionModel) and with motion modules (UNetMotionModel); with the reference and the pose of
Animate Anyone and the guidance encoders of Champ, which diffusers has not, beside its nets with hooks that add them; and its
names are those of the published sizes.

unet_as_diffusers.py UNET_TOOL
"""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import torch
from diffusers import MotionAdapter, Transformer2DModel, UNet2DConditionModel, UNetMotionModel
from diffusers.models.controlnets.controlnet import ControlNetConditioningEmbedding
from diffusers.models.unets.unet_motion_model import AnimateDiffTransformer3D
from safetensors.torch import load_file, save_file

tool = sys.argv[1]
folder = Path(tempfile.mkdtemp())
torch.manual_seed(0)
torch.set_num_threads(1)  # nets this small wait for threads longer than they compute
failures = []

SIZES = {"channels": [16, 32, 32], "blocks": 2, "context": 24, "heads": 4, "groups": 8}
FRAMES = 3


def plain_unet():
    return UNet2DConditionModel(
        sample_size=16, in_channels=4, out_channels=4, block_out_channels=SIZES["channels"], layers_per_block=SIZES["blocks"],
        down_block_types=["CrossAttnDownBlock2D", "CrossAttnDownBlock2D", "DownBlock2D"],
        up_block_types=["UpBlock2D", "CrossAttnUpBlock2D", "CrossAttnUpBlock2D"],
        cross_attention_dim=SIZES["context"], attention_head_dim=SIZES["heads"], norm_num_groups=SIZES["groups"],
    )  # fmt: skip


def moving_unet(middle, places):
    adapter = MotionAdapter(
        block_out_channels=SIZES["channels"], motion_layers_per_block=SIZES["blocks"], motion_num_attention_heads=SIZES["heads"],
        motion_norm_num_groups=SIZES["groups"], motion_max_seq_length=places, use_motion_mid_block=middle,
    )  # fmt: skip
    return UNetMotionModel.from_unet2d(plain_unet(), adapter)


def norming_each_frame(model):
    """As AnimateDiff and Animate Anyone norm before their motion modules; diffusers' statistics run over all frames of a clip."""
    for module in model.modules():
        if isinstance(module, AnimateDiffTransformer3D):
            def of_frames(clips, norm=module.norm.forward):
                return norm(clips.transpose(1, 2).flatten(0, 1)).unflatten(0, (clips.shape[0], clips.shape[2])).transpose(1, 2)

            module.norm.forward = of_frames
    return model


def lively(model):
    """Defaults hide mistakes: zero projections, unit gains."""
    for key, weight in model.named_parameters():
        torch.nn.init.normal_(weight, std=0.1 if weight.ndim == 1 else weight[0].numel() ** -0.5)
        if "norm" in key and weight.ndim == 1 and key.endswith("weight"):
            weight.data += 1
        weight.requires_grad_(True)
    return model


def transformers_of(model):
    return {
        f"{block}.attentions.{i}": attention.transformer_blocks[0]
        for block, module in [*((f"down_blocks.{i}", b) for i, b in enumerate(model.down_blocks)), ("mid_block", model.mid_block),
                              *((f"up_blocks.{i}", b) for i, b in enumerate(model.up_blocks))]
        for i, attention in enumerate(getattr(module, "attentions", None) or [])
    }  # fmt: skip


def tokens_of(net, latents, context):
    """What self-attention of each transformer is given."""
    bank, hooks = {}, []
    for name, block in transformers_of(net).items():
        hooks.append(block.norm1.register_forward_hook(lambda module, given, out, name=name: bank.update({name: out})))
    net(latents, torch.zeros(len(latents)), context)
    for hook in hooks:
        hook.remove()
    return bank


def read_bank(net, bank, frames):
    for name, block in transformers_of(net).items():
        def beside(module, given, named, name=name):
            own = given[0]
            return given, {**named, "encoder_hidden_states": torch.cat([own, bank[name].repeat_interleave(frames, 0)], 1)}

        block.attn1.register_forward_pre_hook(beside, with_kwargs=True)


def largest(a, b):
    assert a.shape == b.shape, (a.shape, b.shape)
    return ((a - b).abs().max() / b.abs().max()).item()


def distance(a, b):
    return ((a - b).norm() / b.norm()).item()


def compare(name, model, sizes, frames, sides=(8, 12), reference=None, pose=None):
    moves = isinstance(model, UNetMotionModel)
    latents, times = torch.randn(2, 4, frames, *sides), torch.tensor([250.0, 811.0])
    context = torch.randn(2, 5, SIZES["context"])
    given = {"input.latents": latents, "input.times": times, "input.context": context}
    if reference:
        given["input.reference"] = torch.randn(2, 4, 1, *sides)
        read_bank(model, tokens_of(reference, given["input.reference"][:, :, 0], context), frames)
    if pose:
        given["input.pose"] = torch.rand(2, 3, frames, 8 * sides[0], 8 * sides[1])
        added = pose(given["input.pose"].transpose(1, 2).flatten(0, 1))
        model.conv_in.register_forward_hook(lambda module, x, out: out + added)
    if moves:
        output = model(latents, times, context.repeat_interleave(frames, 0)).sample
    else:
        pictures = latents.transpose(1, 2).flatten(0, 1)
        output = model(pictures, times.repeat_interleave(frames), context.repeat_interleave(frames, 0)).sample
        output = output.unflatten(0, (2, frames)).transpose(1, 2)
    given["output.gradient"] = torch.randn(output.shape)
    output.backward(given["output.gradient"])

    theirs = {}
    for prefix, part in (("", model), ("reference.", reference), ("pose.", pose)):
        theirs.update({prefix + key: weight for key, weight in (part.named_parameters() if part else ())})
    save_file({**given, **{key: weight.detach().clone().contiguous() for key, weight in theirs.items()}}, folder / "in.safetensors")
    (folder / "sizes.json").write_text(json.dumps(sizes))
    subprocess.run([tool, folder / "sizes.json", folder / "in.safetensors", folder / "out.safetensors"], check=True)
    ours = load_file(folder / "out.safetensors")
    off = largest(ours.pop("output"), output.detach())
    assert ours.keys() == theirs.keys(), ours.keys() ^ theirs.keys()
    zero = {key for key, weight in theirs.items() if weight.grad is None or not weight.grad.any()}
    assert zero == {key for key, gradient in ours.items() if not gradient.any()}, zero
    worst = max(theirs.keys() - zero, key=lambda key: distance(ours[key], theirs[key].grad))
    error = distance(ours[worst], theirs[worst].grad)
    print(f"{name}: {len(theirs)} weights, {len(zero)} without a gradient on both sides; output {off:.1e} (at most 2e-05), "
          f"gradients {error:.1e} (at most 1e-04), the worst of {worst}")  # fmt: skip
    if not (off <= 2e-5 and error <= 1e-4):
        failures.append(name)


class GuidanceEncoder(torch.nn.Module):
    """Of Champ (models/guidance_encoder.py): the same convolutions with a transformer before the last."""

    def __init__(self, widths, groups):
        super().__init__()
        stack = ControlNetConditioningEmbedding(SIZES["channels"][0], 3, widths)
        self.conv_in, self.blocks, self.conv_out = stack.conv_in, stack.blocks, stack.conv_out
        self.attention = Transformer2DModel(
            num_attention_heads=8, attention_head_dim=widths[-1] // 8, in_channels=widths[-1], norm_num_groups=groups,
            activation_fn="geglu",
        )  # fmt: skip

    def forward(self, pictures):
        x = torch.nn.functional.silu(self.conv_in(pictures))
        for block in self.blocks:
            x = torch.nn.functional.silu(block(x))
        return self.conv_out(self.attention(x).sample)


def guider(widths):
    return lively(ControlNetConditioningEmbedding(SIZES["channels"][0], 3, widths))


compare("U-Net", lively(plain_unet()), SIZES, FRAMES)
compare("U-Net of odd sides", lively(plain_unet()), SIZES, 1, sides=(7, 10))
for version, middle, places in (("v1", False, 24), ("v2", True, 32)):
    sizes = {**SIZES, "motion_places": places, "motion_middle": middle, "norms_across_frames": True}
    compare(f"with motion modules {version}", lively(moving_unet(middle, places)), sizes, FRAMES)
sizes = {**SIZES, "motion_places": 32, "motion_middle": True}
compare("with motion modules that norm each frame", norming_each_frame(lively(moving_unet(True, 32))), sizes, FRAMES)
compare("with a reference", lively(plain_unet()), SIZES, FRAMES, reference=lively(plain_unet()))
widths = (4, 6, 8, 10)
compare("with a pose", lively(plain_unet()), {**SIZES, "pose_widths": widths}, FRAMES, pose=guider(widths))
sizes = {**SIZES, "motion_places": 32, "motion_middle": True, "norms_across_frames": True, "pose_widths": widths}
compare("Animate Anyone", lively(moving_unet(True, 32)), sizes, FRAMES, reference=lively(plain_unet()), pose=guider(widths))
widths = (8, 8, 16, 32)
sizes = {**SIZES, "pose_widths": widths, "pose_groups": 4}
compare("a guidance encoder of Champ", lively(plain_unet()), sizes, FRAMES, pose=lively(GuidanceEncoder(widths, 4)))
sys.exit(f"not as diffusers: {', '.join(failures)}" if failures else 0)
