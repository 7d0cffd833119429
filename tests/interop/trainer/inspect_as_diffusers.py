"""`dailies-train inspect` knows every name and shape that diffusers' and transformers' own models have at their published sizes, and reads what
torch.save writes without running it.

inspect_as_diffusers.py DAILIES_TRAIN
"""
import json
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

import torch
from diffusers import AutoencoderKL, AutoencoderKLWan, LTXVideoTransformer3DModel, MotionAdapter, UNet2DConditionModel, WanTransformer3DModel
from transformers import (
    CLIPConfig, CLIPModel, CLIPTextConfig, CLIPTextModel, CLIPVisionConfig, CLIPVisionModel, CLIPVisionModelWithProjection,
)  # fmt: skip

trainer = sys.argv[1]
folder = Path(tempfile.mkdtemp())


def inspect(path, status=0):
    run = subprocess.run([trainer, "inspect", path, "--json"], capture_output=True, text=True)
    assert run.returncode == status, run.stderr
    found = json.loads(run.stdout)
    assert len(found["parts"]) == 1, found
    return found["parts"][0]


def hollow(path, shapes):
    """A file with a true header and a hole for its numbers."""
    header, offset = {}, 0
    for name, shape in shapes.items():
        end = offset + 2 * torch.Size(shape).numel()
        header[name] = {"dtype": "BF16", "shape": list(shape), "data_offsets": [offset, end]}
        offset = end
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        file.truncate(8 + len(text) + offset)


def configured(model, config):
    return lambda **settings: model(config(**settings))


wan = dict(attention_head_dim=128, text_dim=4096, freq_dim=256, cross_attn_norm=True, qk_norm="rms_norm_across_heads")
large = dict(wan, num_attention_heads=40, ffn_dim=13824, num_layers=40, out_channels=16)
models = {
    "Wan 2.1 t2v 1.3B": (825, WanTransformer3DModel, dict(
        wan, num_attention_heads=12, ffn_dim=8960, num_layers=30, in_channels=16, out_channels=16)),
    "Wan 2.1 t2v 14B": (1095, WanTransformer3DModel, dict(large, in_channels=16)),
    "Wan 2.1 i2v 14B": (1303, WanTransformer3DModel, dict(large, in_channels=36, image_dim=1280, added_kv_proj_dim=5120)),
    "Wan 2.1 flf2v 14B": (1304, WanTransformer3DModel, dict(
        large, in_channels=36, image_dim=1280, added_kv_proj_dim=5120, pos_embed_seq_len=514)),
    "Wan 2.2 i2v A14B": (1095, WanTransformer3DModel, dict(large, in_channels=36)),
    "Wan 2.2 ti2v 5B": (825, WanTransformer3DModel, dict(
        wan, num_attention_heads=24, ffn_dim=14336, num_layers=30, in_channels=48, out_channels=48)),
    "Wan 2.1 VAE": (194, AutoencoderKLWan, {}),
    "Wan 2.2 VAE": (196, AutoencoderKLWan, dict(
        base_dim=160, decoder_base_dim=256, z_dim=48, in_channels=12, out_channels=12, patch_size=2, is_residual=True,
        temperal_downsample=[False, True, True], scale_factor_spatial=16, latents_mean=[0.0] * 48, latents_std=[1.0] * 48)),
    "Stable Diffusion VAE": (248, AutoencoderKL, dict(
        block_out_channels=[128, 256, 512, 512], layers_per_block=2, down_block_types=["DownEncoderBlock2D"] * 4,
        up_block_types=["UpDecoderBlock2D"] * 4)),
    "Stable Diffusion 1": (686, UNet2DConditionModel, dict(cross_attention_dim=768)),
    "AnimateDiff motion modules v1": (540, MotionAdapter, dict(use_motion_mid_block=False, motion_max_seq_length=24)),
    "AnimateDiff motion modules v2": (567, MotionAdapter, {}),
    "LTX-Video 2B": (715, LTXVideoTransformer3DModel, {}),
    "CLIP ViT-L/14 image encoder": (392, configured(CLIPVisionModelWithProjection, CLIPVisionConfig), dict(
        hidden_size=1024, intermediate_size=4096, num_hidden_layers=24, num_attention_heads=16, patch_size=14, projection_dim=768)),
    "CLIP ViT-H/14 image encoder": (519, configured(CLIPVisionModel, CLIPVisionConfig), dict(
        hidden_size=1280, intermediate_size=5120, num_hidden_layers=32, num_attention_heads=16, patch_size=14)),
    "CLIP ViT-L/14 text encoder": (196, configured(CLIPTextModel, CLIPTextConfig), dict(
        hidden_size=768, intermediate_size=3072, num_attention_heads=12)),
    "CLIP ViT-L/14": (590, configured(CLIPModel, CLIPConfig), dict(
        vision_config=dict(hidden_size=1024, intermediate_size=4096, num_hidden_layers=24, num_attention_heads=16, patch_size=14),
        text_config=dict(hidden_size=768, intermediate_size=3072, num_attention_heads=12), projection_dim=768)),
}
for name, (count, peer, config) in models.items():
    with torch.device("meta"):
        state = peer(**config).state_dict()
    assert len(state) == count, (name, len(state))
    hollow(folder / "model.safetensors", {key: value.shape for key, value in state.items()})
    found = inspect(folder / "model.safetensors")
    assert found["model"].startswith(name), (name, found["model"])
    assert found["tensors"] == count and found["checked"]
    assert found["parameters"] == sum(value.numel() for value in state.values())
    assert not found["missing"] and not found["unknown"] and not found["misshapen"], (name, found)
    print(f"{name}: {count} names and shapes")
(folder / "model.safetensors").unlink()

# what torch.save writes, plain and within a dictionary, of several types, with tensors that share a storage
base = torch.randn(6, 4)
saved = {"a.weight": base, "a.part": base[2:4], "b.weight": torch.randn(3, 5).to(torch.bfloat16), "n": torch.tensor(7),
         "half": torch.zeros(2, 2, dtype=torch.float16)}
for protocol, content in ((2, saved), (2, {"state_dict": saved, "epoch": 3}), (4, saved),
                          (2, torch.nn.Sequential(torch.nn.Linear(4, 6), torch.nn.BatchNorm1d(6)).state_dict())):
    torch.save(content, folder / "weights.pth", pickle_protocol=protocol)
    found = inspect(folder / "weights.pth")
    tensors = content.get("state_dict", content)
    assert found["tensors"] == len(tensors), found
    assert found["parameters"] == sum(value.numel() for value in tensors.values())
torch.save({"w": base.t()}, folder / "weights.pth")
assert "transposed" in inspect(folder / "weights.pth", 1)["files"][0]["problem"]


class Hostile:
    def __reduce__(self):
        return Path.touch, (folder / "ran",)


torch.save({"w": base, "x": Hostile()}, folder / "weights.pth")
problem = inspect(folder / "weights.pth", 1)["files"][0]["problem"]
assert "may run code" in problem and not (folder / "ran").exists(), problem
print("torch.save's archives are read, and one that would run code is refused")
