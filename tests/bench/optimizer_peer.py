"""torch.optim.AdamW(fused=True) on the tensors of checkpoint_bench; prints the median seconds of a step as JSON.

optimizer_peer.py TENSORS ELEMENTS STEPS
"""
import json
import statistics
import sys
import time

import torch

tensors, elements, steps = map(int, sys.argv[1:4])
torch.set_num_threads(1)
weights = [torch.nn.Parameter(torch.zeros(elements // 1024, 1024)) for _ in range(tensors)]
optimizer = torch.optim.AdamW(weights, lr=1e-3, fused=True)
for weight in weights:
    weight.grad = torch.randn_like(weight)
seconds = []
for _ in range(steps):
    begin = time.perf_counter()
    optimizer.step()
    seconds.append(time.perf_counter() - begin)
print(json.dumps({"seconds": statistics.median(seconds[1:])}))
