#!/usr/bin/env bash
# Runs a Python program beside the PyTorch that the trainer was built with; 77 (skipped) where its peers are not installed.
#   with_torch.sh PROGRAM.py [words…]
here=$(dirname "$0")
python=$here/../../../build/python
if ! cmp -s "$here/requirements.txt" "$python/peers.txt"; then
    echo "Skipped: the trainer's Python peers are missing. bash tests/interop/setup.sh installs them."
    exit 77
fi
export OMP_WAIT_POLICY=passive # threads that wait for each other leave the cores to the tests beside them
exec "$python/bin/python" "$@"
