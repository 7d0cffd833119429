"""A Wan as it is published, by `model.init`: a random WanTransformer3DModel, saved as diffusers does, with the original names
and with ComfyUI's prefix, gives the same output and the same gradient of every weight in our trainer. Captions of different
lengths stand in 512 places with zeros behind them, and all places are read.

Then a run begins with it, learns nothing (a rate of 0) and is exported: the weights are those that were published.

published_wan_as_diffusers.py MODELS_TOOL DAILIES_TRAIN
"""
import copy
import inspect
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import torch
from diffusers import AutoencoderKLWan, WanTransformer3DModel
from safetensors.torch import load_file, save_file
from small_wan import CHANNELS_LAST, PLACES, SIZES, distance, random_wan, write_clips

tool, trainer = sys.argv[1:3]
folder = Path(tempfile.mkdtemp())
torch.manual_seed(0)

peer = random_wan()

RENAMED = [  # scripts/convert_wan_to_diffusers.py of diffusers, the other way
    (r"condition_embedder\.time_embedder\.linear_1", "time_embedding.0"),
    (r"condition_embedder\.time_embedder\.linear_2", "time_embedding.2"),
    (r"condition_embedder\.time_proj", "time_projection.1"),
    (r"condition_embedder\.text_embedder\.linear_1", "text_embedding.0"),
    (r"condition_embedder\.text_embedder\.linear_2", "text_embedding.2"),
    (r"^scale_shift_table", "head.modulation"),
    (r"^proj_out", "head.head"),
    (r"scale_shift_table", "modulation"),
    (r"norm2", "norm3"),
    (r"ffn\.net\.0\.proj", "ffn.0"),
    (r"ffn\.net\.2", "ffn.2"),
    (r"attn1", "self_attn"),
    (r"attn2", "cross_attn"),
    (r"\.to_([qkv])\.", r".\1."),
    (r"\.to_out\.0\.", ".o."),
]  # fmt: skip


def original(key):
    for pattern, name in RENAMED:
        key = re.sub(pattern, name, key)
    return key


state = {key: value.detach().clone().contiguous() for key, value in peer.state_dict().items()}
own_config = {"model_type": "t2v", "dim": 64, "ffn_dim": 96, "freq_dim": 256, "in_dim": 16, "out_dim": 16, "num_heads": 2,
              "num_layers": 2, "text_len": PLACES, "eps": 1e-6}  # fmt: skip
spellings = {"diffusers": folder / "diffusers", "original": folder / "original", "ComfyUI": folder / "comfyui"}
peer.save_pretrained(spellings["diffusers"])
for name, prefix in (("original", ""), ("ComfyUI", "model.diffusion_model.")):
    spellings[name].mkdir()
    (spellings[name] / "config.json").write_text(json.dumps(own_config))
    save_file({prefix + original(key): value for key, value in state.items()},
              spellings[name] / "diffusion_pytorch_model.safetensors")

shape = {
    "model": {"family": "wan", "width": 64, "depth": 2, "heads": 2, "patch_frames": 1, "patch_size": 2, "mlp_width": 96,
              "activation": "gelu-tanh", "time_scale": 1000, "rope_fps": 0, "text_places": PLACES},
    "text": {"encoder": "bytes"}, "frames": 3, "height": 8, "width": 12, "channels": 16, "text_width": 24,
    "text_tokens": PLACES,
}  # fmt: skip
(folder / "shape.json").write_text(json.dumps(shape))

lengths = [20, 7, 1]
clips = torch.randn(len(lengths), 16, 3, 8, 12)
times = torch.tensor([0.999, 0.25, 0.6])  # of rectified flow; the published model counts in thousandths
longest = torch.randn(len(lengths), max(lengths), 24)  # as our batches have them: padded to the longest, with a mask
mask = torch.arange(max(lengths)) < torch.tensor(lengths)[:, None]
gradient = torch.randn_like(clips)
save_file(
    {"input.clips": clips.permute(CHANNELS_LAST).contiguous(), "input.times": times, "input.text": longest,
     "input.mask": mask.float(), "output.gradient": gradient.permute(CHANNELS_LAST).contiguous()},
    folder / "in.safetensors",
)  # fmt: skip

single = copy.deepcopy(peer)  # the same class in float32, to know what rounding alone does
exact = peer.double()
text = torch.zeros(len(lengths), PLACES, 24, dtype=torch.float64)
text[:, : max(lengths)] = longest.double() * mask[..., None]


def of_peer(model, text):
    kind = text.dtype
    model.zero_grad()
    output = model(hidden_states=clips.to(kind), timestep=times.to(kind) * 1000, encoder_hidden_states=text,
                   return_dict=False)[0]  # fmt: skip
    output.backward(gradient.to(kind))
    return output.detach(), {key: value.grad.clone() for key, value in model.named_parameters()}


expected, gradients = of_peer(exact, text)
words_only, _ = of_peer(exact, text[:, : max(lengths)])
rounded, rounded_gradients = of_peer(single, text.float())
# 492 equal places leave the gradients of attention to text as what remains when large numbers cancel: these are held to the
# rounding of the peer itself
rounding = {key: distance(rounded_gradients[key], gradients[key]) for key in gradients}
quiet = {key for key in rounding if rounding[key] > 1e-5}
assert all("attn2" in key or "norm2" in key for key in quiet), quiet
print(f"the peer in float32: output {distance(rounded, expected):.1e}, worst {max(rounding.values()):.1e}, but "
      f"{max(value for key, value in rounding.items() if key not in quiet):.1e} outside attention to text")  # fmt: skip
print(f"without the empty places the peer's own output would be {distance(words_only, expected):.2f} off")
assert distance(words_only, expected) > 0.05

# reference: float32 (and bf16) of the same class against its float64, with room for another order of sums
LIMITS = {"fp32": (2e-5, 1e-5, 1e-4), "bf16": (1e-2, 2e-2, 1e-1)}
for name, path in spellings.items():
    for precision in ("fp32", "bf16") if name == "original" else ("fp32",):
        out = folder / "out.safetensors"
        subprocess.run([tool, "init", folder / "shape.json", folder / "in.safetensors", out, path, precision], check=True,
                       capture_output=True)
        result = load_file(out)
        found = result.pop("output").permute(0, 4, 1, 2, 3)
        assert result.keys() == gradients.keys(), result.keys() ^ gradients.keys()
        largest = ((found.double() - expected).abs().max() / expected.abs().max()).item()
        off = {key: distance(result[key], gradients[key]) for key in gradients}
        if precision == "fp32":
            times_rounding = max(off[key] / rounding[key] for key in quiet)
            print(f"attention to text: up to {times_rounding:.1f} times the peer's own rounding")
            assert times_rounding <= 4
        off = {key: value for key, value in off.items() if key not in quiet}
        worst = max(off, key=off.get)
        everything = distance(
            torch.cat([result[key].flatten() for key in gradients]),
            torch.cat([each.flatten() for each in gradients.values()]),
        )
        print(f"{name}, {precision}: output {largest:.1e} of the largest, {distance(found, expected):.1e} in all; "
              f"gradients {everything:.1e}, worst {worst} {off[worst]:.1e}")  # fmt: skip
        for value, limit in zip((largest if precision == "fp32" else distance(found, expected), everything, off[worst]),
                                LIMITS[precision]):  # fmt: skip
            assert value <= limit, (name, precision, value, limit)

# a run on latents and embeddings as a person has them
run = folder / "run"
run.mkdir()
write_clips(folder / "0.tar", lengths)
config = {
    "model": {**shape["model"], "init": str(spellings["original"])}, "diffusion": {"prediction": "velocity"}, "steps": 1,
    "data": {"source": "webdataset", "shards": [str(folder / "0.tar")], "latents": "latent.npy", "text_embeddings": "text.npy",
             "frames": 3, "height": 8, "width": 12, "batch_size": 2},
    "optimizer": {"lr": 0, "min_lr": 0, "weight_decay": 0},
}  # fmt: skip
(run / "config.json").write_text(json.dumps(config))
ended = subprocess.run([trainer, "train", "--config", run / "config.json"], capture_output=True, text=True)
assert ended.returncode == 0, ended.stderr
checkpoint = run / "checkpoints/step-000000001"
scale = json.loads((checkpoint / "manifest.json").read_text())["data"]
# diffusers has the published numbers as defaults
defaults = {key: value.default for key, value in inspect.signature(AutoencoderKLWan.__init__).parameters.items()}
assert scale["pixel_mean"] == list(defaults["latents_mean"]) and scale["pixel_deviation"] == list(defaults["latents_std"])
subprocess.run([trainer, "export", checkpoint, folder / "exported", "--format", "diffusers"], check=True, capture_output=True)
again = load_file(folder / "exported/diffusion_pytorch_model.safetensors")
assert again.keys() == state.keys() and all(torch.equal(again[key], state[key]) for key in state)
loaded = WanTransformer3DModel.load_config(folder / "exported")
assert all(loaded[key] == (list(value) if isinstance(value, tuple) else value) for key, value in SIZES.items()), loaded
print(f"a run began with it and gave its {len(state)} weights back unchanged")
