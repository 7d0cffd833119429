"""Programs that log by the genuine clients of TensorBoard, W&B and MLflow (its files and its SQLite database) are followed
on a real Slurm while they run, by a desktop that is killed again and again; in the end every value is there once, as the
client's own reader has it."""

import glob
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

from exchange_peers import Dailies
from peers import MlflowClient, number, ours

program, tool = sys.argv[1:3]

TRAIN = r'''
import math, os, sys, time
tracker = sys.argv[1].split("=")[1]
STEPS = 240
values = lambda step: {"train/loss": 1 / (step + 1), "odd": [math.nan, math.inf, -math.inf, 1e-40][step % 4]}
if tracker == "tensorboard":
    from tensorboard.compat.proto import event_pb2, summary_pb2
    from tensorboard.summary.writer.event_file_writer import EventFileWriter
    writer = EventFileWriter(os.environ["TENSORBOARD_LOGGING_DIR"], flush_secs=1)
    def log(step):
        pairs = [summary_pb2.Summary.Value(tag=key, simple_value=value) for key, value in values(step).items()]
        writer.add_event(event_pb2.Event(wall_time=time.time(), step=step, summary=summary_pb2.Summary(value=pairs)))
    finish = writer.close
elif tracker == "wandb":
    import wandb
    run = wandb.init(project="p", config={"opt": {"lr": 1e-4}})
    assert run.id == os.environ["WANDB_RUN_ID"] and wandb.config["tracker"] == "wandb"
    log = lambda step: run.log(values(step), step=step)
    finish = run.finish
else:
    import mlflow
    if tracker == "sqlite":
        mlflow.set_tracking_uri("sqlite:///" + os.environ["DAILIES_RUN_DIR"] + "/mlflow.db")
    mlflow.start_run()
    mlflow.log_param("model", "unet")
    log = lambda step: mlflow.log_metrics(values(step), step=step)
    finish = mlflow.end_run
for step in range(STEPS):
    log(step)
    print(f"step: {step}  loss: {1 / (step + 1)}")
    time.sleep(0.03)
finish()
'''

SWEEP = f"""
program: train.py
command: [{sys.executable}, "${{program}}", "${{args}}"]
name: trackers
parameters: {{tracker: {{values: [tensorboard, wandb, mlflow, sqlite]}}}}
resources: {{memory: 900M, parallel_runs: 4, time_limit: "0:10:00"}}
environment: {{variables: {{MLFLOW_DISABLE_TELEMETRY: "true", DO_NOT_TRACK: "true"}}}}
"""


def tensorboard_reads(folder):
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
    accumulator = EventAccumulator(f"{folder}/tensorboard", size_guidance={"scalars": 0})
    accumulator.Reload()
    return {key: [(e.step, number(e.value)) for e in accumulator.Scalars(key)] for key in accumulator.Tags()["scalars"]}


def mlflow_reads(folder):
    return store_reads(f"file:{folder}/mlruns")


def sqlite_reads(folder):
    return store_reads(f"sqlite:///{folder}/mlflow.db")


def store_reads(uri):
    client = MlflowClient(uri)
    (run,) = client.search_runs([e.experiment_id for e in client.search_experiments()])
    assert run.data.params == {"model": "unet"}, run.data.params
    return {key: [(m.step, number(m.value)) for m in sorted(client.get_metric_history(run.info.run_id, key),
                                                            key=lambda m: m.step)] for key in run.data.metrics}


def wandb_records(file):
    """The client itself reads its files in Go alone: LevelDB's log format, by W&B's own protobufs."""
    from wandb.proto import wandb_internal_pb2
    with open(file, "rb") as opened:
        content = opened.read()
    at, whole = 7, b""
    while len(content) - at >= 7:
        if 32768 - at % 32768 < 7:
            at += 32768 - at % 32768
            continue
        length, kind = int.from_bytes(content[at + 4:at + 6], "little"), content[at + 6]
        whole += content[at + 7:at + 7 + length]
        at += 7 + length
        if kind in (1, 4):
            record = wandb_internal_pb2.Record()
            record.ParseFromString(whole)
            whole = b""
            yield record


def wandb_reads(folder):
    (file,) = glob.glob(f"{folder}/wandb/offline-run-*/run-*.wandb")
    history = {}
    for record in wandb_records(file):
        row = {"/".join(item.nested_key) or item.key: json.loads(item.value_json) for item in record.history.item}
        for key in {"train/loss", "odd"} & row.keys():
            history.setdefault(key, []).append((row["_step"], number(float(row[key]))))
    return history


def follows(home):
    os.environ.update(XDG_DATA_HOME=f"{home}/data", XDG_CONFIG_HOME=f"{home}/config", XDG_STATE_HOME=f"{home}/state",
                      MLFLOW_ALLOW_FILE_STORE="true")
    os.makedirs(f"{home}/code")
    for name, text in (("train.py", TRAIN), ("sweep.yaml", SWEEP)):
        with open(f"{home}/code/{name}", "w") as file:
            file.write(text)
    dailies = Dailies(program, f"{home}/ours.db")
    subprocess.run([program, "sandbox", "up", "--dir", f"{home}/s"], check=True, capture_output=True)
    try:
        dailies("launch", f"{home}/code/sweep.yaml", "--cluster", "sandbox")
        kills, deadline = 0, time.monotonic() + 240
        while any(run["status"] in ("SCHEDULED", "RUNNING") for run in dailies("runs")):
            assert time.monotonic() < deadline, dailies("runs")
            process = dailies.start("follow", "--cluster", "sandbox")
            time.sleep(1.3)
            process.send_signal(signal.SIGKILL)
            kills += process.wait() == -signal.SIGKILL
        runs = {run["params"]["tracker"]: run for run in dailies("runs")}
        mine = ours(tool, dailies.store)
        for tracker, read in (("tensorboard", tensorboard_reads), ("wandb", wandb_reads), ("mlflow", mlflow_reads),
                              ("sqlite", sqlite_reads)):
            run = runs[tracker]
            assert run["status"] == "FINISHED", run
            theirs = read(run["tags"]["dailies.folder"])
            points = {key: [(step, value) for step, _, value in history]
                      for key, history in mine[run["run_id"]]["metrics"].items() if not key.startswith("system/")}
            assert len(theirs["train/loss"]) == 240, (tracker, len(theirs["train/loss"]))
            assert points == theirs, (tracker, {key: (len(points.get(key, [])), len(theirs[key])) for key in theirs},
                                      sorted(points))
        for tracker in ("mlflow", "sqlite"):
            assert runs[tracker]["params"]["model"] == "unet", runs[tracker]["params"]
        assert runs["wandb"]["params"]["opt.lr"] == "0.0001", runs["wandb"]["params"]
        print(f"4 trackers, 240 steps each, {kills} kills: equal to the last bit")
    finally:
        subprocess.run([program, "sandbox", "down", "--yes", "--dir", f"{home}/s"], check=True, capture_output=True)


with tempfile.TemporaryDirectory() as folder:
    follows(folder)
