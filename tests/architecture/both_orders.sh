#!/usr/bin/env bash
# app/quickstart.sh and tests/run.sh share build/release. Whichever comes first, each finds configured what it needs, and
# neither takes away what the other one had.
#   both_orders.sh CHECKOUT TORCH_DIR
set -euo pipefail
checkout=$1
export Torch_DIR=$2 DAILIES_CONFIGURE_ONLY=yes
git -C "$checkout" rev-parse --is-inside-work-tree >/dev/null 2>&1 || exit 77 # sources without git: nothing to clone
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
git -C "$checkout" ls-files -z --cached --others --exclude-standard --deduplicate |
    (cd "$checkout" && tar --create --null --files-from=- --ignore-failed-read 2>/dev/null) | tar --extract --directory "$scratch"
cd "$scratch"

# expect WHEN OPTION=VALUE...: of build/release
expect() {
    local when=$1 option
    shift
    for option in "$@"; do
        grep -qx "${option%=*}:BOOL=${option#*=}" build/release/CMakeCache.txt ||
            { echo "$when: $(grep "^${option%=*}:" build/release/CMakeCache.txt), expected $option" >&2; exit 1; }
    done
}

bash app/quickstart.sh --headless
expect "after a first quickstart.sh" DAILIES_UI=ON DAILIES_TRAINER=OFF DAILIES_TESTS=OFF
bash tests/run.sh
expect "after run.sh behind quickstart.sh" DAILIES_UI=ON DAILIES_TRAINER=ON DAILIES_TESTS=ON
ctest --preset release --show-only | grep -q 'Total Tests: [1-9]' || { echo "run.sh would find no tests" >&2; exit 1; }
bash app/quickstart.sh --headless
expect "after quickstart.sh behind run.sh" DAILIES_UI=ON DAILIES_TRAINER=ON DAILIES_TESTS=ON
