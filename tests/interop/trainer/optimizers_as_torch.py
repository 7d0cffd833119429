"""Our optimizers, schedules and average beside torch.optim.AdamW and Muon, bitsandbytes' AdamW8bit and diffusers' own.

optimizers_as_torch.py STATE_TOOL
"""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import bitsandbytes
import torch
from diffusers.optimization import get_scheduler
from diffusers.training_utils import EMAModel
from safetensors.torch import load_file, save_file

tool = sys.argv[1]
folder = Path(tempfile.mkdtemp())
failures = []


def check(what, found, limit):
    verdict = "ok" if found <= limit else "TOO FAR"
    print(f"{what}: {found:.3g} (at most {limit:g}) {verdict}")
    if found > limit:
        failures.append(what)


def config(**optimizer):
    steps = optimizer.pop("steps", 1600)
    file = folder / "config.json"
    file.write_text(json.dumps({"steps": steps, "optimizer": {"warmup_steps": 0, **optimizer}}))
    return str(file)


def ours(verb, tensors, settings):
    save_file(tensors, folder / "in.safetensors")
    subprocess.run([tool, verb, folder / "in.safetensors", folder / "out.safetensors", settings], check=True)
    return load_file(folder / "out.safetensors")


def relative(a, b):
    return ((a - b).norm() / b.norm()).item()


def problem(steps, decades=0.0, shape=(160, 96)):
    """Weights, and noisy gradients along a path that no optimizer has to share; columns spread over some decades."""
    torch.manual_seed(0)
    weights = {"a.weight": torch.randn(shape), "a.bias": torch.randn(shape[0])}
    gradients = [{name: (torch.randn_like(w) + 0.3 * w) * 10 ** (decades * torch.randn(w.shape[-1]))
                  for name, w in weights.items()} for _ in range(steps)]
    flat = {f"weight/{name}": w.clone() for name, w in weights.items()}
    for step, named in enumerate(gradients):
        flat.update({f"gradient/{step}/{name}": g.clone() for name, g in named.items()})
    return weights, gradients, flat


def descend(make, weights, gradients):
    leaves = {name: torch.nn.Parameter(w.clone()) for name, w in weights.items()}
    optimizer = make(leaves)
    for named in gradients:
        for name, leaf in leaves.items():
            leaf.grad = named[name].clone()
        optimizer.step()
    return leaves, optimizer


def adamw():
    weights, gradients, flat = problem(100, decades=1)
    found = ours("optimize", flat, config(lr=0.01, beta1=0.9, beta2=0.95, weight_decay=0.1))
    for fused in (True, False):
        def make(leaves):
            return torch.optim.AdamW([{"params": [leaves["a.weight"]], "weight_decay": 0.1},
                                      {"params": [leaves["a.bias"]], "weight_decay": 0.0}],
                                     lr=0.01, betas=(0.9, 0.95), fused=fused)
        theirs, _ = descend(make, weights, gradients)
        for name in weights:
            check(f"AdamW, 100 steps, torch fused={fused}, {name}: relative distance",
                  relative(found[f"weight/{name}"], theirs[name].detach()), 1e-7 if fused else 2e-7)


def nearest(values, scales, code):
    """The codes as bitsandbytes' CUDA and default kernels choose them: its CPU kernel is rougher below 1e-4."""
    unit = values.reshape(-1, 256) / scales[:, None]
    return torch.bucketize(unit, (code[1:] + code[:-1]) / 2).to(torch.uint8).reshape(values.shape)


def adamw8bit():
    def make(leaves):
        return bitsandbytes.optim.AdamW8bit(leaves.values(), lr=0.01, betas=(0.9, 0.95), weight_decay=0)

    settings = config(name="adamw8bit", lr=0.01, beta1=0.9, beta2=0.95)
    for steps in (1, 100):
        weights, gradients, flat = problem(steps)
        found = ours("optimize", flat, settings)
        theirs, optimizer = descend(make, weights, gradients)
        state = optimizer.state[theirs["a.weight"]]
        assert state["state1"].dtype == torch.uint8
        moved = theirs["a.weight"].detach() - weights["a.weight"]
        distance = (found["weight/a.weight"] - theirs["a.weight"].detach()).norm() / moved.norm()
        check(f"AdamW8bit, {steps} steps: distance over the way gone", distance.item(), 1e-2)
        check(f"AdamW8bit, {steps} steps: small tensors, in 32 bits, relative distance",
              relative(found["weight/a.bias"], theirs["a.bias"].detach()), 1e-6)
        for moment, number in (("first", 1), ("second", 2)):
            scales = found[f"state/a.weight.{moment}_scale"]
            check(f"AdamW8bit, {steps} steps: {moment} scales", relative(scales, state[f"absmax{number}"]),
                  1e-6 if steps == 1 else 1e-2)
            differ = (found[f"state/a.weight.{moment}_moment"] != state[f"state{number}"]).float().mean().item()
            if steps == 1:
                # squares are small: of these its CPU kernel rounds some elsewhere, see nearest()
                check(f"AdamW8bit: share of {moment} codes that differ", differ, 5e-3 if moment == "first" else 5e-2)

    weights, gradients, flat = problem(1, decades=1)
    found = ours("optimize", flat, settings)
    _, optimizer = descend(make, weights, gradients)
    state = next(s for s in optimizer.state.values() if s["state1"].dtype == torch.uint8)
    gradient = gradients[0]["a.weight"]
    for moment, number, value in (("first", 1, 0.1 * gradient), ("second", 2, 0.05 * gradient**2)):
        codes = nearest(value, state[f"absmax{number}"], state[f"qmap{number}"])
        differ = (found[f"state/a.weight.{moment}_moment"] != codes).float().mean().item()
        check(f"AdamW8bit, gradients over decades: share of {moment} codes that differ", differ, 5e-3)


def muon():
    """Matrices of a block beside torch.optim.Muon, queries, keys and values one by one, as they are three layers there."""
    torch.manual_seed(0)
    sizes = {"blocks.0.attention_out.weight": (96, 96), "blocks.0.mlp_in.weight": (160, 96), "blocks.0.mlp_out.weight": (96, 160),
             "blocks.0.qkv.weight": (288, 96), "patch.weight": (96, 12)}  # fmt: skip
    weights = {name: torch.randn(size) for name, size in sizes.items()}
    gradients = [{name: torch.randn_like(w) + 0.3 * w for name, w in weights.items()} for _ in range(30)]
    flat = {f"weight/{name}": w.clone() for name, w in weights.items()}
    for step, named in enumerate(gradients):
        flat.update({f"gradient/{step}/{name}": g.clone() for name, g in named.items()})
    found = ours("optimize", flat, config(name="muon", lr=0.01, beta1=0.9, beta2=0.95, weight_decay=0.1))

    def parts(name, whole):
        return whole.chunk(3) if "qkv" in name else [whole]

    leaves = {name: [torch.nn.Parameter(part.clone()) for part in parts(name, w)] for name, w in weights.items()}
    hidden = [leaf for name, all in leaves.items() if name.startswith("blocks") for leaf in all]
    peers = [torch.optim.Muon(hidden, lr=0.01, weight_decay=0.1, momentum=0.95, nesterov=True, adjust_lr_fn="match_rms_adamw"),
             torch.optim.AdamW(leaves["patch.weight"], lr=0.01, betas=(0.9, 0.95), weight_decay=0.1)]  # fmt: skip
    for named in gradients:
        for name, all in leaves.items():
            for leaf, gradient in zip(all, parts(name, named[name])):
                leaf.grad = gradient.clone()
        for peer in peers:
            peer.step()
    for name, w in weights.items():
        theirs = torch.cat([leaf.detach() for leaf in leaves[name]])
        assert relative(theirs, w) > 0.01
        check(f"Muon, 30 steps, {name}: distance of their way", ((found[f"weight/{name}"] - theirs).norm() / (theirs - w).norm()).item(),
              1e-3)  # fmt: skip


def schedules():
    steps, warmup = 500, 40

    def theirs(name, **more):
        leaf = torch.nn.Parameter(torch.zeros(1))
        optimizer = torch.optim.SGD([leaf], lr=0.3)
        scheduler = get_scheduler(name, optimizer, num_warmup_steps=warmup, num_training_steps=steps, **more)
        rates = []
        for _ in range(steps + 1):
            rates.append(scheduler.get_last_lr()[0])
            optimizer.step()
            scheduler.step()
        return rates

    pairs = [("constant", "constant_with_warmup", {}), ("cosine", "cosine", {}),
             ("linear", "linear", {"decay_fraction": (steps - warmup) / steps})]
    for mine, peer, more in pairs:
        settings = config(steps=steps, lr=0.3, schedule=mine, warmup_steps=warmup, **more)
        found = json.loads(subprocess.run([tool, "schedule", settings], check=True, capture_output=True).stdout)
        expected = theirs(peer)
        # ours counts steps from 1, so that the first learns: warm-up is one step ahead of theirs, the rest even
        differences = [abs(found[step - 1] - (expected[step] if step < warmup else expected[step - 1]))
                       for step in range(1, steps + 1) if step != warmup]
        check(f"schedule {mine} beside diffusers' {peer}", max(differences), 1e-7)


def average():
    torch.manual_seed(1)
    path = [torch.randn(64, 32) for _ in range(60)]
    model = torch.nn.Linear(32, 64, bias=False)

    def put(weight):
        with torch.no_grad():
            model.weight.copy_(weight)

    put(path[0])
    peer = EMAModel(model.parameters(), decay=0.97)
    peer.step(model.parameters())  # its first step only copies
    for weight in path[1:]:
        put(weight)
        peer.step(model.parameters())
    found = ours("average", {f"weight/{i}/w": weight for i, weight in enumerate(path)}, config(ema_decay=0.97))
    check("EMA beside diffusers' EMAModel", relative(found["average/w"], peer.shadow_params[0]), 2e-7)  # 60 roundings of 6e-8


adamw()
adamw8bit()
muon()
schedules()
average()
if failures:
    sys.exit("Too far from the peers: " + "; ".join(failures))
