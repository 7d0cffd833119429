#!/bin/sh
# Compiles what only a CUDA build compiles: the kernels by nvcc for Hopper, the C++ against PyTorch's headers.
# A CPU build of PyTorch ships those too but for what CUDA's libraries declare; stubs/ stands in for that.
# Usage: compile_check.sh ROOT C++-COMPILER TORCH-INCLUDE-FOLDER. Exit status 77: there is no nvcc.
root=$1 compiler=$2 torch=$3
nvcc=$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null) || {
    echo "skipped: no nvcc on PATH nor in /usr/local/cuda/bin"
    exit 77
}
real=$(readlink -f "$nvcc")
set -e
"$nvcc" -std=c++20 -O3 -gencode arch=compute_90,code=sm_90 --Werror all-warnings -I"$root" -isystem "$torch" \
    -c "$root/trainer/cuda/kernels/kernels.cu" -o /dev/null
here=$root/tests/trainer/cuda
"$compiler" -std=c++20 -fsyntax-only -Wall -Wextra -Wpedantic -Wshadow -Werror -I"$root" -isystem "$here/stubs" \
    -isystem "$torch" -isystem "$torch/torch/csrc/api/include" -isystem "$(dirname "$real")/../include" \
    -isystem /usr/local/cuda/include "$here/cuda_sources.cpp"
echo "compiled: the kernels for sm_90, the CUDA parts of the trainer"
