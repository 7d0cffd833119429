"""Runs of dailies-train under every layout that a machine's GPUs can hold, beside one process: the same losses, and what
each costs. Moments in the host's memory are tried on one GPU, too.

layouts.py DAILIES_TRAIN FOLDER [cuda|cpu] [RANKS]     RANKS: default as many as there are GPUs, at most 2
"""
import json
import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

program, folder = sys.argv[1], Path(sys.argv[2])
device = sys.argv[3] if len(sys.argv) > 3 else "cuda"


def gpus():
    listed = subprocess.run(["nvidia-smi", "--list-gpus"], capture_output=True, text=True)
    return len(listed.stdout.splitlines())


most = int(sys.argv[4]) if len(sys.argv) > 4 else min(gpus(), 2)
STEPS, FAR = 12, 1e-4
CONFIG = {
    "steps": STEPS,
    "model": {"width": 256, "depth": 4, "heads": 4},
    "data": {"frames": 8, "height": 32, "width": 32, "batch_size": 4},
    "sampling": {"every": 1000, "steps": 2, "adherence_clips": 0},
    "checkpoint": {"every": 1000},
    # faster ones carry the rounding of gradients that are all but zero, which AdamW divides by themselves
    "optimizer": {"lr": 1e-4, "warmup_steps": 2, "accumulate": 2},
    "runtime": {"device": device, "log_every": 1},
}
ALONE = {"one process": {}, "moments on the host": {"optimizer": {"offload": True}}}
TOGETHER = {
    "dp": {},
    "zero1": {"layout": {"shard": "zero1"}},
    "zero2": {"layout": {"shard": "zero2"}},
    "zero3": {"layout": {"shard": "zero3"}},
    "zero3, moments on the host": {"layout": {"shard": "zero3"}, "optimizer": {"offload": True}},
    "Ulysses": {"layout": {"cp": 2}},
    "ring": {"layout": {"cp": 2, "ring": 2}},
    "tp": {"layout": {"tp": 2}},
    "pp": {"layout": {"pp": 2}},
}


def metrics(name, ranks, changes):
    """Those of each step, once it is trained by so many ranks."""
    run = folder / name.replace(" ", "-").replace(",", "")
    shutil.rmtree(run, ignore_errors=True)
    run.mkdir(parents=True)
    config = {**CONFIG, **{key: {**CONFIG.get(key, {}), **value} for key, value in changes.items()}}
    (run / "config.json").write_text(json.dumps(config))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    started = []
    for rank in range(ranks):
        place = {"RANK": str(rank), "LOCAL_RANK": str(rank), "WORLD_SIZE": str(ranks), "MASTER_ADDR": "127.0.0.1",
                 "MASTER_PORT": port}  # fmt: skip
        output = open(run / f"output-{rank}.txt", "w")
        started.append(subprocess.Popen([program, "train", "--config", run / "config.json"], stdout=output,
                                        stderr=output, env={**os.environ, **place}))  # fmt: skip
    if any([process.wait() for process in started]):
        sys.exit(f"{name} failed:\n" + (run / "output-0.txt").read_text())
    events = [json.loads(line) for line in (run / "events.jsonl").read_text().splitlines()]
    found = {}
    for event in events:
        if event["type"] == "metrics":
            found.setdefault(event["step"], {}).update(event["values"])
    return found


expected, status = None, 0
print(f"{'layout':28}{'ranks':>6}{'losses apart':>14}{'tokens/s':>12}{'GiB a rank':>12}")
for ranks, layouts in ((1, ALONE), (2, TOGETHER)):
    if ranks > most:
        print(f"{len(layouts)} layouts are left out: they take {ranks} GPUs")
        continue
    for name, changes in layouts.items():
        found = metrics(name, ranks, changes)
        expected = expected or found
        apart = max(abs(found[step]["loss"] / expected[step]["loss"] - 1) for step in range(1, STEPS + 1))
        last = found[STEPS]
        verdict = "" if apart <= FAR else "  TOO FAR"
        status |= apart > FAR
        print(f"{name:28}{ranks:6}{apart:14.1e}{last['tokens_per_second']:12,.0f}{last['memory_gib']:12.2f}{verdict}")
sys.exit(status)
