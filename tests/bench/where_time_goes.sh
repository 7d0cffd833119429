#!/usr/bin/env bash
# Where the time of the suite and of the build goes: runs the tests of build/release and prints the seconds that they took,
# those on a CPU apart from those of waiting, by label, program and test; then the CPU seconds of the last compilation of each
# library, by ninja's own log. The largest come first.
#   bash tests/bench/where_time_goes.sh [ctest options]     for example: -L sandbox -j 8
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cd "$root"
build=$root/build/release
record=$build/Testing/where_time_goes
rm -rf "$record" "$build/Testing/gtest" && mkdir -p "$record"

# CMake starts a test's program by this command, which writes down what the program and its children used.
launcher="python3;$root/tests/bench/where_time_goes.py;launch;$record/cpu.tsv"
trap 'cmake -B "$build" -UCMAKE_CROSSCOMPILING_EMULATOR >/dev/null' EXIT
cmake -B "$build" "-DCMAKE_CROSSCOMPILING_EMULATOR=$launcher" >/dev/null
cmake --build "$build" >/dev/null
ctest --preset release --output-junit "$record/tests.xml" "$@" >"$record/ctest.log" || true
python3 tests/bench/where_time_goes.py report "$record/tests.xml" "$record/cpu.tsv" "$build"
tail -n 20 "$record/ctest.log"
