# The nodes are measured against each other before training trusts them: one that is broken or slow would hold up all. A bad
# one is left out of the job's next attempt.
inside=(@RUN@) # what a single program of a container is started by
preflight=$workspace/preflight/$job-$restarts
preflight_nodes=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | paste -s -d , -)
srun --ntasks=$((SLURM_JOB_NUM_NODES * @PREFLIGHT_RANKS@)) --ntasks-per-node=@PREFLIGHT_RANKS@ \
    --cpus-per-task="$cpus_per_rank" "${srun_options[@]}" "${launcher[@]}" "$program" preflight --folder "$preflight" --nodes "$preflight_nodes" \
    --threads "$cpus_per_rank" --budget @PREFLIGHT_BUDGET@ &
preflight_step=$!
# A rank that hangs would hold srun up long after the others have reported.
for ((second = 0; second < @PREFLIGHT_SECONDS@; second++)); do
    [ ! -e "$preflight/preflight.json" ] && kill -0 "$preflight_step" 2>/dev/null || break
    sleep 1
done
sleep 1
kill "$preflight_step" 2>/dev/null
left_out=$run/left_out_nodes # a line a time
times=$(grep -c '' "$left_out" 2>/dev/null)
last_try=
[ "${times:-0}" -lt @MAX_BAD_NODES@ ] || last_try=--gives-up
bad_nodes=$(timeout --kill-after=5 60 "${inside[@]}" "$program" preflight --folder "$preflight" --nodes "$preflight_nodes" --conclude --run-dir "$run" $last_try)
if [ -n "$bad_nodes" ] && [ -z "$caught" ]; then
    mark end 1
    [ -z "$last_try" ] || exit 1
    echo "dailies: bad: $bad_nodes; the job is requeued without it."
    echo "$bad_nodes" >>"$left_out"
    # Slurm replaces the list of a job, and only while the job waits.
    excluded=$(scontrol -o show job "$job" | grep -o ' ExcNodeList=[^ ]*' | head -n 1 | cut -d = -f 2)
    [ "$excluded" != '(null)' ] || excluded=
    scontrol requeue "$job" || exit 1
    for _ in {1..20}; do
        scontrol update JobId="$job" ExcNodeList="${excluded:+$excluded,}$bad_nodes" && break
        sleep 0.5
    done
    exit 0
fi
