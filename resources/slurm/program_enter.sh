code_folder=${code_folder:-$run} # of a program that is installed
if ! cd -- "$code_folder"; then
    echo "dailies: this node cannot enter $code_folder, where the program should be started."
    mark end 66
    exit 66
fi
export PYTHONPATH=$sweep${PYTHONPATH:+:$PYTHONPATH} # dailies.py is there
. "$run/command.sh" # command=(…), its variables expanded here
name=${command[0]}
[ "$name" != /usr/bin/env ] || name=${command[1]}
# Inside a container other programs are found. srun's own answer would be an exit code that a program may have, too.
if [ "${#launcher[@]}${#srun_options[@]}" = 00 ] && ! command -v -- "$name" >/dev/null; then
    echo "dailies: $name was not found; is it in the environment of the sweep or the cluster?"
    mark end 127
    exit 127
fi
