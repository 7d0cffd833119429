"""torch.optim.AdamW(fused=True) and bitsandbytes' AdamW8bit on the tensors of checkpoint_bench; prints the median seconds
of a step of each as JSON.

optimizer_peer.py TENSORS ELEMENTS STEPS
"""
import json
import statistics
import sys
import time

import bitsandbytes
import torch

tensors, elements, steps = map(int, sys.argv[1:4])
torch.set_num_threads(1)


def median_step(make):
    weights = [torch.nn.Parameter(torch.zeros(elements // 1024, 1024)) for _ in range(tensors)]
    optimizer = make(weights)
    for weight in weights:
        weight.grad = torch.randn_like(weight)
    seconds = []
    for _ in range(steps):
        begin = time.perf_counter()
        optimizer.step()
        seconds.append(time.perf_counter() - begin)
    return statistics.median(seconds[1:])


print(json.dumps({"adamw": median_step(lambda weights: torch.optim.AdamW(weights, lr=1e-3, fused=True)),
                  "adamw8bit": median_step(lambda weights: bitsandbytes.optim.AdamW8bit(weights, lr=1e-3))}))
