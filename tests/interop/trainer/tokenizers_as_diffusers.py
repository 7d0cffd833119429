"""Our tokenizers beside diffusers': the layers of Wan's VAE with the same random weights give the same, whole and in pieces,
and a VAE traced to TorchScript gives the same bits in dailies-train as in Python.

tokenizers_as_diffusers.py TOKENIZERS_TOOL
"""
import subprocess
import sys
import tempfile
from pathlib import Path

import torch
from diffusers import AutoencoderKLWan
from diffusers.models.autoencoders.autoencoder_kl_wan import WanAttentionBlock, WanCausalConv3d, WanResidualBlock
from safetensors.torch import load_file, save_file

tool = sys.argv[1]
folder = Path(tempfile.mkdtemp())
torch.manual_seed(0)
torch.set_grad_enabled(False)
failures = []


def ours(*words):
    subprocess.run([tool, *map(str, words)], check=True)
    return load_file(folder / "out.safetensors")


def check(what, error, limit):
    print(f"{what}: {error:.2e} (at most {limit:.0e})")
    if not error <= limit:
        failures.append(what)


def distance(a, b):
    return ((a - b).norm() / b.norm()).item()


def layers():
    peers = {
        "in": WanCausalConv3d(3, 8, 3, padding=1),
        "a": WanResidualBlock(8, 16),
        "attention": WanAttentionBlock(16),
        "b": WanResidualBlock(16, 16),
    }
    tensors = {"input": torch.randn(2, 3, 11, 12, 10)}
    for part, peer in peers.items():
        for name, weight in peer.named_parameters():
            weight.data = torch.randn_like(weight) * 0.1 + (1 if "gamma" in name else 0)
            mine = name.replace("conv_shortcut", "shortcut").replace(".gamma", ".gain").replace("to_qkv", "qkv").replace("proj", "out")
            value = weight.flatten() if "gamma" in name else weight.flatten(1) if part == "attention" and weight.ndim == 4 else weight
            tensors[f"{part}.{mine}"] = value.contiguous()
    save_file(tensors, folder / "in.safetensors")

    def run(piece, cache, index):
        def convolve(layer, x):  # as diffusers' encoder keeps the frames before
            if cache is None:
                return layer(x)
            before = cache[0]
            cache[0] = torch.cat([x if before is None else torch.cat([before, x], 2)], 2)[:, :, -2:].clone()
            return layer(x, before)

        x = convolve(peers["in"], piece)
        for part in ("a", "attention", "b"):
            x = peers[part](x) if part == "attention" or cache is None else peers[part](x, cache, index)
        return x

    clip = tensors["input"]
    whole = run(clip, None, None)
    cache, theirs = [None] * 5, []
    for piece in clip.split([1, 4, 2, 4], dim=2):
        theirs.append(run(piece, cache, [1]))
    out = ours("layers", folder / "in.safetensors", folder / "out.safetensors")
    check("layers, whole", distance(out["whole"], whole), 2e-6)
    check("layers, their pieces and ours", distance(out["pieces"], torch.cat(theirs, 2)), 2e-6)
    check("layers, our pieces and our whole", (out["pieces"] - out["whole"]).abs().max().item(), 0)


class Encoder(torch.nn.Module):
    def __init__(self, vae):
        super().__init__()
        self.vae = vae

    def forward(self, clips):
        return self.vae.encode(clips).latent_dist.mean


class Decoder(Encoder):
    def forward(self, latents):
        return self.vae.decode(latents).sample


def module():
    torch._C._jit_set_texpr_fuser_enabled(False)
    vae = AutoencoderKLWan(base_dim=8, z_dim=4, dim_mult=[1, 2, 2, 2], num_res_blocks=1, attn_scales=[], temperal_downsample=[False, True, True]).eval()
    clips = torch.rand(1, 3, 9, 32, 40) * 2 - 1
    encoder = torch.jit.trace(Encoder(vae), clips, check_trace=False)
    latents = encoder(clips)
    decoder = torch.jit.trace(Decoder(vae), latents, check_trace=False)
    encoder.save(folder / "encoder.jit")
    decoder.save(folder / "decoder.jit")
    save_file({"clips": clips.permute(0, 2, 3, 4, 1).contiguous()}, folder / "in.safetensors")
    out = ours("module", folder / "encoder.jit", folder / "decoder.jit", 4, 8, 4, folder / "in.safetensors", folder / "out.safetensors")
    back = decoder(latents)
    channels_last = (0, 2, 3, 4, 1)
    check("module, latents", (out["latents"] - latents.permute(channels_last)).abs().max().item(), 0)
    check("module, reconstruction", (out["reconstruction"] - back.permute(channels_last)).abs().max().item(), 0)


layers()
module()
sys.exit(f"not as diffusers: {', '.join(failures)}" if failures else 0)
