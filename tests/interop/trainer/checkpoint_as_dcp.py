"""Our sharded checkpoints beside torch.distributed.checkpoint: each reads what the other wrote, on other numbers of ranks.

checkpoint_as_dcp.py STATE_TOOL DAILIES_TRAIN
"""
import faulthandler
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from safetensors.torch import load_file, save_file
from torch.distributed.checkpoint.format_utils import dcp_to_torch_save
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import Shard, distribute_tensor
from torch.multiprocessing import spawn

RANKS = 2


def tensors():
    torch.manual_seed(0)
    return {
        "matrix": torch.randn(13, 7),
        "cube": torch.randn(5, 4, 9).to(torch.bfloat16),
        "vector": torch.randn(17),
        "codes": torch.randint(0, 256, (11, 3), dtype=torch.uint8),
        "short": torch.randn(1, 3),  # shorter than there are ranks
    }


def same(found, expected):
    assert found.keys() == expected.keys(), (found.keys(), expected.keys())
    for name, tensor in expected.items():
        assert found[name].dtype == tensor.dtype and torch.equal(found[name], tensor), name


def meet(rank, folder, name):
    faulthandler.enable()  # a rank that aborts says where
    dist.init_process_group("gloo", init_method=f"file://{folder}/{name}", rank=rank, world_size=RANKS)
    return init_device_mesh("cpu", (RANKS,))


def leave():
    """Ends a rank without the interpreter's end, at which a thread of Gloo that wakes late aborts the process."""
    dist.destroy_process_group()
    sys.stdout.flush()
    os._exit(0)


def save(rank, folder):
    mesh = meet(rank, folder, "meet to save")
    dcp.save({name: distribute_tensor(tensor, mesh, [Shard(0)]) for name, tensor in tensors().items()}, checkpoint_id=f"{folder}/theirs")
    leave()


def load(rank, folder, expected):
    mesh = meet(rank, folder, "meet to load")
    state = {name: distribute_tensor(torch.zeros_like(tensor), mesh, [Shard(0)]) for name, tensor in expected.items()}
    dcp.load(state, storage_reader=dcp.HuggingFaceStorageReader(f"{folder}/exported"))
    same({name: tensor.full_tensor() for name, tensor in state.items()}, expected)
    leave()


def main(tool, trainer):
    folder = Path(tempfile.mkdtemp())

    # theirs, by two ranks; read by one; cut into eight ranks' files, then three, then five, by us
    spawn(save, args=(str(folder),), nprocs=RANKS)
    dcp_to_torch_save(folder / "theirs", folder / "theirs.pt")
    read = torch.load(folder / "theirs.pt")
    same(read, tensors())
    save_file(read, folder / "theirs.safetensors")
    subprocess.run([tool, "shard", folder / "theirs.safetensors", folder / "8", "8"], check=True)
    subprocess.run([tool, "reshard", folder / "8", folder / "3", "3"], check=True)
    subprocess.run([tool, "reshard", folder / "3", folder / "5", "5"], check=True)
    subprocess.run([tool, "join", folder / "5", folder / "ours.safetensors"], check=True)
    same(load_file(folder / "ours.safetensors"), read)
    files = sum(1 for _ in (folder / "8").glob("*.safetensors"))
    assert files == 8, f"{files} files of 8 ranks"
    print(f"{len(read)} tensors from DCP's 2 ranks to our 8, 3 and 5: bit-equal")

    # ours, of one process, in several files; read by two of their ranks, each its rows
    config = {"model": {"width": 24, "heads": 2, "depth": 2}, "data": {"frames": 2, "height": 16, "width": 16}}
    (folder / "config.json").write_text(json.dumps(config))
    subprocess.run([tool, "checkpoint", folder / "config.json", "3", "12", folder / "run"], check=True)
    (folder / "exported").mkdir()
    checkpoint = next((folder / "run" / "checkpoints").glob("step-*"))
    subprocess.run([trainer, "export", checkpoint, folder / "exported" / "model.safetensors"], check=True)
    expected = load_file(folder / "exported" / "model.safetensors")
    spawn(load, args=(str(folder), expected), nprocs=RANKS)
    print(f"{len(expected)} weights of our checkpoint to DCP's 2 ranks: bit-equal")


if __name__ == "__main__":
    main(*sys.argv[1:])
