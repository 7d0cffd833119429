#!/bin/bash
# Builds the trainer on a machine with a GPU and checks it there: the fused kernels against ATen's operations, models with
# and without them, the speed of a step beside the same model in Python, eager and compiled; whole runs with moments in the host's
# memory, batches made ahead and recorded passes and, where there are two GPUs, under every layout over NCCL; Animate Anyone's
# memory beside its plan; and a LoRA on a Wan 2.1 1.3B beside diffusers with peft.
# Needs: nvcc, CMake, ninja, and a python3 with a CUDA build of PyTorch; lora also diffusers and peft. No network, no packages.
# Usage: tests/gpu/run.sh [parity | speed | layouts | animate | lora]… (all by default). Writes into $OUT where that is set, else
# into build/gpu.
set -euo pipefail
cd "$(dirname "$0")/../.."
out=${OUT:-build/gpu}
mkdir -p "$out"
[[ $# -gt 0 ]] || set -- parity speed layouts animate lora

nvidia-smi --query-gpu=name,memory.total,driver_version --format=csv,noheader || true
python3 -c 'import torch; print("torch", torch.__version__, "CUDA", torch.version.cuda, torch.cuda.get_device_name())'
export PATH=$PATH:/usr/local/cuda/bin TORCH_CUDA_ARCH_LIST=${TORCH_CUDA_ARCH_LIST:-9.0}
nvcc --version | tail -n 2
# the system's compiler, with whose C++ library LibTorch runs: with another's, programs were seen to crash in filesystem::remove_all
export CC=/usr/bin/gcc CXX=/usr/bin/g++ CUDAHOSTCXX=/usr/bin/g++

# the JSON headers: this checkout's bundle, else a package that carries them
json=$(python3 - <<'PYTHON'
import glob, os, sys, sysconfig
roots = ["bundled", "/usr/include", sysconfig.get_paths()["purelib"] + "/torch/include"]
roots += [os.path.dirname(os.path.dirname(path)) for path in
          glob.glob(sysconfig.get_paths()["purelib"] + "/**/nlohmann/json.hpp", recursive=True)]
print(next((root for root in roots if os.path.exists(root + "/nlohmann/json.hpp")), ""))
PYTHON
)
if [[ -z $json ]]; then
    echo "nlohmann/json.hpp was not found: put the folder nlohmann into $PWD/bundled (it is nlohmann-json3-dev of Debian)." >&2
    exit 1
fi

# PyTorch's CMake files ask for nvrtc, which may come as a pip package
nvrtc=$( (ls /usr/local/cuda/lib64/libnvrtc.so
    ls "$(python3 -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])')"/nvidia/*/lib/libnvrtc.so*) 2>/dev/null | head -n 1 || true)

cmake -S . -B build/gpu -G Ninja -DCMAKE_BUILD_TYPE=Release -DDAILIES_DESKTOP=OFF -DDAILIES_UI=OFF -DDAILIES_TESTS=OFF \
    -DDAILIES_TRAINER=ON -DDAILIES_GPU_CHECK=ON -DCMAKE_CUDA_STANDARD=17 ${nvrtc:+-DCUDA_nvrtc_LIBRARY="$nvrtc"} -DNLOHMANN_JSON_INCLUDE_DIR="$(realpath "$json")" \
    > "$out/configure.log" 2>&1 || { cat "$out/configure.log"; exit 1; }
ninja -C build/gpu gpu_check dailies-train > "$out/build.log" 2>&1 || { tail -n 60 "$out/build.log"; exit 1; }

runs=$(mktemp -d)
trap 'rm -rf "$runs"' EXIT
trainer=build/gpu/bin/dailies-train
status=0
for what in "$@"; do
    case $what in
        parity) build/gpu/bin/gpu_check parity ;;
        speed) build/gpu/bin/gpu_check speed && python3 tests/gpu/step_peer.py ;;
        layouts) python3 tests/gpu/layouts.py $trainer "$runs/layouts" ;;
        animate) python3 tests/gpu/animate_memory.py $trainer "$runs/animate" ;;
        lora) python3 tests/gpu/wan_lora.py $trainer "$runs/lora" ;;
        *) echo "$what: say parity, speed, layouts, animate or lora." >&2 && false ;;
    esac 2>&1 | tee "$out/$what.log" || status=1
done
exit $status
