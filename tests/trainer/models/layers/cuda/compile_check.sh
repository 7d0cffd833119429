#!/bin/sh
# Compiles what only a CUDA build compiles: the kernels by nvcc for Hopper, the C++ against PyTorch's headers.
# A CPU build of PyTorch ships those too but for what CUDA's libraries declare; stubs/ stands in for that.
# NCCL's part is compiled where nccl.h is at hand: beside a CUDA build of PyTorch, or in $NCCL_INCLUDE_DIR.
# Usage: compile_check.sh ROOT C++-COMPILER TORCH-INCLUDE-FOLDER. Exit status 77: there is no nvcc.
root=$1 compiler=$2 torch=$3
nvcc=$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null) || {
    echo "skipped: no nvcc on PATH nor in /usr/local/cuda/bin"
    exit 77
}
real=$(readlink -f "$nvcc")
set -e
"$nvcc" -std=c++20 -O3 -gencode arch=compute_90,code=sm_90 --Werror all-warnings -I"$root" -isystem "$torch" \
    -c "$root/trainer/models/layers/cuda/kernels/kernels.cu" -o /dev/null
here=$root/tests/trainer/models/layers/cuda
for folder in "${NCCL_INCLUDE_DIR:-}" "$torch/../../nvidia/nccl/include" /usr/include; do
    [ ! -f "$folder/nccl.h" ] || { nccl="-DDAILIES_NCCL -DUSE_C10D_NCCL -isystem $folder"; break; }
done
# $nccl is several words
"$compiler" -std=c++20 -fsyntax-only -Wall -Wextra -Wpedantic -Wshadow -Werror -I"$root" ${nccl:-} -isystem "$here/stubs" \
    -isystem "$torch" -isystem "$torch/torch/csrc/api/include" -isystem "$(dirname "$real")/../include" \
    -isystem /usr/local/cuda/include "$here/cuda_sources.cpp"
echo "compiled: the kernels for sm_90, the CUDA parts of the trainer${nccl:+, NCCL}"
