#!/usr/bin/env bash
# Installs what is missing, builds everything and runs every test. Quick the second time.
#   bash tests/run.sh [ctest options]      for example: -L unit, -R Sweep, -j 1
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
. resources/setup/environment.sh

ensure_packages resources/packages/debian.txt
ensure_torch
build release -DDAILIES_DESKTOP=ON -DDAILIES_UI=ON -DDAILIES_TRAINER=ON -DDAILIES_TESTS=ON
bash tests/interop/setup.sh
export QT_QPA_PLATFORM=${QT_QPA_PLATFORM:-offscreen}
say "Testing"
ctest --preset release --parallel "$(nproc)" "$@"  # much of a test's time is waiting for Slurm
