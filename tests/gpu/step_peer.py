"""The model that `gpu_check speed` measures, as one would write it in PyTorch, on the same GPU: eager and torch.compile.

Fused AdamW, bf16 autocast, clipping and cuDNN attention first, as there. Prints milliseconds a step (the middle of 20, by
CUDA events) and the share of the peak by the same count of operations."""
import statistics
import sys
import traceback
from pathlib import Path

import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

sys.path.append(str(Path(__file__).parents[1] / "support"))
from rotary import rope, turned

WIDTH, DEPTH, HEADS, PATCH, CHANNELS, WORDS = 2048, 24, 16, 2, 16, 16
FRAMES, SIDE = 8, 64
TOKENS = FRAMES * (SIDE // PATCH) ** 2
INPUTS = PATCH * PATCH * CHANNELS
WARM_UP, STEPS, PEAK = 5, 20, 989e12
# of a forward pass: four matrices of attention, two of the MLP (four times as wide), scores and mixtures
FORWARD = DEPTH * TOKENS * (2 * WIDTH * WIDTH * (4 + 8) + 4 * TOKENS * WIDTH) + 4 * TOKENS * WIDTH * INPUTS


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.modulation = torch.nn.Parameter(torch.randn(6, WIDTH) * 0.02)
        self.qkv = torch.nn.Linear(WIDTH, 3 * WIDTH, bias=False)
        self.query_norm = torch.nn.Parameter(torch.ones(WIDTH // HEADS))
        self.key_norm = torch.nn.Parameter(torch.ones(WIDTH // HEADS))
        self.attention_out = torch.nn.Linear(WIDTH, WIDTH, bias=False)
        self.mlp_in = torch.nn.Linear(WIDTH, 4 * WIDTH)
        self.mlp_out = torch.nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x, shared, cos, sin):
        shift1, scale1, gate1, shift2, scale2, gate2 = (shared + self.modulation).unsqueeze(2).unbind(1)
        y = F.layer_norm(x, (WIDTH,), eps=1e-6) * (1 + scale1) + shift1
        q, k, v = self.qkv(y).unflatten(-1, (3, HEADS, -1)).unbind(2)
        q, k = (turned(F.rms_norm(z.float(), z.shape[-1:], g, 1e-6), cos, sin).to(v.dtype)
                for z, g in ((q, self.query_norm), (k, self.key_norm)))  # fmt: skip
        y = F.scaled_dot_product_attention(q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2))
        x = x + gate1 * self.attention_out(y.transpose(1, 2).flatten(2))
        y = F.layer_norm(x, (WIDTH,), eps=1e-6) * (1 + scale2) + shift2
        return x + gate2 * self.mlp_out(F.gelu(self.mlp_in(y), approximate="tanh"))


class Dit(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.patch = torch.nn.Linear(INPUTS, WIDTH)
        self.time_in = torch.nn.Linear(WIDTH, WIDTH)
        self.time_out = torch.nn.Linear(WIDTH, WIDTH)
        self.caption = torch.nn.Parameter(torch.randn(WORDS, WIDTH))
        self.modulation = torch.nn.Linear(WIDTH, 6 * WIDTH)
        self.blocks = torch.nn.ModuleList(Block() for _ in range(DEPTH))
        self.final_modulation = torch.nn.Linear(WIDTH, 2 * WIDTH)
        self.final = torch.nn.Linear(WIDTH, INPUTS)
        cos, sin = rope(FRAMES, SIDE // PATCH, SIDE // PATCH, WIDTH // HEADS)
        self.register_buffer("cos", cos)
        self.register_buffer("sin", sin)

    def forward(self, clips, times, words):
        n, frames, height, width, channels = clips.shape
        with torch.autocast("cuda", enabled=False):  # as in models/layers/linear.h: ends and steering in fp32
            patches = clips.view(n, frames, height // PATCH, PATCH, width // PATCH, PATCH, channels)
            x = self.patch(patches.permute(0, 1, 2, 4, 3, 5, 6).flatten(4).flatten(1, 3))
            half = WIDTH // 2
            frequencies = torch.exp(torch.arange(half, device=x.device) * (-9.210340371976184 / half))
            angles = torch.outer(times * 1000, frequencies)
            inner = F.silu(self.time_in(torch.cat([angles.cos(), angles.sin()], -1)))
            steering = F.silu(self.time_out(inner) + words @ self.caption)
            shared = self.modulation(steering).view(n, 6, WIDTH)
            last = self.final_modulation(steering).view(n, 2, 1, WIDTH)
        for block in self.blocks:
            x = block(x, shared, self.cos, self.sin)
        with torch.autocast("cuda", enabled=False):
            x = F.layer_norm(x, (WIDTH,), eps=1e-6) * (1 + last[:, 1]) + last[:, 0]
            x = self.final(x).view(n, frames, height // PATCH, width // PATCH, PATCH, PATCH, channels)
        return x.permute(0, 1, 2, 4, 3, 5, 6).reshape(clips.shape)


def measure(name, model, network):
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5, betas=(0.9, 0.95), weight_decay=0.01, fused=True)
    clips, target = (torch.randn(1, FRAMES, SIDE, SIDE, CHANNELS, device="cuda") for _ in range(2))
    times, words = torch.rand(1, device="cuda"), torch.ones(1, WORDS, device="cuda")
    seconds = []
    for i in range(WARM_UP + STEPS):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        with torch.autocast("cuda", torch.bfloat16):
            output = network(clips, times, words)
        F.mse_loss(output.float(), target).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0, foreach=True)
        optimizer.step()
        optimizer.zero_grad()
        end.record()
        end.synchronize()
        if i >= WARM_UP:
            seconds.append(begin.elapsed_time(end) / 1e3)
    middle = statistics.median(seconds)
    print(f"{name:<26} {1e3 * middle:7.2f} ms a step, {3 * FORWARD / middle / 1e12:.0f} TFLOP/s, "
          f"MFU {100 * 3 * FORWARD / middle / PEAK:.1f} %", flush=True)  # fmt: skip


torch.manual_seed(1)
torch.backends.cuda.matmul.allow_tf32 = False
model = Dit().cuda()
order = [SDPBackend.CUDNN_ATTENTION, SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION, SDPBackend.MATH]
failed = False
with sdpa_kernel(order, set_priority=True):
    for name, network in (("Python, eager", lambda: model), ("Python, torch.compile", lambda: torch.compile(model))):
        try:
            measure(name, model, network())
        except Exception:  # the other way is still worth measuring
            traceback.print_exc()
            failed = True
sys.exit(failed)
