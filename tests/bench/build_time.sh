#!/usr/bin/env bash
# Build time from nothing, beside the same build from a warm compiler cache: seconds each, and their ratio. Takes as long as
# two builds. Build folders are temporary; the cache is the user's own.
#   bash tests/bench/build_time.sh [CMake options]     for example: -DDAILIES_TRAINER=OFF
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

seconds_to_build() { # NAME CMake options...
    local name=$1 begin
    shift
    begin=$(date +%s.%N)
    cmake -S "$root" -B "$work/$name" -G Ninja -DCMAKE_BUILD_TYPE=Release "$@" >/dev/null
    cmake --build "$work/$name" >/dev/null
    awk -v a="$begin" -v b="$(date +%s.%N)" 'BEGIN { printf "%.0f", b - a }'
}

cold=$(CCACHE_RECACHE=1 seconds_to_build cold "$@") # compiles everything and fills the cache
warm=$(seconds_to_build warm "$@")
printf 'cores %s   cold %s s   warm cache %s s   cold/warm %.1f\n' "$(nproc)" "$cold" "$warm" \
    "$(awk -v a="$cold" -v b="$warm" 'BEGIN { print a / b }')"
