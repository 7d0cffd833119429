"""Steps of the model of step_bench.cpp in Python: step_peer.py FILE STEPS eager|compile → JSON."""
import json
import sys
import time

import torch
import torch.nn.functional as F
from dit_peer import BATCH, Dit
from safetensors.torch import load_file

torch.set_num_threads(1)
tensors = load_file(sys.argv[1])
clips, target, times, words = (tensors.pop(name) for name in BATCH)

model = Dit(tensors)
step = torch.compile(model) if sys.argv[3] == "compile" else model
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, betas=(0.9, 0.95), weight_decay=0, fused=True)
seconds, losses = [], []
for i in range(int(sys.argv[2]) + (1 if sys.argv[3] == "compile" else 0)):  # the first compiles
    began = time.process_time()
    loss = F.mse_loss(step(clips, times, words), target)
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    losses.append(loss.item())
    seconds.append(time.process_time() - began)
print(json.dumps({"seconds": seconds[1:] if sys.argv[3] == "compile" else seconds, "losses": losses[: int(sys.argv[2])]}))
