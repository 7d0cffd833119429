"""Runs of dailies-train for the checks of a machine with a GPU: trains one and reads what it recorded."""
import json
import os
import shutil
import socket
import statistics
import subprocess


def merged(config, changes):
    """`config` with the keys of `changes` in its groups."""
    return {**config, **{key: {**config.get(key, {}), **value} if isinstance(value, dict) else value
                         for key, value in changes.items()}}  # fmt: skip


def train(program, run, config, ranks=1):
    """All that so many ranks recorded: the first event's facts, and the metrics of each step. Raises RuntimeError with the output of
    a run that fails."""
    shutil.rmtree(run, ignore_errors=True)
    run.mkdir(parents=True)
    (run / "config.json").write_text(json.dumps(config))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    started = []
    for rank in range(ranks):
        place = {"RANK": str(rank), "LOCAL_RANK": str(rank), "WORLD_SIZE": str(ranks), "MASTER_ADDR": "127.0.0.1",
                 "MASTER_PORT": port}  # fmt: skip
        output = open(run / f"output-{rank}.txt", "w")
        started.append(subprocess.Popen([program, "train", "--config", run / "config.json"], stdout=output,
                                        stderr=output, env={**os.environ, **place}))  # fmt: skip
    if any([process.wait() for process in started]):
        raise RuntimeError((run / "output-0.txt").read_text()[-3000:])
    events = [json.loads(line) for line in (run / "events.jsonl").read_text().splitlines()]
    steps = {}
    for event in events:
        if event["type"] == "metrics":
            steps.setdefault(event["step"], {}).update(event["values"])
    return next(event for event in events if event["type"] == "start"), steps


def step_seconds(steps, warm_up):
    """The middle of the steps behind the first few."""
    return statistics.median(values["step_seconds"] for step, values in steps.items() if step > warm_up)


def memory(start, steps):
    """GiB planned before the run and at its peak."""
    return start["facts"].get("planned_memory_gib", float("nan")), steps[max(steps)]["memory_gib"]
