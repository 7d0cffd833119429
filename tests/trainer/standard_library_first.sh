#!/bin/bash
# Whether a program looks for the C++ library's symbols there before it looks into LibTorch, whose wheels may export some of
# another version. Usage: standard_library_first.sh PROGRAM
set -euo pipefail
needed=$(readelf --dynamic "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
first=$(grep --max-count=1 --extended-regexp '^lib(stdc\+\+|torch|c10)' <<< "$needed" || true)
if [[ $first != libstdc++.so* ]]; then
    echo "$1 looks into ${first:-no library of these} first, expected libstdc++:" >&2
    echo "$needed" >&2
    exit 1
fi
