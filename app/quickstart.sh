#!/usr/bin/env bash
# From a fresh machine to a reviewed sweep: installs what is missing, builds, starts the sandbox cluster (a real Slurm and
# sshd on this machine) and opens Dailies connected to it.
#   bash app/quickstart.sh               opens the program; the demo sweep is one click away (without a display: --headless)
#   bash app/quickstart.sh --demo        launches the demo sweep at once
#   bash app/quickstart.sh --headless    no window: runs the demo sweep, prints its runs, makes pictures
#   bash app/quickstart.sh --down        stops the sandbox cluster
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
. resources/setup/environment.sh

demo=no headless=no
for word in "$@"; do
    case $word in
        --demo) demo=yes ;;
        --headless) headless=yes ;;
        --down) exec "$root/build/release/bin/dailies" sandbox down --yes ;;
        *) sed -n '2,8s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
    esac
done
[ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ] || headless=yes

ensure_packages resources/packages/debian.txt
ensure_torch
# An earlier build of everything (tests/run.sh) keeps its trainer and tests; a first one needs neither: the cluster builds
# its own trainer.
options=(-DDAILIES_DESKTOP=ON -DDAILIES_UI=ON)
[ -e build/release/CMakeCache.txt ] || options+=(-DDAILIES_TRAINER=OFF -DDAILIES_TESTS=OFF)
build release "${options[@]}"
dailies=$root/build/release/bin/dailies

say "Starting the sandbox cluster"
"$dailies" sandbox up

if [ $headless = no ]; then
    [ $demo = no ] || "$dailies" launch resources/presets/shapes-lr.yaml --cluster sandbox >/dev/null
    say "Opening Dailies"
    exec "$dailies" --cluster sandbox --page "$([ $demo = yes ] && echo runs || echo launch)"
fi

out=$root/out
mkdir -p "$out"
say "Launching the demo sweep: four learning rates, two at once"
"$dailies" launch resources/presets/shapes-lr.yaml --cluster sandbox --wait
say "Drawing"
export QT_QPA_PLATFORM=offscreen
if [ -z "${XDG_RUNTIME_DIR:-}" ]; then # Qt asks for one and complains without
    export XDG_RUNTIME_DIR=$root/build/runtime
    mkdir -p -m 700 "$XDG_RUNTIME_DIR"
fi
"$dailies" contact-sheet "$out/contact-sheet.png"
for page in runs review launch cluster; do
    for theme in light dark; do
        "$dailies" screenshot "$page" "$out/$page-$theme.png" --theme "$theme"
    done
done
say "Database       ${DAILIES_STORE:-${XDG_DATA_HOME:-$HOME/.local/share}/dailies/dailies.db}"
say "Contact sheet  $out/contact-sheet.png"
say "Screenshots    $out/{runs,review,launch,cluster}-{light,dark}.png"
say "With a display, \`build/release/bin/dailies\` shows all this live; \`bash app/quickstart.sh --down\` stops the cluster."
