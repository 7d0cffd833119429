"""Our tokenizers beside diffusers': the layers of Wan's VAE with the same random weights give the same, whole and in pieces,
and a VAE traced to TorchScript gives the same bits in dailies-train as in Python.
And Wan's VAEs of 2.1 and 2.2 with random weights, by diffusers' and the original names, encode and decode as AutoencoderKLWan does:
all at once, in pieces of other lengths than its own, and as a tokenizer. So do LTX-Video's of 0.9.0, 0.9.1 and 0.9.5 as AutoencoderKLLTXVideo, Stable Video Diffusion's as AutoencoderKLTemporalDecoder, and Stable Diffusion's as AutoencoderKL, picture by
picture, by diffusers' names of today and before, and by the original ones.

tokenizers_as_diffusers.py TOKENIZERS_TOOL
"""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import torch
from diffusers import AutoencoderKL, AutoencoderKLLTXVideo, AutoencoderKLTemporalDecoder, AutoencoderKLWan
from diffusers.models.autoencoders.autoencoder_kl_wan import WanAttentionBlock, WanCausalConv3d, WanResidualBlock, WanUpsample
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


def largest(a, b):
    assert a.shape == b.shape, (a.shape, b.shape)
    return ((a - b).abs().max() / b.abs().max()).item()


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


RENAMED = [  # scripts/convert_wan_to_diffusers.py of diffusers, the other way
    (r"\.norm1\.gamma", ".residual.0.gamma"),
    (r"\.conv1\.", ".residual.2."),
    (r"\.norm2\.gamma", ".residual.3.gamma"),
    (r"\.conv2\.", ".residual.6."),
    (r"\.conv_shortcut\.", ".shortcut."),
    (r"\.conv_in\.", ".conv1."),
    (r"\.norm_out\.", ".head.0."),
    (r"\.conv_out\.", ".head.2."),
    (r"\.mid_block\.resnets\.0", ".middle.0"),
    (r"\.mid_block\.attentions\.0", ".middle.1"),
    (r"\.mid_block\.resnets\.1", ".middle.2"),
    (r"^quant_conv", "conv1"),
    (r"^post_quant_conv", "conv2"),
]


def original(key, residual):
    for pattern, name in RENAMED:
        key = re.sub(pattern, name, key)
    if residual:
        key = re.sub(r"down_blocks\.(\d)\.resnets", r"downsamples.\1.downsamples", key)
        key = re.sub(r"down_blocks\.(\d)\.downsampler", r"downsamples.\1.downsamples.2", key)
        key = re.sub(r"up_blocks\.(\d)\.resnets", r"upsamples.\1.upsamples", key)
        return re.sub(r"up_blocks\.(\d)\.upsampler", r"upsamples.\1.upsamples.3", key)
    key = key.replace("down_blocks", "downsamples")
    key = re.sub(r"up_blocks\.(\d)\.resnets\.(\d)", lambda m: f"upsamples.{4 * int(m[1]) + int(m[2])}", key)
    return re.sub(r"up_blocks\.(\d)\.upsamplers\.0", lambda m: f"upsamples.{4 * int(m[1]) + 3}", key)


def wan_vae():
    # theirs rounds to float32 before it repeats pixels, which float64 need not
    WanUpsample.forward = torch.nn.Upsample.forward
    for name, sizes, side in (
        ("2.1", dict(base_dim=8, z_dim=4), 8),
        ("2.2", dict(base_dim=8, decoder_base_dim=12, z_dim=6, is_residual=True, in_channels=12, out_channels=12, patch_size=2, scale_factor_spatial=16), 16),
    ):
        vae = AutoencoderKLWan(**sizes, latents_mean=[0.0] * sizes["z_dim"], latents_std=[1.0] * sizes["z_dim"]).eval()
        for key, weight in vae.named_parameters():  # defaults hide mistakes: zero biases, unit gains
            torch.nn.init.normal_(weight, std=0.1 if "gamma" in key or weight.ndim == 1 else weight[0].numel() ** -0.5)
            if "gamma" in key:
                weight.data += 1
        state = {key: value.clone().contiguous() for key, value in vae.state_dict().items()}
        assert len(state) == {"2.1": 194, "2.2": 196}[name], len(state)
        spellings = {"diffusers": folder / name / "diffusers", "original": folder / name / "vae.safetensors",
                     "torch.save": folder / name / "vae.pth"}  # fmt: skip
        vae.save_pretrained(spellings["diffusers"])
        published = {original(key, name == "2.2"): value for key, value in state.items()}
        save_file(published, spellings["original"])
        torch.save(published, spellings["torch.save"])
        clips = torch.rand(2, 3, 13, 3 * side, 4 * side) * 2 - 1
        save_file({"clips": clips}, folder / "in.safetensors")
        narrow_latents = vae.encode(clips).latent_dist.mean
        narrow_back = vae.decode(narrow_latents).sample
        vae = vae.double()
        latents = vae.encode(clips.double()).latent_dist.mean
        back = vae.decode(latents).sample
        inside = (back.abs() < 1).double().mean().item()
        assert 0.5 < inside, f"{name}: {1 - inside:.0%} of the values are clamped, which compares nothing"
        for spelling, path in spellings.items():
            out = ours("wan_vae", path, folder / "in.safetensors", folder / "out.safetensors")
            out = {key: value.view(torch.float64) if value.dtype == torch.int64 else value for key, value in out.items()}
            what = f"Wan VAE {name}, {spelling}"
            check(f"{what}: latents in float64", largest(out["latents"], latents), 1e-12)
            check(f"{what}: clips in float64", largest(out["back"], back), 1e-12)
            check(f"{what}: latents in pieces of 3 frames", largest(out["latents_pieces"], latents), 1e-12)
            check(f"{what}: clips in pieces of 1 latent frame", largest(out["back_pieces"], back), 1e-12)
            check(f"{what}: pieces and whole", max(largest(out["latents_pieces"], out["latents"]), largest(out["back_pieces"], out["back"])), 1e-12)
            check(f"{what}: the tokenizer's latents", largest(out["tokenizer_latents"], narrow_latents), 2e-5)
            check(f"{what}: the tokenizer's clips", largest(out["tokenizer_back"], narrow_back), 2e-5)


DECODER_090 = ["mid_block", "up_blocks.0", "up_blocks.1.upsamplers.0", "up_blocks.1", "up_blocks.2.conv_in",
               "up_blocks.2.upsamplers.0", "up_blocks.2", "up_blocks.3.conv_in", "up_blocks.3.upsamplers.0", "up_blocks.3"]  # fmt: skip
DECODER_091 = ["mid_block"] + [f"up_blocks.{i}{step}" for i in range(3) for step in (".upsamplers.0", "")]
ENCODER_090 = ["down_blocks.0", "down_blocks.0.downsamplers.0", "down_blocks.0.conv_out", "down_blocks.1",
               "down_blocks.1.downsamplers.0", "down_blocks.1.conv_out", "down_blocks.2", "down_blocks.2.downsamplers.0",
               "down_blocks.3", "mid_block"]  # fmt: skip
ENCODER_095 = [f"down_blocks.{i}{step}" for i in range(4) for step in ("", ".downsamplers.0")] + ["mid_block"]
OF_09 = dict(  # decoders of 0.9.1 on
    decoder_block_out_channels=(16, 32, 64), decoder_spatio_temporal_scaling=(True,) * 3, upsample_residual=(True,) * 3,
    upsample_factor=(2, 2, 2), timestep_conditioning=True, decoder_layers_per_block=(1, 2, 1, 2),
)  # fmt: skip
LTX_VAES = {
    "0.9.0": (dict(block_out_channels=(8, 12, 16, 16), decoder_block_out_channels=(8, 12, 16, 16),
                   layers_per_block=(2, 1, 1, 1, 2), decoder_layers_per_block=(2, 1, 1, 1, 2)), ENCODER_090, DECODER_090),
    "0.9.1": (dict(block_out_channels=(8, 12, 16, 16), layers_per_block=(2, 1, 1, 1, 2), **OF_09,
                   decoder_inject_noise=(False, True, True, True)), ENCODER_090, DECODER_091),
    "0.9.5": (dict(block_out_channels=(8, 16, 32, 64, 64), down_block_types=("LTXVideo095DownBlock3D",) * 4, **OF_09,
                   layers_per_block=(1, 2, 1, 1, 1), spatio_temporal_scaling=(True,) * 4, decoder_inject_noise=(False,) * 4,
                   downsample_type=("spatial", "temporal", "spatiotemporal", "spatiotemporal"),
                   spatial_compression_ratio=32, temporal_compression_ratio=8), ENCODER_095, DECODER_091),
}  # fmt: skip


def of_lightricks(key, encoder, decoder):
    """The name in a file of Lightricks', which numbers blocks and steps through."""
    if key in ("latents_mean", "latents_std"):
        return f"per_channel_statistics.{key[8:]}-of-means"
    half, rest = key.split(".", 1)
    numbered = encoder if half == "encoder" else decoder
    place = max((each for each in numbered if rest.startswith(each + ".")), key=len, default=None)
    if place is None:
        return half + "." + re.sub("^(time_embedder|scale_shift_table)", r"last_\1", rest)
    rest = rest[len(place) + 1 :].replace("resnets.", "res_blocks.").replace("norm3.", "norm3.norm.").replace("shortcut.conv.", "shortcut.")
    return f"{half}.{'down' if half == 'encoder' else 'up'}_blocks.{numbered.index(place)}.{rest}"


def ltx_vae():
    for name, (sizes, encoder, decoder) in LTX_VAES.items():
        vae = AutoencoderKLLTXVideo(latent_channels=6, **sizes).eval()
        for key, weight in vae.named_parameters():
            if key == "decoder.timestep_scale_multiplier":
                continue
            torch.nn.init.normal_(weight, std=0.1 if weight.ndim <= 1 or "table" in key else weight[0].numel() ** -0.5)
            if "norm3.weight" in key:
                weight.data += 1
            if "per_channel_scale" in key:  # of noise that each draws by itself
                weight.data.zero_()
        vae.latents_mean.copy_(torch.randn(6))
        vae.latents_std.copy_(torch.rand(6) + 0.5)
        state = {key: value.clone().contiguous() for key, value in vae.state_dict().items()}
        published = {of_lightricks(key, encoder, decoder): value for key, value in state.items()}
        assert len(published) == len(state) and not set(published) & {key for key in state if "resnets" in key}
        published["per_channel_statistics.mean-of-stds"] = torch.rand(6)
        spellings = {"diffusers": folder / "ltx" / name, "original": folder / f"ltx-{name}.safetensors",
                     "with its transformer": folder / f"ltx-both-{name}.safetensors"}  # fmt: skip
        vae.save_pretrained(spellings["diffusers"])
        save_file(published, spellings["original"])
        save_file({**{"vae." + key: value for key, value in published.items()},
                   "model.diffusion_model.scale_shift_table": torch.rand(2, 8)}, spellings["with its transformer"])  # fmt: skip
        clips = torch.rand(2, 3, 17, 64, 96) * 2 - 1
        save_file({"clips": clips}, folder / "in.safetensors")
        told = torch.full((2,), 0.05) if name != "0.9.0" else None
        narrow_latents = vae.encode(clips).latent_dist.mean
        narrow_back = vae.decode(narrow_latents, temb=told).sample
        vae = vae.double()
        latents = vae.encode(clips.double()).latent_dist.mean
        back = vae.decode(latents, temb=told.double() if told is not None else None).sample
        assert latents.shape == (2, 6, 3, 2, 3) and back.shape == clips.shape, (latents.shape, back.shape)
        for spelling, path in spellings.items():
            out = ours("ltx_vae", path, folder / "in.safetensors", folder / "out.safetensors")
            out = {key: value.view(torch.float64) if value.dtype == torch.int64 else value for key, value in out.items()}
            what = f"LTX-Video VAE {name}, {spelling}"
            # their norms and sinusoids round to float32
            check(f"{what}: latents in float64", largest(out["latents"], latents), 2e-6)
            check(f"{what}: clips in float64", largest(out["back"], back), 2e-6)
            check(f"{what}: the tokenizer's latents", largest(out["tokenizer_latents"], narrow_latents), 2e-5)
            if told is None:
                check(f"{what}: the tokenizer's clips", largest(out["tokenizer_back"], narrow_back.clamp(-1, 1)), 2e-5)
            else:  # it leaves some noise in what it decodes, as the published pipelines do
                off = distance(out["tokenizer_back"], narrow_back.clamp(-1, 1))
                check(f"{what}: the tokenizer's clips, with a fortieth of noise", abs(off - 0.05), 0.05)


OF_LDM = [  # scripts/convert_original_stable_diffusion_to_diffusers.py of diffusers, the other way
    (r"\.mid_block\.attentions\.0\.group_norm", ".mid.attn_1.norm"),
    (r"\.mid_block\.attentions\.0\.to_out\.0", ".mid.attn_1.proj_out"),
    (r"\.mid_block\.attentions\.0\.to_", ".mid.attn_1."),
    (r"\.mid_block\.resnets\.(\d)", lambda m: f".mid.block_{int(m[1]) + 1}"),
    (r"\.down_blocks\.(\d)", r".down.\1"),
    (r"\.up_blocks\.(\d)", lambda m: f".up.{3 - int(m[1])}"),
    (r"\.resnets\.", ".block."),
    (r"\.conv_shortcut\.", ".nin_shortcut."),
    (r"\.downsamplers\.0\.", ".downsample."),
    (r"\.upsamplers\.0\.", ".upsample."),
    (r"\.conv_norm_out\.", ".norm_out."),
]


def of_ldm(key, value):
    matrix = ".attentions." in key and value.ndim == 2
    for pattern, name in OF_LDM:
        key = re.sub(pattern, name, key)
    return "first_stage_model." + key, value[:, :, None, None].contiguous() if matrix else value


def sd_vae():
    levels = dict(down_block_types=["DownEncoderBlock2D"] * 4, up_block_types=["UpDecoderBlock2D"] * 4)
    vae = AutoencoderKL(**levels, block_out_channels=[16, 16, 24, 32], layers_per_block=2, norm_num_groups=8, latent_channels=4).eval()
    plain = AutoencoderKL(**levels, block_out_channels=[32, 32, 64, 64], layers_per_block=1, latent_channels=4).eval()
    for peer in (vae, plain):
        for key, weight in peer.named_parameters():  # defaults hide mistakes: zero biases, unit gains
            torch.nn.init.normal_(weight, std=0.1 if weight.ndim == 1 else weight[0].numel() ** -0.5)
            if "norm" in key and key.endswith("weight"):
                weight.data += 1
        peer.decoder.conv_out.weight.data *= 0.3  # most values are those of pixels
    state = {key: value.clone().contiguous() for key, value in plain.state_dict().items()}
    old = {"to_q": "query", "to_k": "key", "to_v": "value", "to_out.0": "proj_attn"}
    before = {re.sub(r"(attentions\.0\.)(to_q|to_k|to_v|to_out\.0)", lambda m: m[1] + old[m[2]], key): value for key, value in state.items()}
    spellings = {"diffusers, its groups": (vae, folder / "sd" / "diffusers"), "diffusers 0.16": (plain, folder / "sd" / "before.safetensors"),
                 "original": (plain, folder / "sd" / "model.safetensors"), "torch.save": (plain, folder / "sd" / "model.ckpt")}  # fmt: skip
    vae.save_pretrained(spellings["diffusers, its groups"][1])
    save_file(before, spellings["diffusers 0.16"][1])
    published = dict(of_ldm(key, value) for key, value in state.items())
    save_file(published, spellings["original"][1])
    torch.save({"state_dict": published, "global_step": 840000}, spellings["torch.save"][1])
    clips = torch.rand(2, 3, 3, 24, 40) * 2 - 1
    save_file({"clips": clips}, folder / "in.safetensors")
    pictures, clips_of = clips.transpose(1, 2).flatten(0, 1), lambda x: x.unflatten(0, (2, 3)).transpose(1, 2)
    for spelling, (peer, path) in spellings.items():
        peer = peer.float()
        narrow = peer.encode(pictures).latent_dist.mean
        narrow_back = peer.decode(narrow).sample
        peer = peer.double()
        latents = peer.encode(pictures.double()).latent_dist.mean
        back = peer.decode(latents).sample
        out = ours("sd_vae", path, folder / "in.safetensors", folder / "out.safetensors")
        out = {key: value.view(torch.float64) if value.dtype == torch.int64 else value for key, value in out.items()}
        what = f"Stable Diffusion's VAE, {spelling}"
        check(f"{what}: latents in float64", largest(out["latents"], latents), 1e-12)
        check(f"{what}: pictures in float64", largest(out["back"], back), 1e-12)
        check(f"{what}: the tokenizer's latents", largest(out["tokenizer_latents"], clips_of(narrow)), 2e-5)
        check(f"{what}: the tokenizer's clips", largest(out["tokenizer_back"], clips_of(narrow_back).clamp(-1, 1)), 2e-5)
        inside = (narrow_back.abs() < 1).double().mean().item()
        assert 0.5 < inside, f"{1 - inside:.0%} of the values are clamped, which compares nothing"


def sd_vae_over_time():
    """That of Stable Video Diffusion, whose decoder sees neighbouring frames; eleven frames are decoded eight at a time."""
    vae = AutoencoderKLTemporalDecoder(
        down_block_types=["DownEncoderBlock2D"] * 4, block_out_channels=[32, 32, 64, 64], layers_per_block=2, latent_channels=4,
    ).eval()  # fmt: skip
    for key, weight in vae.named_parameters():
        torch.nn.init.normal_(weight, std=0.1 if weight.ndim == 1 else weight[0].numel() ** -0.5)
        if "norm" in key and key.endswith("weight"):
            weight.data += 1
    vae.decoder.conv_out.weight.data *= 0.3
    path = folder / "svd_vae"
    path.mkdir()
    save_file({key: value.clone().contiguous() for key, value in vae.state_dict().items()}, path / "diffusion_pytorch_model.safetensors")
    frames = 11
    clips = torch.rand(2, 3, frames, 24, 40) * 2 - 1
    save_file({"clips": clips}, folder / "in.safetensors")
    pictures = clips.transpose(1, 2).flatten(0, 1)
    out = ours("sd_vae", path, folder / "in.safetensors", folder / "out.safetensors")
    out = {key: value.view(torch.float64) if value.dtype == torch.int64 else value for key, value in out.items()}
    narrow = vae.encode(pictures).latent_dist.mean
    pieces = [vae.decode(piece.flatten(0, 1), num_frames=piece.shape[1]).sample.unflatten(0, (2, -1))
              for piece in narrow.unflatten(0, (2, frames)).split(8, 1)]  # fmt: skip
    vae = vae.double()
    latents = vae.encode(pictures.double()).latent_dist.mean
    back = vae.decode(latents, num_frames=frames).sample
    what = "Stable Video Diffusion's VAE"
    check(f"{what}: latents in float64", largest(out["latents"], latents), 1e-12)
    check(f"{what}: clips in float64", largest(out["back"], back), 1e-12)
    check(f"{what}: the tokenizer's clips", largest(out["tokenizer_back"], torch.cat(pieces, 1).transpose(1, 2).clamp(-1, 1)), 2e-5)
    assert (torch.cat(pieces, 1).abs() < 1).double().mean() > 0.5


layers()
module()
wan_vae()
ltx_vae()
sd_vae()
sd_vae_over_time()
sys.exit(f"not as diffusers: {', '.join(failures)}" if failures else 0)
