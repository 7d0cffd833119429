
# Whether this very job wrote a checkpoint. If not, the next one would come as far as this one and no further.
made_progress() {
    [ -n "$checkpoints" ] || return 0
    find_paths "$checkpoints"
    [ -n "$newest" ] && [ -n "$(find -H "$newest" -newer "$run/.begun" -print -quit)" ]
}

# Without a way to ask, the step is ended while its job can still be put back into the queue.
request_stop() {
    # one that puts its job back into the queue is sent TERM by that, and would do so once more
    [ -z "$asked" ] || [ -z "$requeues_itself" ] || return 0
    if [ -n "$stop_file" ]; then
        find_paths "$(dirname -- "$stop_file")/"
        for match in "${matches[@]}"; do
            touch -- "$match${stop_file##*/}" && asked=1
        done
    elif [ -z "$step" ]; then
        return
    elif [ -n "$stop_signal" ]; then
        asked=1
        case $stop_signal in
        USR1 | USR2) kill -s "$stop_signal" "$step" 2>/dev/null ;;
        *) scancel --signal="$stop_signal" "$job" ;; # srun would answer by killing the step
        esac
    elif [ -n "$near_limit" ] && [ -n "$checkpoints" ] && made_progress; then
        asked=1
        kill -TERM "$step" 2>/dev/null
    fi
}
asked=

find_paths "$checkpoints"
export DAILIES_CHECKPOINT=$newest DAILIES_RESUMES=
if [ -n "$newest" ] || { [ -z "$checkpoints" ] && [ "$restarts" != 0 ]; }; then
    DAILIES_RESUMES=1
    echo "dailies: goes on from ${newest:-its last checkpoint}."
fi
: >"$run/.begun"
if [ -n "$stop_file" ]; then # one that was not taken away would stop this job, too
    find_paths "$stop_file"
    for match in "${matches[@]}"; do
        [ -s "$match" ] || rm -f -- "$match"
    done
fi
