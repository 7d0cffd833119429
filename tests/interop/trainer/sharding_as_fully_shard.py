"""Weights that two ranks divide (layout.shard zero3) beside the same model under PyTorch's fully_shard, over Gloo.

sharding_as_fully_shard.py SHARDING_TOOL
"""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import torch
from safetensors.torch import load_file

STEPS, RATE = 20, 1e-3
folder = Path(tempfile.mkdtemp())
peer = Path(__file__).parents[2] / "bench" / "shard_peer.py"
failures = []


def check(what, found, limit):
    verdict = "ok" if found <= limit else "TOO FAR"
    print(f"{what}: {found:.3g} (at most {limit:g}) {verdict}")
    if found > limit:
        failures.append(what)


def their_name(name):
    """Of a weight in dit_peer.py."""
    if not name.startswith("blocks."):
        return "weights." + name.replace(".", "_")
    _, index, rest = name.split(".", 2)
    return f"blocks.{index}.weights." + rest.replace(".", "_")


given, ours, theirs = (str(folder / name) for name in ("given", "ours", "theirs"))
subprocess.run([sys.argv[1], given, ours, str(STEPS)], check=True)
answer = subprocess.run([sys.executable, peer, given, str(STEPS), "2", "fully_shard", theirs],
                        check=True, capture_output=True, text=True)  # fmt: skip
ours, theirs, before = load_file(ours), load_file(theirs), load_file(given)
losses, peers = ours.pop("losses"), torch.tensor(json.loads(answer.stdout)["losses"], dtype=torch.float64)
assert peers[-1] < 0.7 * peers[0], "nothing was learned"
check("losses of 20 steps", ((losses - peers) / peers).abs().max().item(), 1e-5)
assert {their_name(name) for name in ours} == set(theirs)
# an element whose gradient is all but zero moves by the rate on the sign of its rounding: AdamW divides by it
apart = torch.cat([(ours[name] - theirs[their_name(name)]).flatten() for name in ours])
moved = torch.cat([(ours[name] - before[name]).flatten() for name in ours])
check("weights apart, of how far they moved", (apart.norm() / moved.norm()).item(), 1e-4)
check("the furthest of them, in rates", apart.abs().max().item() / RATE, 1)
check("share of them further apart than 5e-5", (apart.abs() > 5e-5).double().mean().item(), 1e-4)
sys.exit(1 if failures else 0)
