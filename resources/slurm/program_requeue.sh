# It was asked to stop, and goes on in a further job. By a signal it may end with any exit code.
stopped=
if [ -n "$asked" ] && [ -n "$near_limit" ] && [ -z "$requeues_itself" ] && { [ -z "$stop_file" ] || [ "$code" = 0 ]; }; then
    if made_progress; then
        stopped=1
    elif [ "$code" != 0 ]; then
        echo "dailies: it wrote no checkpoint in this job, so a further one would come no further; it is not requeued."
    fi
fi
if [ -n "$stopped" ]; then
    case $code in
    134 | 137) code=143 ;; # not a death that is counted
    0) [ "$restarts" -lt "$max_requeues" ] || code=75 ;; # stopped is not finished
    esac
fi
mark end "$code"
if [ -n "$stopped" ]; then
    requeue "the time limit is near" && exit 0
    if [ "$code" = 0 ]; then
        code=75
        mark end 75
    fi
fi
# A process died of SIGKILL (a failing node, or memory that ran out) or aborted. Worth another try, but not for ever.
died=$(grep -c $'^end\t.*\t13[47]$' "$run/attempts.tsv")
if [ -z "$caught" ] && { [ "$code" = 137 ] || [ "$code" = 134 ]; } && [ "$died" -le "$max_kills" ]; then
    if [ "$code" = 137 ]; then why="the program was killed"; else why="the program aborted"; fi
    requeue "$why" && exit 0
fi
