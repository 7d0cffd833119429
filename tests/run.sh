#!/usr/bin/env bash
# Installs what is missing, checks the format of what differs from main, builds everything and runs every test. Quick the second time.
#   bash tests/run.sh [ctest options]              for example: -L unit, -R core_sweep, -j 4; GTEST_FILTER='Sweep*' chooses single tests
#   bash tests/run.sh --quick [ctest options]      the unit tests of core, remote, app and ui alone: no PyTorch, no MLflow, no Slurm
#   bash tests/run.sh --changed [ctest options]    the tests that depend on what differs from main (or from $DAILIES_BASE)
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
. resources/setup/environment.sh

which_tests=${1:-}
case $which_tests in
--quick) trainer=OFF && shift ;;
--changed) trainer=ON && shift ;;
*) trainer=ON which_tests= ;;
esac

ensure_packages resources/packages/debian.txt
bash tests/check_format.sh
[ $trainer = OFF ] || ensure_torch
build release -DDAILIES_DESKTOP=ON -DDAILIES_UI=ON -DDAILIES_TRAINER=$trainer -DDAILIES_TESTS=ON
[ $trainer = OFF ] || bash tests/interop/setup.sh
export QT_QPA_PLATFORM=${QT_QPA_PLATFORM:-offscreen}

chosen=()
case $which_tests in
--quick) chosen=(-L '^(unit|ui)$' -LE '^(sandbox|interop|e2e)$') ;;
--changed)
    ctest --preset release --show-only >/dev/null # asks new programs for their tests
    python3 tests/changed_tests.py build/release "${DAILIES_BASE:-main}" build/changed_tests ||
        { status=$? && [ $status = 3 ] && exit 0 || exit $status; }
    chosen=(-I build/changed_tests)
    ;;
esac
say "Testing"
# counted in slots, of which a test that computes takes three: tests/CMakeLists.txt
status=0
rm -rf build/release/Testing/gtest
ctest --preset release --parallel $((4 * $(nproc))) --output-junit "$root/build/tests.xml" "${chosen[@]}" "$@" || status=$?
python3 tests/summary.py build/release build/tests.xml
exit $status
