"""Runs of dailies-train under every layout that a machine's GPUs can hold, beside one process: the same losses, and what
each costs. What a run may ask of a GPU is tried on one, too: moments in the host's memory, batches made ahead, passes
recorded as graphs.

layouts.py DAILIES_TRAIN FOLDER [cuda|cpu] [RANKS]     RANKS: default as many as there are GPUs, at most 2
"""
import subprocess
import sys
from pathlib import Path

from trained_runs import memory, merged, step_seconds, train

program, folder = sys.argv[1], Path(sys.argv[2])
device = sys.argv[3] if len(sys.argv) > 3 else "cuda"


def gpus():
    listed = subprocess.run(["nvidia-smi", "--list-gpus"], capture_output=True, text=True)
    return len(listed.stdout.splitlines())


most = int(sys.argv[4]) if len(sys.argv) > 4 else min(gpus(), 2)
STEPS, WARM_UP, FAR = 12, 5, 1e-4
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
if device == "cuda":
    ALONE |= {
        "prepared ahead": {"runtime": {"prepare_ahead": True}},
        "graphs": {"runtime": {"cuda_graphs": True}},
        "prepared ahead, graphs": {"runtime": {"prepare_ahead": True, "cuda_graphs": True}},
    }
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

expected, status = None, 0
print(f"{'layout':28}{'ranks':>6}{'losses apart':>14}{'ms a step':>11}{'GiB planned':>13}{'GiB at most':>13}")
for ranks, layouts in ((1, ALONE), (2, TOGETHER)):
    if ranks > most:
        print(f"{len(layouts)} layouts are left out: they take {ranks} GPUs")
        continue
    for name, changes in layouts.items():
        try:
            start, steps = train(program, folder / name.replace(" ", "-").replace(",", ""), merged(CONFIG, changes), ranks)
        except RuntimeError as error:
            print(f"{name} FAILED:\n{error}")
            status = 1
            continue
        expected = expected or steps
        apart = max(abs(steps[step]["loss"] / expected[step]["loss"] - 1) for step in range(1, STEPS + 1))
        planned, peak = memory(start, steps)
        status |= apart > FAR
        verdict = "  TOO FAR" if apart > FAR else ""
        print(f"{name:28}{ranks:6}{apart:14.1e}{1e3 * step_seconds(steps, WARM_UP):11.1f}{planned:13.2f}{peak:13.2f}{verdict}",
              flush=True)  # fmt: skip
sys.exit(status)
