#!/usr/bin/env bash
# Runs a Python program beside the PyTorch that the trainer was built with; 77 (skipped) where its peers are not installed.
#   with_torch.sh PROGRAM.py [words…]
python=$(dirname "$0")/../../../build/python/bin/python
if ! "$python" -c "import av, bitsandbytes, diffusers, safetensors, scipy, webdataset" 2>/dev/null; then
    echo "Skipped: the trainer's Python peers are missing. bash tests/interop/setup.sh installs them."
    exit 77
fi
exec "$python" "$@"
