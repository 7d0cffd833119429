"""Animate Anyone at Stable Diffusion's sizes on one GPU, on figures that stand for latents (three channels instead of four, the
same places): what a step takes, and its peak beside the plan, with blocks recomputed and without.

animate_memory.py DAILIES_TRAIN FOLDER [--small]     --small: a tiny model on a CPU, to try the script
"""
import sys
from pathlib import Path

from trained_runs import memory, merged, step_seconds, train

program, folder, small = sys.argv[1], Path(sys.argv[2]), "--small" in sys.argv
STEPS, WARM_UP, FAR = 6, 2, 0.15
CONFIG = {
    "steps": STEPS,
    "model": {"family": "animate", "width": 32 if small else 320, "depth": 1 if small else 2, "heads": 4 if small else 8,
              "patch_frames": 1, "patch_size": 1},
    "data": {"source": "figures", "frames": 1, "height": 96, "width": 96, "batch_size": 4},
    "diffusion": {"objective": "v_prediction", "prediction": "velocity", "timesteps": "uniform"},
    "optimizer": {"name": "adamw8bit", "lr": 1e-5, "ema_decay": 0},
    "sampling": {"every": STEPS - 1, "steps": 1, "adherence_clips": 0},  # the peak is that of sampling, too
    "checkpoint": {"every": 1000},
    "runtime": {"device": "cpu" if small else "cuda", "precision": "fp32" if small else "bf16", "log_every": 1},
}  # fmt: skip
side = 16 if small else 64
STAGE_2 = {"model": {"motion": "v2", "init": str(folder / f"stage-1-full/checkpoints/step-{STEPS:09}")}, "data": {"frames": 24, "height": side, "width": side, "batch_size": 1},
           "optimizer": {"freeze": ["*", "!motion_modules"]}}  # fmt: skip
if small:
    CONFIG = merged(CONFIG, {"data": {"height": 16, "width": 16}})

status = 0
print(f"{'':52}{'ms a step':>11}{'GiB planned':>13}{'GiB at most':>13}")
for stage, what, changes in ((1, "4 pictures of 96 × 96 places", {}), (2, "24 frames of 64 × 64 places", STAGE_2)):
    for recompute in ("full", "none"):
        name = f"stage {stage}, {what}, recompute {recompute}"
        try:
            start, steps = train(program, folder / f"stage-{stage}-{recompute}",
                                 merged(merged(CONFIG, changes), {"model": {"recompute": recompute}}))  # fmt: skip
        except RuntimeError as error:
            print(f"{name} FAILED:\n{error}", flush=True)
            status = 1
            continue
        planned, peak = memory(start, steps)
        far = abs(planned / peak - 1) > FAR
        status |= far
        print(f"{name:52}{1e3 * step_seconds(steps, WARM_UP):11.1f}{planned:13.2f}{peak:13.2f}{'  PLANNED WRONG' if far else ''}",
              flush=True)  # fmt: skip
sys.exit(status)
