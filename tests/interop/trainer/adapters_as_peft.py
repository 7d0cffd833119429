"""LoRA adapters of a Wan beside peft: with the same factors on a random WanTransformer3DModel our model gives the same output
and the same gradients of the factors, for both scales. Then a run trains an adapter, and diffusers loads what it exports, in
either spelling: base and adapter give what the merged model gives.

adapters_as_peft.py MODELS_TOOL DAILIES_TRAIN
"""
import copy
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import torch
from diffusers import WanPipeline, WanTransformer3DModel
from peft import LoraConfig
from safetensors.torch import load_file, save_file
from small_wan import CHANNELS_LAST, PLACES, distance, random_wan, write_clips

tool, trainer = sys.argv[1:3]
folder = Path(tempfile.mkdtemp())
torch.manual_seed(0)
RANK, ALPHA = 4, 6

base = random_wan()
base.save_pretrained(folder / "base")
targets = ["to_q", "to_k", "to_v", "to_out.0", "ffn.net.0.proj", "ffn.net.2"]

clips, times, lengths = torch.randn(3, 16, 3, 8, 12), torch.tensor([0.999, 0.25, 0.6]), [20, 7, 1]
longest = torch.randn(3, max(lengths), 24)
mask = torch.arange(max(lengths)) < torch.tensor(lengths)[:, None]
text = torch.zeros(3, PLACES, 24)
text[:, : max(lengths)] = longest * mask[..., None]
gradient = torch.randn_like(clips)


def output_of(model):
    kind = model.dtype
    return model(hidden_states=clips.to(kind), timestep=times.to(kind) * 1000, encoder_hidden_states=text.to(kind),
                 return_dict=False)[0]  # fmt: skip


model_group = {"family": "wan", "width": 64, "depth": 2, "heads": 2, "patch_frames": 1, "patch_size": 2, "mlp_width": 96,
               "activation": "gelu-tanh", "time_scale": 1000, "rope_fps": 0, "text_places": PLACES}  # fmt: skip
plain = output_of(copy.deepcopy(base).double()).detach()
for rslora in (False, True):
    peer = copy.deepcopy(base)
    peer.add_adapter(LoraConfig(r=RANK, lora_alpha=ALPHA, use_rslora=rslora, target_modules=targets))
    factors = {key: weight for key, weight in peer.named_parameters() if ".lora_" in key}
    assert len(factors) == 2 * 10 * 2
    if not rslora:  # what fresh ones are
        a, b = (factors[f"blocks.0.ffn.net.0.proj.lora_{x}.default.weight"] for x in "AB")
        assert b.abs().max() == 0 and 0.9 / 8 < a.abs().max() <= 1 / 8, "uniform within 1 / sqrt(inputs)"
    for weight in factors.values():
        torch.nn.init.normal_(weight, std=0.2)
    theirs = {key: "transformer." + key.replace(".default", "") for key in factors}
    save_file(
        {"input.clips": clips.permute(CHANNELS_LAST).contiguous(), "input.times": times, "input.text": longest,
         "input.mask": mask.float(), "output.gradient": gradient.permute(CHANNELS_LAST).contiguous(),
         **{theirs[key]: weight.detach().clone() for key, weight in factors.items()}},
        folder / "in.safetensors",
    )  # fmt: skip
    (folder / "shape.json").write_text(json.dumps({
        "model": model_group, "text": {"encoder": "bytes"}, "frames": 3, "height": 8, "width": 12, "channels": 16,
        "text_width": 24, "text_tokens": PLACES, "lora": {"rank": RANK, "alpha": ALPHA, "rslora": rslora},
    }))  # fmt: skip
    peer = peer.double()
    expected = output_of(peer)
    expected.backward(gradient.double())
    expected = expected.detach()
    gradients = {theirs[key]: weight.grad for key, weight in peer.named_parameters() if key in theirs}
    assert distance(plain, expected) > 0.05
    subprocess.run([tool, "adapter", folder / "shape.json", folder / "in.safetensors", folder / "out.safetensors",
                    folder / "base"], check=True)  # fmt: skip
    found = load_file(folder / "out.safetensors")
    output = found.pop("output").permute(0, 4, 1, 2, 3)
    assert found.keys() == gradients.keys()
    largest = ((output.double() - expected).abs().max() / expected.abs().max()).item()
    everything = distance(torch.cat([found[key].flatten() for key in gradients]),
                          torch.cat([each.flatten() for each in gradients.values()]))  # fmt: skip
    # gradients of attention to 492 equal places are what remains when large numbers cancel (published_wan_as_diffusers.py)
    off = {key: distance(found[key], gradients[key]) for key in gradients if "attn2" not in key}
    worst = max(off, key=off.get)
    print(f"rslora {rslora}: output {largest:.1e} of the largest, gradients {everything:.1e}, worst {worst} {off[worst]:.1e}")
    assert largest <= 2e-5 and everything <= 1e-5 and off[worst] <= 1e-4

write_clips(folder / "0.tar", lengths)


def train(name, lora):
    config = {
        "model": {**model_group, "init": str(folder / "base")}, "diffusion": {"prediction": "velocity"}, "steps": 30,
        "data": {"source": "webdataset", "shards": [str(folder / "0.tar")], "latents": "latent.npy",
                 "text_embeddings": "text.npy", "frames": 3, "height": 8, "width": 12, "batch_size": 2},
        "optimizer": {"lr": 0.01}, "lora": lora,
    }  # fmt: skip
    run = folder / name
    run.mkdir(exist_ok=True)
    (run / "config.json").write_text(json.dumps(config))
    ended = subprocess.run([trainer, "train", "--config", run / "config.json"], capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    return run / "checkpoints/step-000000030"


def export(checkpoint, name, *words):
    subprocess.run([trainer, "export", checkpoint, folder / name, *words], check=True, capture_output=True)
    return folder / name


for name, lora in (("run", {"rank": RANK, "alpha": 10}), ("subset", {"rank": 2, "rslora": True, "targets": ["to_q", "ffn.0"]})):
    checkpoint = train(name, lora)
    merged = WanTransformer3DModel.from_pretrained(export(checkpoint, f"{name}-merged", "--merged", "--format", "diffusers"))
    expected = output_of(merged.double()).detach()
    assert distance(plain, expected) > 1e-3
    for file in (export(checkpoint, f"{name}.safetensors"),
                 export(checkpoint, f"{name}-folder", "--format", "diffusers") / "pytorch_lora_weights.safetensors"):  # fmt: skip
        peer = copy.deepcopy(base)
        # as a pipeline's load_lora_weights does
        tensors, metadata = WanPipeline.lora_state_dict(str(file), return_lora_metadata=True)
        WanPipeline.load_lora_into_transformer(tensors, transformer=peer, metadata=metadata)
        loaded = output_of(peer.double()).detach()
        print(f"{name}, {file.name}: base and adapter {distance(loaded, expected):.1e} from the merged model, "
              f"which is {distance(plain, expected):.2f} from the base")  # fmt: skip
        assert distance(loaded, expected) <= 1e-6
