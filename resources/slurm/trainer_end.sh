# A rank found that the run hangs and ended it; srun's own code may be that of the ranks it had to kill.
[ ! -e "$run/hangs/$job-$restarts/verdict.txt" ] || code=75
mark end "$code"

stopped_cleanly() {
    tail -n 1 "$run/events.jsonl" 2>/dev/null | grep -q '"type":"end".*"status":"stopped"'
}

if [ -n "$near_limit" ] && stopped_cleanly; then
    requeue "the time limit is near" && exit 0
fi
# A rank died of SIGKILL (a failing node, or memory that ran out) or aborted, as NCCL's own watchdog does when the network
# or a GPU no longer answers. Worth another try, but not for ever.
died=$(grep -c $'^end\t.*\t13[47]$' "$run/attempts.tsv")
if { [ "$code" = 137 ] || [ "$code" = 134 ]; } && [ "$died" -le "$max_kills" ]; then
    if [ "$code" = 137 ]; then why="the trainer was killed"; else why="the trainer aborted"; fi
    requeue "$why" && exit 0
fi
if [ "$code" = 75 ] && [ "$(grep -c $'^end\t.*\t75$' "$run/attempts.tsv")" -le "$max_hangs" ]; then
    requeue "the run hung" && exit 0
fi
exit "$code"
