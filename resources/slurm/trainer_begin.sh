# A run of a chain begins with the newest checkpoint of the run before it. Links, not copies, where that can be.
begins_from=$(awk -F '\t' -v task="$SLURM_ARRAY_TASK_ID" '$1 == task { print $3 }' "$sweep/array.tsv")
if [[ $begins_from =~ ^[0-9a-f]{32}$ ]] && [ ! -e "$run/checkpoints" ]; then
    newest=$(ls -d "$workspace/runs/$begins_from/checkpoints"/step-*/manifest.json 2>/dev/null | sort | tail -n 1)
    newest=${newest%/manifest.json}
    rm -rf "$run/checkpoints.part"
    if [ -n "$newest" ] && mkdir "$run/checkpoints.part" &&
        { cp -al -- "$newest" "$run/checkpoints.part/" 2>/dev/null || cp -a -- "$newest" "$run/checkpoints.part/"; } &&
        mv "$run/checkpoints.part" "$run/checkpoints"; then
        # What samples it was told this name, because the step was not known yet.
        ln -sfn "checkpoints/${newest##*/}" "$run/begins-from"
        echo "dailies: begins from ${newest##*/} of run $begins_from."
    else
        echo "dailies: run $begins_from, from which this one begins, has no checkpoint that can be read."
        mark end 66
        exit 66
    fi
fi
