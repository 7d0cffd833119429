"""What `dailies-train export` writes is read by Python's safetensors and loaded by diffusers without a weight missing,
left over or changed.

export_as_diffusers.py STATE_TOOL DAILIES_TRAIN
"""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import torch
from diffusers import CosmosTransformer3DModel, WanTransformer3DModel
from safetensors.torch import load_file

tool, trainer = sys.argv[1:3]
small = {"width": 48, "depth": 2, "heads": 4, "patch_frames": 1, "patch_size": 2}
models = {
    "CosmosTransformer3DModel": (CosmosTransformer3DModel, {
        **small, "family": "dit", "adaln": "lora", "adaln_rank": 16, "bias": False, "positions": "none",
        "activation": "gelu"}),
    "WanTransformer3DModel": (WanTransformer3DModel, {**small, "family": "wan", "activation": "gelu-tanh"}),
}
for name, (peer, settings) in models.items():
    folder = Path(tempfile.mkdtemp())
    (folder / "config.json").write_text(json.dumps({"model": settings}))
    subprocess.run([tool, "checkpoint", folder / "config.json", "8", "32", folder], check=True)
    checkpoint = folder / "checkpoints/step-000000001"

    subprocess.run([trainer, "export", checkpoint, folder / "model.safetensors"], check=True)
    ours = load_file(folder / "model.safetensors")
    saved = load_file(checkpoint / "weights.safetensors")
    assert ours.keys() == saved.keys() and all(torch.equal(ours[key], saved[key]) for key in saved)

    subprocess.run([trainer, "export", checkpoint, folder / "pipe", "--format", "diffusers"], check=True)
    # what from_pretrained does, without the package accelerate that it insists on
    model = peer.from_config(peer.load_config(folder / "pipe"))
    model.load_state_dict(load_file(folder / "pipe/diffusion_pytorch_model.safetensors"), strict=True)
    # renamed, cut and reordered, but no number was changed, lost or invented
    mine = torch.cat([w.flatten() for w in ours.values()]).sort().values
    theirs = torch.cat([w.detach().flatten() for w in model.state_dict().values()]).sort().values
    assert torch.equal(mine, theirs), f"{len(mine)} numbers became {len(theirs)}, or others"

    subprocess.run([trainer, "export", checkpoint, folder / "bf16", "--format", "diffusers", "--dtype", "bf16"],
                   check=True)
    halves = load_file(folder / "bf16/diffusion_pytorch_model.safetensors")
    assert all(torch.equal(halves[key], weight.to(torch.bfloat16)) for key, weight in model.state_dict().items())
    print(f"{name}: {len(theirs)} numbers of {len(model.state_dict())} weights loaded")
