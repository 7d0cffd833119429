
# Each checkpoint is sampled by a job of its own, submitted here once the checkpoint is whole: nothing in it has changed
# between two looks. The folder of its clips is made first, by which no second job samples it, also after a restart.
sampled_checkpoints=@CHECKPOINTS@
sampling_options=(
@OPTIONS@)
sampling_job=$sweep/sample_checkpoint.sh
cat >"$sampling_job.$job" <<'END_OF_SAMPLING_JOB' && mv -f -- "$sampling_job.$job" "$sampling_job"
@JOB@
END_OF_SAMPLING_JOB
declare -A looked=()
sampling_failures=0

# Sets $number: what stands behind the last "step" or the like in a checkpoint's path, or else its last number.
find_number() {
    local path=${1#"$run"/} digits=
    shopt -s nocasematch
    if [[ $path =~ .*(step|steps|checkpoint|ckpt|iter|iteration)[_=-]?([0-9]+) ]]; then
        digits=${BASH_REMATCH[2]}
    elif [[ $path =~ .*(epoch|ep)[_=-]?([0-9]+) ]]; then
        digits=${BASH_REMATCH[2]}
    elif [[ $path =~ ([0-9]+)[^0-9]*$ ]]; then
        digits=${BASH_REMATCH[1]}
    fi
    shopt -u nocasematch
    number=$((10#${digits:-0}))
}

# Those that are whole, or at the "end" all that there are.
sample_checkpoints() {
    local path now clips answer
    find_paths "$sampled_checkpoints"
    for path in "${matches[@]}"; do
        find_number "$path"
        clips=$run/checkpoint_samples/step_$number
        [ ! -e "$clips" ] && [ "$sampling_failures" -lt 3 ] || continue
        now=$(find -H "$path" -type f -printf '%p %s %T@\n')
        if [ "$1" != end ] && { [ -z "$now" ] || [ "${looked[$path]}" != "$now" ]; }; then
            looked[$path]=$now
            continue
        fi
        mkdir -p -- "$run/checkpoint_samples" && mkdir -- "$clips" || continue
        # nothing of this job is the other's, whose number of processes and memory are its own
        if answer=$(
            for name in "${!SLURM_@}" "${!SBATCH_@}"; do [ "$name" = SLURM_CONF ] || unset "$name"; done
            sbatch --parsable "${sampling_options[@]}" --chdir="$sweep" --output=slurm-%j.out "$sampling_job" \
                "$run" "$run_id" "$sweep" "$path" "$number" 2>&1
        ); then
            answer=${answer##*$'\n'}
            echo "dailies: job ${answer%%;*} samples ${path#"$run"/}."
            printf 'sample\t%s\t0\t%s\t%s\t\n' "${answer%%;*}" "$number" "$(date +%s)" >>"$run/attempts.tsv"
        else
            rmdir -- "$clips"
            sampling_failures=$((sampling_failures + 1))
            echo "dailies: ${path#"$run"/} could not be sampled: $answer"
            [ "$sampling_failures" -lt 3 ] ||
                printf 'unsampled\t%s\t0\t%s\t%s\t1\n' "$job" "$number" "$(date +%s)" >>"$run/attempts.tsv"
        fi
    done
}
