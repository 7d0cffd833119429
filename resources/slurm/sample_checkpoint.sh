#!/bin/bash
# Samples one checkpoint of a run. Written by Dailies.
run=$1 run_id=$2 sweep=$3 checkpoint=$4 step=$5
clips=$run/checkpoint_samples/step_$step
mkdir -p -- "$clips" && exec >>"$clips.txt" 2>&1 || exit 73
trap 'code=$?; printf "sampled\t%s\t0\t%s\t%s\t%s\n" "$SLURM_JOB_ID" "$step" "$(date +%s)" "$code" >>"$run/attempts.tsv"' EXIT
echo "dailies: samples $checkpoint, job $SLURM_JOB_ID, on $(hostname)"
if [ ! -e "$checkpoint" ]; then
    echo "dailies: the checkpoint is gone. Have the program keep more of them."
    exit 66
fi
export DAILIES_RUN_DIR=$run DAILIES_RUN_ID=$run_id DAILIES_CHECKPOINT=$checkpoint DAILIES_STEP=$step DAILIES_CLIPS=$clips
export PYTHONUNBUFFERED=1

# -- the environment: the cluster's setup lines, modules, variables
@SETUP@
# --

srun_options=(@SRUN_OPTIONS@)
launcher=(@LAUNCHER@) # what a container's programs are started by

export OMP_NUM_THREADS=@CPUS@
if ! cd -- @CODE@; then
    echo "dailies: this node cannot enter the folder of the program."
    exit 66
fi
export PYTHONPATH=$sweep${PYTHONPATH:+:$PYTHONPATH} # dailies.py is there
command=(@COMMAND@)
srun --kill-on-bad-exit=1 --ntasks=1 --cpus-per-task=@CPUS@ "${srun_options[@]}" "${launcher[@]}" "${command[@]}"
