"""Our objectives, noise levels and samplers beside diffusers' schedulers.

diffusion_as_diffusers.py DIFFUSION_TOOL
"""
import json
import subprocess
import sys

import numpy as np
import torch
from diffusers import (DDIMScheduler, DPMSolverMultistepScheduler, EDMEulerScheduler, FlowMatchEulerDiscreteScheduler,
                       HeunDiscreteScheduler, UniPCMultistepScheduler)
from diffusers.training_utils import compute_density_for_timestep_sampling, compute_snr

tool = subprocess.Popen([sys.argv[1]], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
failures = []
mixture = {"mean": 0.8, "deviation": 0.3}
torch.manual_seed(0)
noise = torch.randn(4, 16)  # schedulers want [batch, channels, …]


def check(what, found, limit):
    found = float(found)
    verdict = "ok" if found <= limit else "TOO FAR"
    print(f"{what}: {found:.2g} (at most {limit:g}) {verdict}")
    if not found <= limit:
        failures.append(what)


def ours(ask, config=None, **words):
    tool.stdin.write(json.dumps({"ask": ask, "config": config or {}, **words}) + "\n")
    tool.stdin.flush()
    return json.loads(tool.stdout.readline())


def relative(a, b):
    a, b = torch.as_tensor(a, dtype=torch.float64), torch.as_tensor(b, dtype=torch.float64)
    a, b = a.flatten(), b.flatten()
    return ((a - b).abs() / b.abs().clamp_min(1)).max()


def denoise(z, alpha, sigma):
    mean, deviation = mixture["mean"], mixture["deviation"]
    v = alpha**2 * deviation**2 + sigma**2
    side = torch.tanh(z * (alpha * mean / v)) * mean
    return side + (z - alpha * side) * (alpha * deviation**2 / v)


def walk(scheduler, points, output):
    """The z that a scheduler visits, each a model input, and its clip at last."""
    z = noise * points[0][1]
    seen = []
    for timestep, (alpha, sigma) in zip(scheduler.timesteps, points):
        seen.append(z)
        z = scheduler.step(output(z, alpha, sigma, denoise(z, alpha, sigma)), timestep, z).prev_sample
    return seen, z


def compare(name, sampler, scheduler, points, grid, output, limit=1e-5):
    seen, clip = walk(scheduler, points, output)
    answer = ours("sample", sampler=sampler, noise=noise.flatten().tolist(), mixture=mixture,
                  alpha=[float(a) for a, _ in grid], sigma=[float(s) for _, s in grid])
    steps = len(seen)
    assert len(answer["seen"]) == steps, f"{name}: {len(answer['seen'])} evaluations, theirs {steps}"
    worst = max(relative(a, b) for a, b in zip(answer["seen"], seen))
    check(f"{name}, {len(grid) - 1} steps, every z", max(worst, relative(answer["clip"], clip)), limit)


# EDM: scalings, grid, Euler; sigma_data as trained and the grid as sampled
edm = {"objective": "edm", "prediction": "velocity", "sigma_data": 0.5}
peer = EDMEulerScheduler(sigma_data=0.5)
for steps in (10, 35):
    peer.set_timesteps(steps)
    grid = ours("grid", edm, steps=steps)
    check(f"EDM's grid, {steps} steps", relative(grid["sigma"], peer.sigmas), 1e-7 * 80)
    check(f"EDM's times, {steps} steps",
          max(abs(ours("network", edm, level=s, z=[0], output=[0], clip=[0], noise=[0])["time"] - float(t))
              for s, t in zip(grid["sigma"], peer.timesteps)), 1e-6)
clip, e, output = torch.randn(64), torch.randn(64), torch.randn(64)
for sigma in (0.002, 0.3, 1.0, 20.0, 80.0):
    z = clip + sigma * e
    mine = ours("network", edm, level=sigma, z=z.tolist(), output=output.tolist(), clip=clip.tolist(), noise=e.tolist())
    check(f"EDM's scaled input at sigma {sigma}", relative(mine["input"], peer.precondition_inputs(z, torch.tensor(sigma))), 1e-6)
    check(f"EDM's denoised clip at sigma {sigma}",
          relative(mine["clean"], peer.precondition_outputs(z, output, torch.tensor(sigma))), 1e-6)
    denoised = peer.precondition_outputs(z.double(), output.double(), torch.tensor(sigma, dtype=torch.float64))
    weight = (sigma**2 + 0.25) / (sigma * 0.5) ** 2
    check(f"EDM's loss at sigma {sigma}, relative to lambda |D - x|^2",
          abs(mine["loss"] / (weight * (denoised - clip.double()) ** 2).mean() - 1), 1e-4)


def edm_output(z, alpha, sigma, clean):
    """The F that means this clean clip."""
    skip = 0.25 / (sigma**2 + 0.25)
    return (clean - skip * z) / (sigma * 0.5 / (sigma**2 + 0.25) ** 0.5)


peer.set_timesteps(35)
peer.is_scale_input_called = True
points = [(1.0, s) for s in peer.sigmas]
compare("Euler as EDMEulerScheduler", "euler", peer, points[:-1], points, edm_output)

# Heun in sigma
heun = HeunDiscreteScheduler(use_karras_sigmas=True, prediction_type="sample")
heun.set_timesteps(20)
visited = [(1.0, s) for s in heun.sigmas[:-1]]  # every sigma but the first is visited at the end of a step and again
compare("Heun as HeunDiscreteScheduler", "heun", heun, visited[:1] + visited[1:],
        [visited[0]] + visited[1::2] + [(1.0, 0.0)], lambda z, a, s, clean: clean)

# preferences, as Diffusion-DPO's own training has it (SalesforceAIResearch/DiffusionDPO, train.py): of clips that were preferred
# first and the others behind them, where ours stand pair by pair
errors, reference = torch.rand(2, 8, dtype=torch.float64), torch.rand(2, 8, dtype=torch.float64)
for beta in (5.0, 2000.0):
    model_diff, ref_diff = errors[0] - errors[1], reference[0] - reference[1]
    wanted = -torch.nn.functional.logsigmoid(-0.5 * beta * (model_diff - ref_diff))
    found = ours("preference", errors=errors.T.flatten().tolist(), reference=reference.T.flatten().tolist(), beta=beta)["losses"]
    found = torch.tensor(found, dtype=torch.float64).view(8, 2)
    check(f"preferences, beta {beta:g}", max(relative(found[:, 0], wanted), relative(found[:, 1], wanted)), 2e-6)

# rectified flow: shifted grid, Euler, UniPC, DPM++ 2M
for shift in (1.0, 3.0):
    flow = FlowMatchEulerDiscreteScheduler(shift=shift)
    flow.set_timesteps(sigmas=np.linspace(1, 1 / 20, 20))
    grid = ours("grid", {"shift": shift}, steps=20)
    check(f"flow's grid, shift {shift:g}", relative(grid["sigma"], flow.sigmas), 2e-7)
    points = [(1 - s, s) for s in flow.sigmas]
    compare(f"Euler as FlowMatchEulerDiscreteScheduler, shift {shift:g}", "euler", flow, points[:-1], points,
            lambda z, a, s, clean: (z - clean) / s)
# LTX-Video: a shift that grows with the tokens, and a last step that begins at a tenth of noise
for tokens in (1024, 2688, 6000):
    flow = FlowMatchEulerDiscreteScheduler(use_dynamic_shifting=True, base_shift=0.95, max_shift=2.05, base_image_seq_len=1024,
                                           max_image_seq_len=4096, shift_terminal=0.1)  # fmt: skip
    flow.set_timesteps(sigmas=np.linspace(1, 1 / 30, 30), mu=0.95 + (2.05 - 0.95) * (tokens - 1024) / (4096 - 1024))
    grid = ours("grid", {"shift": np.exp(0.95), "shift_tokens": 1024, "shift_growth": 1.1 / 3.072, "shift_terminal": 0.1},
                steps=30, tokens=tokens)  # fmt: skip
    check(f"LTX-Video's grid, {tokens} tokens", relative(grid["sigma"], flow.sigmas), 5e-7)
for name, sampler, peer_class in (("UniPC as UniPCMultistepScheduler", "unipc", UniPCMultistepScheduler),
                                  ("DPM++ 2M as DPMSolverMultistepScheduler", "dpmpp_2m", DPMSolverMultistepScheduler)):
    for steps, shift in ((10, 1.0), (20, 3.0)):
        peer = peer_class(prediction_type="flow_prediction", use_flow_sigmas=True, flow_shift=shift)
        peer.set_timesteps(steps)
        points = [(1 - s, s) for s in peer.sigmas]
        compare(f"{name}, flow, shift {shift:g}", sampler, peer, points[:-1], points, lambda z, a, s, clean: (z - clean) / s)

# v: the schedule, its rescaling, DDIM as our Euler, and the same multistep samplers on that path
for schedule, theirs in (("scaled_linear", dict(beta_schedule="scaled_linear", beta_start=0.00085, beta_end=0.012)),
                         ("linear", dict(beta_schedule="linear")), ("cosine", dict(beta_schedule="squaredcos_cap_v2"))):
    for zero in (False, True):
        config = {"objective": "v_prediction", "prediction": "velocity", "noise_schedule": schedule, "zero_terminal_snr": zero}
        ddim = DDIMScheduler(**theirs, rescale_betas_zero_snr=zero, prediction_type="v_prediction", clip_sample=False,
                             timestep_spacing="trailing")
        steps = torch.tensor([0, 1, 10, 250, 500, 900, 998, 999])
        mine = ours("points", config, levels=[(int(k) + 1) / 1000 for k in steps])
        check(f"alphas of {schedule}{', zero SNR' if zero else ''}",
              relative(mine["alpha"], ddim.alphas_cumprod[steps].clamp_min(0).sqrt()), 2e-5)
        if zero:
            continue
        snr = compute_snr(ddim, steps)
        weights = [ours("network", {**config, "min_snr_gamma": g}, level=(int(k) + 1) / 1000, z=[0], output=[1], clip=[0],
                        noise=[0])["loss"] for k in steps for g in (5.0,)]
        check(f"min-SNR weights of {schedule}", relative(weights, torch.minimum(snr, torch.tensor(5.0)) / (snr + 1)), 1e-4)
config = {"objective": "v_prediction", "prediction": "velocity"}
ddim = DDIMScheduler(beta_schedule="scaled_linear", beta_start=0.00085, beta_end=0.012, rescale_betas_zero_snr=True,
                     prediction_type="v_prediction", clip_sample=False, timestep_spacing="trailing")
ddim.set_timesteps(20)
alphas = torch.cat([ddim.alphas_cumprod[ddim.timesteps], torch.ones(1)]).clamp_min(0)
points = [(a.sqrt(), (1 - a).sqrt()) for a in alphas]
grid = ours("grid", config, steps=20)
check("v's grid, 20 steps", relative(grid["alpha"], [a for a, _ in points]), 2e-5)
compare("Euler as DDIMScheduler", "euler", ddim, points[:-1], points, lambda z, a, s, clean: (a * z - clean) / s)
for name, sampler, peer_class in (("UniPC, v", "unipc", UniPCMultistepScheduler), ("DPM++ 2M, v", "dpmpp_2m", DPMSolverMultistepScheduler)):
    peer = peer_class(beta_schedule="scaled_linear", beta_start=0.00085, beta_end=0.012, prediction_type="v_prediction",
                      timestep_spacing="trailing", final_sigmas_type="zero")
    peer.set_timesteps(20)
    points = [(1 / (1 + s**2) ** 0.5, s / (1 + s**2) ** 0.5) for s in peer.sigmas]
    compare(name, sampler, peer, points[:-1], points, lambda z, a, s, clean: (a * z - clean) / s)

# how times are drawn, given the same random numbers
normal = torch.randn(2000, generator=torch.Generator().manual_seed(7))
theirs = compute_density_for_timestep_sampling("logit_normal", 2000, 0.4, 1.3, generator=torch.Generator().manual_seed(7))
mine = ours("levels", {"timestep_mean": -0.4, "timestep_std": 1.3}, quantiles=torch.special.ndtr(normal.double()).tolist())
check("logit-normal times", relative(mine["levels"], theirs), 1e-6)
for scale in (1.29, -0.5):
    theirs = compute_density_for_timestep_sampling("mode", 2000, mode_scale=scale, generator=torch.Generator().manual_seed(7))
    uniform = torch.rand(2000, generator=torch.Generator().manual_seed(7))
    mine = ours("levels", {"timesteps": "mode", "mode_scale": scale}, quantiles=(1 - uniform.double()).tolist())
    check(f"mode times, scale {scale}", relative(mine["levels"], theirs), 1e-6)

if failures:
    sys.exit("Too far from diffusers: " + "; ".join(failures))
