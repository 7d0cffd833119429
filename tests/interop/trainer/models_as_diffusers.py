"""Our models beside diffusers': the same random weights give the same output and gradients, the FLOP meter counts what
PyTorch's FlopCounterMode counts, and the published sizes have the same number of weights.

models_as_diffusers.py MODELS_TOOL
"""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import torch
from diffusers import CosmosTransformer3DModel, LTXVideoTransformer3DModel, WanTransformer3DModel
from safetensors.torch import load_file, save_file
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode

tool = sys.argv[1]
folder = Path(tempfile.mkdtemp())
torch.manual_seed(0)


def ours(verb, shape, *files):
    (folder / "shape.json").write_text(json.dumps(shape))
    printed = subprocess.run([tool, verb, folder / "shape.json", *files], check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(printed.stdout)


def distance(a, b):
    return ((a - b).norm() / b.norm()).item()


def compare(name, peer, shape, arguments, output_limit, gradient_limit):
    """`shape`: ours of the same model; `arguments`: what the peer's forward takes beside clips and text."""
    peer.zero_grad()
    for weight in peer.parameters():  # of which none is zero
        torch.nn.init.normal_(weight, std=0.5 / max(weight.shape[-1], 4) ** 0.5)
    for key, weight in peer.named_parameters():
        if "norm" in key and weight.ndim == 1 and key.endswith("weight"):
            weight.data += 1
    clips = torch.randn(2, shape["channels"], shape["frames"], shape["height"], shape["width"])
    times = torch.tensor([250.0, 811.0])
    seen, read, told = shape.get("image_width", 0), clips, {}
    if seen:  # mask and latents of the image behind the noisy latents, and what CLIP sees in it
        given = torch.randn(2, 4 + shape["channels"], *clips.shape[2:])
        last = shape["model"].get("conditioning") == "first_last"
        image = torch.randn(2, 514 if last else 257, seen)
        read = torch.cat([clips, given], dim=1)
        told = {"input.given": given.permute(0, 2, 3, 4, 1).contiguous(), "input.image": image}
        # the peer takes those of a clip's two images as of two clips
        arguments = {**arguments, "encoder_hidden_states_image": image.unflatten(1, (2, 257)).flatten(0, 1) if last else image}
    if shape["model"].get("family") == "unianimate":
        frames, height, width = 4 * clips.shape[2] - 3, 8 * clips.shape[3], 8 * clips.shape[4]
        poses, reference = torch.rand(2, 3, frames, height, width), torch.rand(2, 3, height, width)
        told["input.poses"] = poses.permute(0, 2, 3, 4, 1).contiguous()
        told["input.reference_pose"] = torch.cat([torch.ones_like(reference[:, :1]), reference], 1).permute(0, 2, 3, 1).contiguous()
        arguments = {**arguments, "poses": poses, "reference_pose": reference}
    levels = times
    if shape.get("in_place"):  # the first frame of the second clip, at no noise
        given = torch.zeros(2, 1 + shape["channels"], *clips.shape[2:])
        given[1, :, 0] = torch.randn(1 + shape["channels"], *clips.shape[3:])
        given[1, 0, 0] = 1
        told = {"input.given": given.permute(0, 2, 3, 4, 1).contiguous()}
        read = torch.where(given[:, :1] > 0, given[:, 1:], clips)
        stride = shape["model"]["patch_size"]
        levels = torch.where(given[:, 0, :, ::stride, ::stride] > 0, 0, times[:, None, None, None]).flatten(1)
    text = torch.randn(2, shape["text_tokens"], shape["text_width"])
    tokens_in = shape["model"].get("family") == "ltx"  # a peer of tokens, a step of time for each where frames are given
    if tokens_in:
        mask = torch.ones(2, shape["text_tokens"])
        mask[1, 3:] = 0
        told["input.mask"] = mask
        arguments = {**arguments, "encoder_attention_mask": mask, "num_frames": clips.shape[2], "height": clips.shape[3],
                     "width": clips.shape[4]}  # fmt: skip
        read = read.flatten(2).transpose(1, 2)

    with sdpa_kernel(SDPBackend.MATH):  # FlopCounterMode has no formula for the CPU's fused attention
        with FlopCounterMode(display=False) as forward:
            output = peer(hidden_states=read, timestep=levels, encoder_hidden_states=text, return_dict=False, **arguments)[0]
        if tokens_in:
            output = output.transpose(1, 2).unflatten(2, clips.shape[2:])
        gradient = torch.randn_like(output)
        with FlopCounterMode(display=False) as backward:
            output.backward(gradient)

    channels_last = (0, 2, 3, 4, 1)
    save_file(
        {
            **{key: value.detach().clone().contiguous() for key, value in peer.named_parameters()},
            "input.clips": clips.permute(channels_last).contiguous(),
            "input.times": times,
            "input.text": text,
            **told,
            "output.gradient": gradient.permute(channels_last).contiguous(),
        },
        folder / "in.safetensors",
    )
    counted = ours("run", shape, folder / "in.safetensors", folder / "out.safetensors")
    result = load_file(folder / "out.safetensors")

    assert counted["weights"] == sum(p.numel() for p in peer.parameters()), counted
    off = distance(result.pop("output").permute(0, 4, 1, 2, 3), output)
    gradients = {key: value.grad for key, value in peer.named_parameters()}
    assert result.keys() == gradients.keys(), result.keys() ^ gradients.keys()
    worst = max(gradients, key=lambda key: distance(result[key], gradients[key]))
    everything = distance(
        torch.cat([result[key].flatten() for key in gradients]), torch.cat([g.flatten() for g in gradients.values()])
    )
    print(f"{name}: output {off:.1e} (limit {output_limit:.0e}), gradients {everything:.1e} (limit {gradient_limit:.0e}); "
          f"worst {worst} {distance(result[worst], gradients[worst]):.1e}")
    assert off <= output_limit and everything <= gradient_limit
    assert distance(result[worst], gradients[worst]) <= 10 * gradient_limit

    if shape.get("in_place"):
        return  # they embed the level of every token anew
    theirs = forward.get_total_flops(), backward.get_total_flops()
    print(f"{name}: operations of 2 clips, theirs {theirs[0]:,} + {theirs[1]:,}, "
          f"ours {2 * counted['forward']:,} + {2 * counted['backward']:,}")
    assert theirs == (2 * counted["forward"], 2 * counted["backward"])


cosmos_shape = {
    "model": {"width": 96, "depth": 3, "heads": 2, "patch_frames": 1, "patch_size": 2, "activation": "gelu", "bias": False,
              "adaln": "lora", "adaln_rank": 16, "positions": "none", "rope_fps": 24, "rope_time_scale": 2,
              "time_scale": 1},
    "frames": 4, "height": 12, "width": 16, "channels": 4, "text_width": 40, "text_tokens": 7, "fps": 10,
}  # fmt: skip
cosmos = CosmosTransformer3DModel(
    in_channels=4, out_channels=4, num_attention_heads=2, attention_head_dim=48, num_layers=3, text_embed_dim=40,
    adaln_lora_dim=16, max_size=(8, 16, 16), patch_size=(1, 2, 2), rope_scale=(2.0, 1.0, 1.0), concat_padding_mask=False,
    extra_pos_embed_type=None,
)  # fmt: skip
for module in cosmos.modules():  # NVIDIA's own code norms queries and keys with 1e-6; diffusers takes its default of 1e-5
    if type(module).__name__ == "RMSNorm":
        module.eps = 1e-6
compare("Cosmos", cosmos, cosmos_shape, {"fps": 10}, 2e-6, 5e-6)

wan_shape = {
    "model": {"family": "wan", "width": 96, "depth": 3, "heads": 2, "patch_frames": 1, "patch_size": 2, "mlp_width": 250,
              "activation": "gelu-tanh", "time_scale": 1},
    "frames": 4, "height": 12, "width": 16, "channels": 4, "text_width": 40, "text_tokens": 7,
}  # fmt: skip
wan = WanTransformer3DModel(
    patch_size=(1, 2, 2), num_attention_heads=2, attention_head_dim=48, in_channels=4, out_channels=4, text_dim=40,
    freq_dim=256, ffn_dim=250, num_layers=3, cross_attn_norm=True,
)  # fmt: skip
compare("Wan", wan, wan_shape, {}, 3e-6, 5e-6)

compare("Wan with a frame in place", wan, {**wan_shape, "in_place": True}, {}, 3e-6, 5e-6)

# the peer takes what stands before the last 512 places for the image's
image_shape = {**wan_shape, "image_width": 20, "text_tokens": 512}
image_wan = WanTransformer3DModel(
    patch_size=(1, 2, 2), num_attention_heads=2, attention_head_dim=48, in_channels=12, out_channels=4, text_dim=40,
    freq_dim=256, ffn_dim=250, num_layers=3, cross_attn_norm=True, image_dim=20, added_kv_proj_dim=96,
)  # fmt: skip
compare("Wan image to video", image_wan, image_shape, {}, 5e-6, 5e-6)


ended_shape = {**image_shape, "model": {**wan_shape["model"], "conditioning": "first_last"}}
ended_wan = WanTransformer3DModel(
    patch_size=(1, 2, 2), num_attention_heads=2, attention_head_dim=48, in_channels=12, out_channels=4, text_dim=40,
    freq_dim=256, ffn_dim=250, num_layers=3, cross_attn_norm=True, image_dim=20, added_kv_proj_dim=96, pos_embed_seq_len=514,
)  # fmt: skip
compare("Wan first and last frame to video", ended_wan, ended_shape, {}, 5e-6, 5e-6)


def convolutions(kind, sizes):
    """Of `sizes`: (outputs, kernel, stride, padding) of each; SiLU between them."""
    layers, inputs = [], 3
    for outputs, kernel, stride, padding in sizes:
        layers += [kind(inputs, outputs, kernel, stride, padding), torch.nn.SiLU()]
        inputs = outputs
    return torch.nn.Sequential(*layers[:-1])


def with_poses(wan, channels, width):
    """UniAnimate-DiT's encoders of poses before a Wan that makes clips of images, as its pipeline has them."""
    whole, in_space, in_both = (16, 3, 1, 1), (16, 3, (1, 2, 2), 1), (16, 3, 2, 1)
    last = (width, (1, 2, 2), (1, 2, 2), 0)
    wan.dwpose_embedding = convolutions(torch.nn.Conv3d, [whole] * 3 + [in_space, in_both, in_both, last])
    wan.randomref_embedding_pose = convolutions(torch.nn.Conv2d, [whole] * 3 + [in_both, in_both, (channels + 4, 3, 2, 1)])

    def read(_, args, told):
        poses, reference, clips = told.pop("poses"), told.pop("reference_pose"), told["hidden_states"]
        wan.condition = wan.dwpose_embedding(torch.cat([poses[:, :, :1].repeat(1, 1, 3, 1, 1), poses], dim=2))
        image = clips[:, channels:] + wan.randomref_embedding_pose(reference).unsqueeze(2)
        return args, {**told, "hidden_states": torch.cat([clips[:, :channels], image], dim=1)}

    wan.register_forward_pre_hook(read, with_kwargs=True)
    wan.patch_embedding.register_forward_hook(lambda _, args, tokens: tokens + wan.condition)
    return wan


posed_shape = {**image_shape, "model": {**wan_shape["model"], "family": "unianimate"}, "latent_pixels": 8, "frames_per_latent": 4}
compare("UniAnimate", with_poses(image_wan, 4, 96), posed_shape, {}, 5e-6, 5e-6)

ltx_shape = {
    "model": {"family": "ltx", "width": 80, "depth": 3, "heads": 2, "patch_frames": 1, "patch_size": 1, "mlp_width": 320,
              "activation": "gelu-tanh", "time_scale": 1},
    "frames": 4, "height": 8, "width": 10, "channels": 6, "text_width": 40, "text_tokens": 7, "fps": 10,
    "latent_pixels": 32, "frames_per_latent": 8,
}  # fmt: skip
ltx = LTXVideoTransformer3DModel(
    in_channels=6, out_channels=6, num_attention_heads=2, attention_head_dim=40, cross_attention_dim=80, num_layers=3,
    caption_channels=40,
)  # fmt: skip
in_pixels = {"rope_interpolation_scale": (8 / 10, 32, 32)}
# the peer turns by angles of up to 15,000 in float32, ours in float64
compare("LTX-Video", ltx, ltx_shape, in_pixels, 1e-5, 5e-5)
compare("LTX-Video with a frame in place", ltx, {**ltx_shape, "in_place": True}, in_pixels, 1e-5, 5e-5)

# of 0.9.5 on: the first latent is the first frame of the clip
frames, rows, columns = torch.meshgrid(torch.arange(4.0), torch.arange(8.0), torch.arange(10.0), indexing="ij")
corners = torch.stack([(8 * frames - 7).clamp(min=0) / 10, 32 * rows, 32 * columns])
causal_shape = {**ltx_shape, "model": {**ltx_shape["model"], "causal_positions": True}}
compare("LTX-Video 0.9.5", ltx, causal_shape, {"video_coords": corners.flatten(1).expand(2, 3, -1)}, 1e-5, 5e-5)

# the published sizes, without memory
with torch.device("meta"):
    seven = CosmosTransformer3DModel(concat_padding_mask=False, extra_pos_embed_type=None)
    fourteen = WanTransformer3DModel()
    image_fourteen = WanTransformer3DModel(in_channels=36, image_dim=1280, added_kv_proj_dim=5120)
    two = LTXVideoTransformer3DModel()
    posed_fourteen = with_poses(WanTransformer3DModel(in_channels=36, image_dim=1280, added_kv_proj_dim=5120), 16, 5120)
full_cosmos = {**cosmos_shape, "channels": 16, "text_width": 1024, "text_tokens": 512}
full_cosmos["model"] = {**cosmos_shape["model"], "width": 4096, "depth": 28, "heads": 32, "adaln_rank": 256}
full_wan = {**wan_shape, "channels": 16, "text_width": 4096, "text_tokens": 512}
full_wan["model"] = {**wan_shape["model"], "width": 5120, "depth": 40, "heads": 40, "mlp_width": 13824}
full_ltx = {**ltx_shape, "channels": 128, "text_width": 4096, "text_tokens": 128}
full_ltx["model"] = {**ltx_shape["model"], "width": 2048, "depth": 28, "heads": 32, "mlp_width": 8192}
for name, peer, shape in (("Cosmos 7B", seven, full_cosmos), ("Wan 14B", fourteen, full_wan), ("LTX-Video 2B", two, full_ltx),
                          ("Wan image to video 14B", image_fourteen, {**full_wan, "image_width": 1280}),
                          ("UniAnimate 14B", posed_fourteen, {**posed_shape, **full_wan, "image_width": 1280,
                                                              "model": {**full_wan["model"], "family": "unianimate"}})):  # fmt: skip
    weights = ours("size", shape)["weights"]
    print(f"{name}: {weights:,} weights")
    assert weights == sum(p.numel() for p in peer.parameters())
