if ! cd -- "$code_folder"; then
    echo "dailies: this node cannot enter $code_folder, where the program should be started."
    mark end 66
    exit 66
fi
. "$run/command.sh" # command=(…), its variables expanded here
