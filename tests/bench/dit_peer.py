"""The model of step_bench.cpp and shard_bench.cpp as one would write it in Python."""
import sys
from pathlib import Path

import torch
import torch.nn.functional as F

sys.path.append(str(Path(__file__).parents[1] / "support"))
from rotary import rope, turned

WIDTH, HEADS, PATCH = 384, 6, 8
BATCH = ("clips", "target", "times", "words")


class Block(torch.nn.Module):
    def __init__(self, weights):
        super().__init__()
        self.weights = torch.nn.ParameterDict({key.replace(".", "_"): value for key, value in weights.items()})

    def forward(self, x, shared, cos, sin):
        w = self.weights
        shift1, scale1, gate1, shift2, scale2, gate2 = (shared + w["modulation"]).unsqueeze(2).unbind(1)
        y = F.layer_norm(x, (WIDTH,), eps=1e-6) * (1 + scale1) + shift1
        q, k, v = F.linear(y, w["qkv_weight"]).unflatten(-1, (3, HEADS, -1)).unbind(2)
        q, k = (turned(F.rms_norm(z, z.shape[-1:], w[name], 1e-6), cos, sin)
                for z, name in ((q, "query_norm_weight"), (k, "key_norm_weight")))  # fmt: skip
        y = F.scaled_dot_product_attention(q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2))
        x = x + gate1 * F.linear(y.transpose(1, 2).flatten(2), w["attention_out_weight"])
        y = F.layer_norm(x, (WIDTH,), eps=1e-6) * (1 + scale2) + shift2
        y = F.gelu(F.linear(y, w["mlp_in_weight"], w["mlp_in_bias"]))
        return x + gate2 * F.linear(y, w["mlp_out_weight"], w["mlp_out_bias"])


class Dit(torch.nn.Module):
    def __init__(self, weights):
        super().__init__()
        own = {key.replace(".", "_"): value for key, value in weights.items() if not key.startswith("blocks.")}
        self.weights = torch.nn.ParameterDict(own)
        self.blocks = torch.nn.ModuleList(
            Block({key.split(".", 2)[2]: value for key, value in weights.items() if key.startswith(f"blocks.{i}.")})
            for i in range(1 + max(int(key.split(".")[1]) for key in weights if key.startswith("blocks.")))
        )
        self.cos, self.sin = rope(8, 8, 8, WIDTH // HEADS)

    def forward(self, clips, times, words):
        w = self.weights
        n, frames, height, width, colours = clips.shape
        patches = clips.view(n, frames, height // PATCH, PATCH, width // PATCH, PATCH, colours)
        x = F.linear(patches.permute(0, 1, 2, 4, 3, 5, 6).flatten(4).flatten(1, 3), w["patch_weight"], w["patch_bias"])
        x = x + w["positions"]
        frequencies = torch.exp(torch.arange(WIDTH // 2) * (-torch.log(torch.tensor(10000.0)) / (WIDTH // 2)))
        angles = torch.outer(times * 1000, frequencies)
        inner = F.silu(F.linear(torch.cat([angles.cos(), angles.sin()], -1), w["time_in_weight"], w["time_in_bias"]))
        steering = F.silu(F.linear(inner, w["time_out_weight"], w["time_out_bias"]) + words @ w["caption_embedding"])
        shared = F.linear(steering, w["modulation_weight"], w["modulation_bias"]).view(n, 6, WIDTH)
        for block in self.blocks:
            x = block(x, shared, self.cos, self.sin)
        last = F.linear(steering, w["final_modulation_weight"], w["final_modulation_bias"]).view(n, 2, 1, WIDTH)
        x = F.layer_norm(x, (WIDTH,), eps=1e-6) * (1 + last[:, 1]) + last[:, 0]
        x = F.linear(x, w["final_weight"], w["final_bias"])
        x = x.view(n, frames, height // PATCH, width // PATCH, PATCH, PATCH, colours)
        return x.permute(0, 1, 2, 4, 3, 5, 6).reshape(clips.shape)
