# Where the ranks meet. Two jobs that share a node do not share a port.
if [ -z "$MASTER_ADDR" ]; then
    MASTER_ADDR=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)
    if ! getent hosts "$MASTER_ADDR" >/dev/null; then # a name that only Slurm knows: how it reaches the node
        address=$(scontrol show node "$MASTER_ADDR" | sed -n 's/.*NodeAddr=\([^ ]*\).*/\1/p')
        MASTER_ADDR=${address:-$MASTER_ADDR}
    fi
fi
export MASTER_ADDR=${MASTER_ADDR:-$(hostname)} MASTER_PORT=${MASTER_PORT:-$((20000 + SLURM_JOB_ID % 20000))}
