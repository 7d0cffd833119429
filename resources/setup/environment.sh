# Sourced by app/quickstart.sh and tests/run.sh: makes sure that what the build needs is there, and is quick when it is.
# Expects $root (the checkout). Works as root and as an ordinary user with sudo.

say() { printf '\033[1m==>\033[0m %s\n' "$*" >&2; }
die() { printf 'error: %s\n' "$*" >&2; exit 1; }

as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo "$@"
    else
        die "installing packages needs root or sudo; as root run: apt-get install $*"
    fi
}

# ensure_packages LIST...: installs those packages of the lists that are missing.
ensure_packages() {
    local wanted missing
    wanted=$(sed 's/#.*//' "$@" | tr -s ' \t\n' '\n' | sed '/^$/d')
    command -v dpkg-query >/dev/null || die "this script installs Debian packages; elsewhere install the equivalents of: $(echo $wanted)"
    missing=$(comm -23 <(sort -u <<<"$wanted") \
        <(dpkg-query -W -f '${db:Status-Abbrev}|${binary:Package}\n' 2>/dev/null | sed -n 's/^ii *|\([^:]*\).*/\1/p' | sort -u))
    [ -z "$missing" ] && return
    say "Installing $(wc -w <<<"$missing") Debian packages"
    as_root apt-get update -qq
    # shellcheck disable=SC2086
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
}

# ensure_torch: PyTorch in build/python, unless Torch_DIR already names a LibTorch.
ensure_torch() {
    local version=2.13.0 python="$root/build/python"
    [ -n "${Torch_DIR:-}" ] && return
    "$python/bin/python3" -c "import torch, sys; sys.exit(not torch.__version__.startswith('$version'))" 2>/dev/null && return
    say "Installing PyTorch $version into build/python"
    rm -rf "$python"
    mkdir -p "$root/build"
    /usr/bin/python3 -m venv "$python"
    "$python/bin/pip" install --quiet --disable-pip-version-check "torch==$version"
}

# build PRESET CMake options...: configures and builds; output only when it fails or takes long enough to wonder. Both scripts
# share a build folder, which keeps the options of the one before: each states all that it needs.
# With DAILIES_CONFIGURE_ONLY set, the script ends here (tests/architecture/both_orders.sh).
build() {
    local preset=$1
    shift
    say "Building ($preset)"
    mkdir -p "$root/build"
    cmake --preset "$preset" ${Torch_DIR:+"-DTorch_DIR=$Torch_DIR"} "$@" >"$root/build/$preset-configure.log" 2>&1 ||
        { cat "$root/build/$preset-configure.log" >&2; die "the build could not be configured"; }
    [ -z "${DAILIES_CONFIGURE_ONLY:-}" ] || exit 0
    export CCACHE_STATSLOG=$root/build/$preset-ccache.log
    rm -f "$CCACHE_STATSLOG"
    cmake --build --preset "$preset"
    [ ! -s "$CCACHE_STATSLOG" ] ||
        say "Found in the compiler cache:$(ccache --show-log-stats | sed -n 's/^ *Hits: */ /p') objects"
    unset CCACHE_STATSLOG
}
