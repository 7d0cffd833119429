"""An LTX-Video as it is published, by `model.init`: a random LTXVideoTransformer3DModel, saved as diffusers does and in one file
with its autoencoder as Lightricks does, gives the same output and the same gradient of every weight in our trainer. Captions of
different lengths are masked.

Then a run on its latents trains an adapter of that file, with the first frame of some clips given, and diffusers loads what it
exports, in either spelling: base and adapter give what the merged model gives.

published_ltx_as_diffusers.py MODELS_TOOL DAILIES_TRAIN
"""
import copy
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import torch
from diffusers import AutoencoderKLLTXVideo, LTXPipeline, LTXVideoTransformer3DModel
from safetensors.torch import load_file, save_file
from small_wan import CHANNELS_LAST, distance, write_clips

tool, trainer = sys.argv[1:3]
folder = Path(tempfile.mkdtemp())
torch.manual_seed(0)
CHANNELS, FRAMES, HEIGHT, WIDTH, FPS = 6, 3, 2, 4, 25

base = LTXVideoTransformer3DModel(in_channels=CHANNELS, out_channels=CHANNELS, num_attention_heads=2, attention_head_dim=32,
                                  cross_attention_dim=64, num_layers=2, caption_channels=24)  # fmt: skip
for key, weight in base.named_parameters():
    torch.nn.init.normal_(weight, std=0.3 if weight.ndim == 1 else weight[0].numel() ** -0.5)
    if "norm" in key and weight.ndim == 1:
        weight.data += 1


def of_lightricks(key):
    for theirs, name in (("proj_in.", "patchify_proj."), ("time_embed.", "adaln_single."), ("norm_q", "q_norm"), ("norm_k", "k_norm")):
        if theirs.startswith("norm") or key.startswith(theirs):
            key = key.replace(theirs, name)
    return "model.diffusion_model." + key


vae = AutoencoderKLLTXVideo(latent_channels=CHANNELS, block_out_channels=(8, 8, 8, 8), decoder_block_out_channels=(8, 8, 8, 8),
                            layers_per_block=(1, 1, 1, 1, 1), decoder_layers_per_block=(1, 1, 1, 1, 1))  # fmt: skip
vae.save_pretrained(folder / "vae")
base.save_pretrained(folder / "transformer")
single = folder / "ltx-video.safetensors"
save_file({of_lightricks(key): value.contiguous() for key, value in base.state_dict().items()}, single)

clips = torch.randn(3, CHANNELS, FRAMES, HEIGHT, WIDTH)
times, lengths = torch.tensor([0.999, 0.25, 0.6]), [20, 7, 1]
text = torch.randn(3, max(lengths), 24)
mask = torch.arange(max(lengths)) < torch.tensor(lengths)[:, None]
gradient = torch.randn_like(clips)
in_pixels = (8 / FPS, 32, 32)


def output_of(model):
    kind = model.dtype
    tokens = model(hidden_states=clips.to(kind).flatten(2).transpose(1, 2), timestep=times.to(kind) * 1000,
                   encoder_hidden_states=text.to(kind), encoder_attention_mask=mask.to(kind), num_frames=FRAMES, height=HEIGHT,
                   width=WIDTH, rope_interpolation_scale=in_pixels, return_dict=False)[0]  # fmt: skip
    return tokens.transpose(1, 2).unflatten(2, (FRAMES, HEIGHT, WIDTH))


exact = copy.deepcopy(base).double()
expected = output_of(exact)
expected.backward(gradient.double())
expected = expected.detach()
gradients = {key: weight.grad for key, weight in exact.named_parameters()}

model_group = {"family": "ltx", "width": 64, "depth": 2, "heads": 2, "patch_frames": 1, "patch_size": 1, "mlp_width": 256,
               "activation": "gelu-tanh", "time_scale": 1000}  # fmt: skip
(folder / "shape.json").write_text(json.dumps({
    # a size that a configuration may have; the clips have their own
    "model": model_group, "text": {"encoder": "bytes"}, "frames": 3, "height": 8, "width": 8, "channels": CHANNELS,
    "text_width": 24, "text_tokens": max(lengths), "fps": FPS, "latent_pixels": 32, "frames_per_latent": 8,
}))  # fmt: skip
save_file({"input.clips": clips.permute(CHANNELS_LAST).contiguous(), "input.times": times, "input.text": text,
           "input.mask": mask.float(), "output.gradient": gradient.permute(CHANNELS_LAST).contiguous()},
          folder / "in.safetensors")  # fmt: skip
# reference: float32 (and bf16) of the same class against its float64; the peer's angles are float32
LIMITS = {"fp32": (2e-5, 2e-5, 2e-3), "bf16": (2e-2, 3e-2, 2e-1)}
for path in (folder / "transformer", single):
    for precision, (of_output, of_all, of_worst) in LIMITS.items():
        subprocess.run([tool, "init", folder / "shape.json", folder / "in.safetensors", folder / "out.safetensors", path, precision],
                       check=True, stdout=subprocess.DEVNULL)  # fmt: skip
        found = load_file(folder / "out.safetensors")
        output = found.pop("output").permute(0, 4, 1, 2, 3)
        assert found.keys() == gradients.keys()
        everything = distance(torch.cat([found[key].flatten() for key in gradients]),
                              torch.cat([each.flatten() for each in gradients.values()]))  # fmt: skip
        off = {key: distance(found[key], gradients[key]) for key in gradients}
        worst = max(off, key=off.get)
        print(f"{path.name}, {precision}: output {distance(output, expected):.1e}, gradients {everything:.1e}, "
              f"worst {worst} {off[worst]:.1e}")  # fmt: skip
        assert distance(output, expected) <= of_output and everything <= of_all and off[worst] <= of_worst

write_clips(folder / "0.tar", lengths, latents=(CHANNELS, FRAMES, HEIGHT, WIDTH))
run = folder / "run"
run.mkdir()
(run / "config.json").write_text(json.dumps({
    "model": {**model_group, "init": str(single), "conditioning": "in_place"}, "steps": 30, "lora": {"rank": 4, "alpha": 10},
    "data": {"source": "webdataset", "shards": [str(folder / "0.tar")], "latents": "latent.npy", "text_embeddings": "text.npy",
             "frames": 17, "height": 64, "width": 128, "batch_size": 2, "fps": FPS},
    "tokenizer": {"kind": "ltx_vae", "weights": str(folder / "vae"), "frames_factor": 8, "space_factor": 32, "channels": CHANNELS},
    "diffusion": {"prediction": "velocity", "shift_terminal": 0.1}, "optimizer": {"lr": 0.01}, "sampling": {"steps": 4},
}))  # fmt: skip
ended = subprocess.run([trainer, "train", "--config", run / "config.json"], capture_output=True, text=True)
assert ended.returncode == 0, ended.stderr
made = sorted((run / "clips").rglob("*.mp4"))
assert made, ended.stderr
checkpoint = run / "checkpoints/step-000000030"


def export(name, *words):
    subprocess.run([trainer, "export", checkpoint, folder / name, *words], check=True, capture_output=True)
    return folder / name


merged = LTXVideoTransformer3DModel.from_pretrained(export("merged", "--merged", "--format", "diffusers"))
wanted = output_of(merged.double()).detach()
assert distance(expected, wanted) > 1e-3
for file in (export("adapter.safetensors"), export("adapter", "--format", "diffusers") / "pytorch_lora_weights.safetensors"):
    peer = copy.deepcopy(base)
    tensors, metadata = LTXPipeline.lora_state_dict(str(file), return_lora_metadata=True)
    LTXPipeline.load_lora_into_transformer(tensors, transformer=peer, metadata=metadata)
    off = distance(output_of(peer.double()).detach(), wanted)
    print(f"{file.name} in diffusers: {off:.1e} from the merged model")
    assert off <= 1e-5
