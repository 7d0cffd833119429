# Where the ranks meet. Two jobs that share a node do not share a port.
if [ -z "$MASTER_ADDR" ]; then
    MASTER_ADDR=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)
    # a name that only Slurm knows: the address by which it reaches the node
    getent hosts "$MASTER_ADDR" >/dev/null ||
        MASTER_ADDR=$(scontrol show node "$MASTER_ADDR" | sed -n 's/.*NodeAddr=\([^ ]*\).*/\1/p')
fi
export MASTER_ADDR=${MASTER_ADDR:-$(hostname)} MASTER_PORT=${MASTER_PORT:-$((20000 + SLURM_JOB_ID % 20000))}
