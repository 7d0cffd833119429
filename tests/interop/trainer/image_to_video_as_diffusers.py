"""Wan's image to video beside diffusers' WanImageToVideoPipeline, with random weights: mask and latents of an image are what the
pipeline makes of it, and its tokens what its image encoder gives for a picture that is prepared as Wan's own program does it.

Then a run begins with that model and trains an adapter on every layer that may have one, those that read the image among
them: diffusers loads what it exports, and base and adapter give what the merged model gives.

image_to_video_as_diffusers.py IMAGE_TOOL DAILIES_TRAIN
"""
import copy
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import torch
from diffusers import AutoencoderKLWan, FlowMatchEulerDiscreteScheduler, WanImageToVideoPipeline, WanTransformer3DModel
from safetensors.torch import load_file, save_file
from small_t5 import random_encoder, train_tokenizer
from small_wan import PLACES, SIZES, distance, random_wan
from transformers import CLIPImageProcessorPil, CLIPVisionConfig, CLIPVisionModelWithProjection

image_tool, trainer = sys.argv[1:3]
folder = Path(tempfile.mkdtemp())
torch.manual_seed(0)
CHANNELS, SEEN, FRAMES, HEIGHT, WIDTH = 16, 48, 9, 64, 96


def lively(module):
    """Defaults hide mistakes: zero biases, unit gains."""
    for key, weight in module.named_parameters():
        gain = weight.ndim == 1 and key.endswith("weight") and "norm" in key or "gamma" in key
        torch.nn.init.normal_(weight, std=0.1 if weight.ndim == 1 or "gamma" in key else weight[0].numel() ** -0.5)
        if gain:
            weight.data += 1
    return module.eval()


model = folder / "model"
(model / "tokenizer").mkdir(parents=True)
pieces = train_tokenizer(model / "tokenizer/spiece.model").get_piece_size()
random_encoder("umt5", pieces + 40, width=SIZES["text_dim"]).save_pretrained(model / "text_encoder")
vae = lively(AutoencoderKLWan(base_dim=8, z_dim=CHANNELS))
vae.save_pretrained(model / "vae")
clip = lively(CLIPVisionModelWithProjection(CLIPVisionConfig(hidden_size=SEEN, num_hidden_layers=3, num_attention_heads=4, intermediate_size=64,
                                                             projection_dim=24, image_size=224, patch_size=14, hidden_act="gelu")))  # fmt: skip
clip.save_pretrained(model / "image_encoder")
base = random_wan(in_channels=2 * CHANNELS + 4, image_dim=SEEN, added_kv_proj_dim=64)
base.save_pretrained(model / "transformer")
pipeline = WanImageToVideoPipeline(tokenizer=None, text_encoder=None, vae=vae, scheduler=FlowMatchEulerDiscreteScheduler(), transformer=base,
                                   image_encoder=clip, image_processor=CLIPImageProcessorPil())  # fmt: skip

groups = {
    "model": {"family": "wan", "width": 64, "depth": 2, "heads": 2, "patch_frames": 1, "patch_size": 2, "mlp_width": 96,
              "activation": "gelu-tanh", "time_scale": 1000, "rope_fps": 0, "text_places": PLACES, "conditioning": "image",
              "image_encoder": str(model / "image_encoder")},
    "tokenizer": {"kind": "wan_vae", "weights": str(model / "vae")},
    "data": {"frames": FRAMES, "height": HEIGHT, "width": WIDTH, "batch_size": 2},
    "text": {"encoder": "t5", "weights": str(model), "width": SIZES["text_dim"]},
}  # fmt: skip

# what the model is told of an image
picture = torch.randint(0, 256, (HEIGHT, WIDTH, 3), dtype=torch.uint8)
(folder / "config.json").write_text(json.dumps(groups))
save_file({"picture": picture.float(), "frames": torch.tensor([float(FRAMES)])}, folder / "in.safetensors")
subprocess.run([image_tool, folder / "config.json", folder / "in.safetensors", folder / "out.safetensors"], check=True)
told = load_file(folder / "out.safetensors")
with torch.no_grad():
    planes = picture.permute(2, 0, 1)[None] / 127.5 - 1
    _, given = pipeline.prepare_latents(planes, 1, CHANNELS, HEIGHT, WIDTH, FRAMES, torch.float32, torch.device("cpu"))
    squeezed = torch.nn.functional.interpolate(planes, size=(224, 224), mode="bicubic", align_corners=False) * 0.5 + 0.5
    mean, deviation = (torch.tensor(getattr(CLIPImageProcessorPil(), each)).view(3, 1, 1) for each in ("image_mean", "image_std"))
    tokens = clip(pixel_values=(squeezed - mean) / deviation, output_hidden_states=True).hidden_states[-2]
expected = given[0].permute(1, 2, 3, 0)
assert torch.equal(told["given"][..., :4], expected[..., :4]), "the mask"
print(f"an image: latents {distance(told['given'][..., 4:], expected[..., 4:]):.1e} apart, tokens {distance(told['tokens'], tokens[0]):.1e}")
assert expected[1:, ..., 4:].std() > 0.01, "grey frames whose latents are all equal prove nothing"
assert distance(told["given"][..., 4:], expected[..., 4:]) <= 2e-5 and distance(told["tokens"], tokens[0]) <= 2e-5

# and of first and last image
ended = {**groups, "model": {**groups["model"], "conditioning": "first_last"}}
last = torch.randint(0, 256, (HEIGHT, WIDTH, 3), dtype=torch.uint8)
(folder / "ended.json").write_text(json.dumps(ended))
save_file({"picture": picture.float(), "last": last.float(), "frames": torch.tensor([float(FRAMES)])}, folder / "in.safetensors")
subprocess.run([image_tool, folder / "ended.json", folder / "in.safetensors", folder / "out.safetensors"], check=True)
both = load_file(folder / "out.safetensors")
with torch.no_grad():
    ends = torch.stack([picture, last]).permute(0, 3, 1, 2) / 127.5 - 1
    _, between = pipeline.prepare_latents(ends[:1], 1, CHANNELS, HEIGHT, WIDTH, FRAMES, torch.float32, torch.device("cpu"), last_image=ends[1:])
    squeezed = torch.nn.functional.interpolate(ends, size=(224, 224), mode="bicubic", align_corners=False) * 0.5 + 0.5
    seen = clip(pixel_values=(squeezed - mean) / deviation, output_hidden_states=True).hidden_states[-2]
expected = between[0].permute(1, 2, 3, 0)
assert torch.equal(both["given"][..., :4], expected[..., :4]), "the mask of both"
assert both["given"][-1, ..., 3].min() == 1 and both["given"][-1, ..., :3].max() == 0, "the last frame of the last latent"
print(f"two images: latents {distance(both['given'][..., 4:], expected[..., 4:]):.1e} apart, tokens {distance(both['tokens'], seen.flatten(0, 1)):.1e}")
assert distance(both["given"][..., 4:], expected[..., 4:]) <= 2e-5 and distance(both["tokens"], seen.flatten(0, 1)) <= 2e-5

# an adapter
config = {
    **groups, "model": {**groups["model"], "init": str(model / "transformer")}, "steps": 20, "diffusion": {"prediction": "velocity"},
    "optimizer": {"lr": 0.01}, "lora": {"rank": 3, "alpha": 6}, "sampling": {"adherence_clips": 1, "steps": 2}, "runtime": {"device": "cpu"},
}  # fmt: skip
run = folder / "run"
run.mkdir()
(run / "config.json").write_text(json.dumps(config))
ended = subprocess.run([trainer, "train", "--config", run / "config.json"], capture_output=True, text=True)
assert ended.returncode == 0, ended.stderr


def export(name, *words):
    subprocess.run([trainer, "export", run / "checkpoints/step-000000020", folder / name, *words], check=True, capture_output=True)
    return folder / name


def output_of(transformer):
    torch.manual_seed(1)
    kind = transformer.dtype
    noisy = torch.randn(1, CHANNELS, *given.shape[2:])
    with torch.no_grad():
        return transformer(hidden_states=torch.cat([noisy, given], dim=1).to(kind), timestep=torch.tensor([600.0], dtype=kind),
                           encoder_hidden_states=torch.randn(1, PLACES, SIZES["text_dim"]).to(kind),
                           encoder_hidden_states_image=tokens.to(kind), return_dict=False)[0]  # fmt: skip


merged = WanTransformer3DModel.from_pretrained(export("merged", "--merged", "--format", "diffusers"))
expected, plain = output_of(merged.double()), output_of(copy.deepcopy(base).double())
changed = {key for key, weight in merged.state_dict().items() if distance(weight, base.state_dict()[key].double()) > 1e-6}
assert any("add_k_proj" in key for key in changed) and any("add_v_proj" in key for key in changed), sorted(changed)
for file in (export("adapter.safetensors"), export("adapter", "--format", "diffusers") / "pytorch_lora_weights.safetensors"):
    tensors, metadata = WanImageToVideoPipeline.lora_state_dict(str(file), return_lora_metadata=True)
    assert sum("add_" in key for key in tensors) == 2 * 2 * 2, "two layers, keys and values, A and B"
    peer = copy.deepcopy(base)
    WanImageToVideoPipeline.load_lora_into_transformer(tensors, transformer=peer, metadata=metadata)
    loaded = output_of(peer.double())
    print(f"{file.name}: base and adapter {distance(loaded, expected):.1e} from the merged model, which is {distance(plain, expected):.2f} from the base")
    assert distance(loaded, expected) <= 1e-6 and distance(plain, expected) > 1e-3
