#!/usr/bin/env bash
# Are the files that differ from main (or from $DAILIES_BASE) formatted as .clang-format says? If not: which, and what formats them.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# sources without git, or a clone without main: nothing to compare with
base=$(git merge-base HEAD "${DAILIES_BASE:-main}" 2>/dev/null) || exit 0

unformatted=()
while IFS= read -rd '' file; do
    clang-format "$file" | cmp -s - "$file" || unformatted+=("$file")
done < <({
    git diff --name-only -z --diff-filter=d "$base" -- '*.h' '*.cpp' '*.cu'
    git ls-files --others --exclude-standard -z -- '*.h' '*.cpp' '*.cu'
} | sort -zu)
[ ${#unformatted[@]} = 0 ] && exit 0
echo "error: not formatted as .clang-format says ($(clang-format --version)); run: clang-format -i ${unformatted[*]}" >&2
exit 1
