"""Scorers that Python wrote, in dailies-train: modules of torch.jit.script give the numbers that they give in Python on frames that
PyAV decodes, and our Fréchet distance is that of SciPy's matrix square root.

scorers_of_python.py SCORING_TOOL DAILIES_TRAIN
"""
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Dict

import av
import numpy as np
import scipy.linalg
import torch
from safetensors.torch import save_file

tool, trainer = sys.argv[1:]
folder = Path(tempfile.mkdtemp())
run = folder / "0123456789abcdef0123456789abcdef"
rng = np.random.default_rng(3)
failures = []


def check(what, error, limit):
    print(f"{what}: {error:.2e} (at most {limit:.0e})")
    if not error <= limit:
        failures.append(what)


def frechet(a, b):
    """As pytorch-fid and common FVD programs have it."""
    a, b = a.astype(np.float64), b.astype(np.float64)
    ca, cb = np.cov(a, rowvar=False), np.cov(b, rowvar=False)
    root = scipy.linalg.sqrtm(ca @ cb).real
    return ((a.mean(0) - b.mean(0)) ** 2).sum() + np.trace(ca + cb - 2 * root)


def distances():
    for count, width in ((500, 8), (200, 64), (3000, 256)):
        a = rng.normal(size=(count, width)) @ rng.normal(size=(width, width))
        b = rng.normal(size=(count, width)) @ rng.normal(size=(width, width)) + 0.3
        a, b = a.astype(np.float32), b.astype(np.float32)
        save_file({"a": torch.from_numpy(a), "b": torch.from_numpy(b)}, folder / "features.safetensors")
        ours = float(subprocess.run([tool, folder / "features.safetensors"], check=True, capture_output=True, text=True).stdout)
        theirs = frechet(a, b)
        check(f"Fréchet distance, {count} of {width}", abs(ours - theirs) / theirs, 1e-9)


class Scorer(torch.nn.Module):
    """What people write: scales and resizes the frames itself, has weights, reads the caption, gives several numbers."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(1)
        self.layers = torch.nn.Sequential(torch.nn.Conv3d(3, 8, 3, stride=2), torch.nn.GELU(), torch.nn.AdaptiveAvgPool3d(2),
                                          torch.nn.Flatten(), torch.nn.Linear(64, 4))

    def scaled(self, frames: torch.Tensor) -> torch.Tensor:
        x = frames.float() / 127.5 - 1
        x = torch.nn.functional.interpolate(x, size=[32, 32], mode="bilinear", antialias=True)
        return x.permute(1, 0, 2, 3).unsqueeze(0)

    def forward(self, frames: torch.Tensor, caption: str) -> Dict[str, torch.Tensor]:
        if frames.shape[0] < 8:
            raise ValueError("wants 8 frames")
        if "impossible" in caption:
            return {"quality": torch.tensor(float("nan"))}
        x = self.layers(self.scaled(frames))
        return {"quality": x.mean(), "spread": x.std(), "words": torch.tensor(len(caption.split(" ")))}

    @torch.jit.export
    def features(self, frames: torch.Tensor) -> torch.Tensor:
        return self.layers(self.scaled(frames))[0]


def write(file, frames, shift):
    file.parent.mkdir(parents=True, exist_ok=True)
    with av.open(str(file), "w") as out:
        stream = out.add_stream("libx264", rate=8, options={"crf": "4"})
        stream.width = stream.height = 64
        stream.pix_fmt = "yuv420p"
        y, x = np.mgrid[0:64, 0:64]
        for i in range(frames):
            picture = np.stack([np.sin(x / 9 + i / 3 + shift), np.cos(y / 7 - i / 5 + shift), np.sin((x + y) / 11 + shift)], -1)
            out.mux(stream.encode(av.VideoFrame.from_ndarray(np.uint8(127 + 120 * picture), format="rgb24")))
        out.mux(stream.encode())


def frames_of(file):
    with av.open(str(file)) as video:
        return torch.from_numpy(np.stack([f.to_ndarray(format="rgb24") for f in video.decode(video=0)])).permute(0, 3, 1, 2).contiguous()


def scores(module):
    events = []

    def clip(step, prompt, frames, shift):
        path = f"clips/step-{step}/{len(events)}.mp4"
        write(run / path, frames, shift)
        events.append({"seq": len(events) + 1, "attempt": 1, "time": 1.0, "type": "clip", "step": step, "prompt": prompt, "seed": 1,
                       "path": path, "frames": frames, "height": 64, "width": 64, "fps": 8})

    for i in range(5):
        clip(100, "a red square", 8, i / 4)
        write(folder / f"reference/{i}.mp4", 8, i / 2)
    clip(200, "too short", 4, 0)
    clip(200, "an impossible thing", 8, 0)
    (run / "events.jsonl").write_text("".join(json.dumps(e) + "\n" for e in events))
    torch.jit.save(torch.jit.script(module), folder / "scorer.pt")
    subprocess.run([trainer, "score", "--run-dir", folder / "job", "--scorer", folder / "scorer.pt", "--run", run, "--name", "peer",
                    "--reference", folder / "reference"], check=True, stdout=subprocess.DEVNULL)
    given = [json.loads(line) for line in (folder / "job/events.jsonl").read_text().splitlines()]
    given = {e["path"] or f"step {e['step']}": e for e in given if e["type"] == "score"}
    with torch.no_grad():
        for event in events[:5]:
            theirs = module(frames_of(run / event["path"]), event["prompt"])
            for key, value in theirs.items():
                check(f"{event['path']} {key}", abs(given[event["path"]]["values"][f"score/peer/{key}"] - value.item()), 2e-3)
        a = np.stack([module.features(frames_of(run / e["path"])).numpy() for e in events[:5]])
        b = np.stack([module.features(frames_of(folder / f"reference/{i}.mp4")).numpy() for i in range(5)])
        theirs = frechet(a, b)
        check("distance of a step to the reference", abs(given["step 100"]["values"]["score/peer/frechet"] / theirs - 1), 2e-2)
    for event, problem in ((events[5], "wants 8 frames"), (events[6], "gave NaN for quality")):
        if problem not in given[event["path"]].get("problem", ""):
            failures.append(f"{event['path']}: {given[event['path']]}")


distances()
scores(Scorer().eval())
if failures:
    sys.exit("failed: " + ", ".join(failures))
