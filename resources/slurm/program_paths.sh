
# Sets $matches to the paths that match, below the run's folder unless the pattern is absolute, and $newest to the newest.
# Without IFS a bare variable becomes paths and is not read in any other way, whatever stands in it.
find_paths() {
    local IFS= match
    matches=() newest=
    [ -n "$1" ] || return 0
    shopt -s globstar
    case $1 in
    /*) set -- $1 ;;
    *) set -- "$run"/$1 ;;
    esac
    shopt -u globstar
    for match; do
        [ -e "$match" ] || continue
        matches+=("$match")
        [ -n "$newest" ] && [ "$newest" -nt "$match" ] || newest=$match
    done
}
