"""Steps of the model of shard_bench.cpp on ranks that divide its weights with PyTorch's fully_shard, or hold copies of
them with DistributedDataParallel, over Gloo.

shard_peer.py FILE STEPS RANKS fully_shard|ddp [WEIGHTS] → JSON, and of fully_shard the weights after the last step
"""
import json
import os
import socket
import sys
import tempfile
import time
from pathlib import Path

import torch
import torch.distributed as dist
import torch.nn.functional as F
from dit_peer import BATCH, Dit
from safetensors.torch import load_file, save_file
from torch.distributed.checkpoint.state_dict import StateDictOptions, get_model_state_dict
from torch.distributed.fsdp import fully_shard
from torch.nn.parallel import DistributedDataParallel


def train(rank, ranks, port, file, steps, how, weights, out):
    torch.set_num_threads(1)
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
    dist.init_process_group("gloo", rank=rank, world_size=ranks)
    mesh = torch.distributed.device_mesh.init_device_mesh("cpu", (ranks,))
    tensors = load_file(file)
    clips, target, times, words = (tensors.pop(name)[rank : rank + 1] for name in BATCH)
    model = Dit(tensors)
    model.cos, model.sin = model.cos.clone(), model.sin.clone()
    if how == "ddp":
        model = DistributedDataParallel(model)
    else:
        for block in model.blocks:
            fully_shard(block, mesh=mesh)
        fully_shard(model, mesh=mesh)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, betas=(0.9, 0.95), weight_decay=0)
    seconds, losses = [], []
    for _ in range(steps):
        dist.barrier()
        began = time.perf_counter()
        loss = F.mse_loss(model(clips, times, words), target)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        seconds.append(time.perf_counter() - began)
        mean = loss.detach().clone()
        dist.all_reduce(mean)
        losses.append(mean.item() / ranks)
    if weights:
        whole = get_model_state_dict(model, options=StateDictOptions(full_state_dict=True))
        if rank == 0:
            save_file({name: value.contiguous() for name, value in whole.items()}, weights)
    if rank == 0:
        Path(out).write_text(json.dumps({"seconds": seconds, "losses": losses}))
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    file, steps, ranks, how = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
    weights = sys.argv[5] if len(sys.argv) > 5 else None
    with tempfile.TemporaryDirectory() as folder:
        out = str(Path(folder) / "result.json")
        torch.multiprocessing.spawn(train, (ranks, port, file, steps, how, weights, out), nprocs=ranks)
        print(Path(out).read_text())
