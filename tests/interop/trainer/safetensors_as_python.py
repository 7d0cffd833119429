"""Our safetensors files beside Python's safetensors: each reads what the other wrote, bit for bit.

safetensors_as_python.py STATE_TOOL
"""
import subprocess
import sys
import tempfile
from pathlib import Path

import torch
from safetensors import safe_open
from safetensors.torch import load_file, save_file

tool = sys.argv[1]
folder = Path(tempfile.mkdtemp())
torch.manual_seed(0)
tensors = {
    "float": torch.randn(7, 5),
    "not finite": torch.tensor([float("nan"), float("inf"), -0.0]),
    "bfloat": torch.randn(3, 3).to(torch.bfloat16),
    "half": torch.randn(9).to(torch.float16),
    "bytes": torch.randint(0, 256, (11,), dtype=torch.uint8),
    "integers": torch.tensor([[-(2**62), 3]]),
    "scalar": torch.tensor(2.5),
    "empty": torch.zeros(0, 4),
    "naïve \"name\"\n": torch.randn(2, 1, 3, 1),
}
save_file(tensors, folder / "theirs.safetensors", metadata={"format": "pt", "made by": "Python"})
subprocess.run([tool, "copy", folder / "theirs.safetensors", folder / "ours.safetensors"], check=True)

read = load_file(folder / "ours.safetensors")
assert read.keys() == tensors.keys(), read.keys()
for name, tensor in tensors.items():
    assert read[name].dtype == tensor.dtype and read[name].shape == tensor.shape, name
    same = torch.equal(read[name].contiguous().view(-1).view(torch.uint8), tensor.contiguous().view(-1).view(torch.uint8))
    assert same, f"{name} differs"
with safe_open(folder / "ours.safetensors", framework="pt") as opened:
    assert opened.metadata() == {"format": "pt", "made by": "Python"}, opened.metadata()
    assert torch.equal(opened.get_slice("float")[2:4], tensors["float"][2:4])
print(f"{len(tensors)} tensors of 5 types: bit-equal there and back")

# what we cut short, Python refuses; what Python writes and is cut short, we refuse
whole = (folder / "ours.safetensors").read_bytes()
for length in (4, 60, len(whole) - 1):
    (folder / "cut.safetensors").write_bytes(whole[:length])
    refused = subprocess.run([tool, "copy", folder / "cut.safetensors", folder / "x.safetensors"], capture_output=True)
    assert refused.returncode == 1 and b"cut.safetensors is not a whole safetensors file" in refused.stderr, refused
print("3 files that end too early: refused")
