# A sweep that goes on from the best run of the one before it begins with that run's weights, chosen once: further attempts
# begin with the same.
if [ -f "$run/init-from" ] && [ ! -e "$run/init" ]; then
    { read -r metric; read -r goal; mapfile -t stage_before; } <"$run/init-from"
    best=$("${launcher[@]}" "$program" best --metric "$metric" --goal "$goal" "${stage_before[@]/#/$workspace/runs/}") &&
        [ -n "$best" ] && ln -sfn "$best" "$run/init" || {
        echo "dailies: no run of the sweep before this one can be begun from."
        mark end 66
        exit 66
    }
    echo "dailies: begins with the weights of $best, the best by $metric."
fi
