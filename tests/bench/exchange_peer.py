"""MLflow's own client doing what exchange_bench measures; prints wall and CPU seconds as JSON.

exchange_peer.py copy FROM TO: every run of the SQLite file FROM into TO, as its users' scripts do it: whole histories read,
batches of 1,000 points logged.
exchange_peer.py publish FROM URL RUN: the run's points to a tracking server.
"""

import json
import os
import sys
import time

os.environ["MLFLOW_DISABLE_TELEMETRY"] = "true"
os.environ["DO_NOT_TRACK"] = "true"

from mlflow import MlflowClient  # noqa: E402

verb, source, target = sys.argv[1:4]
reader, writer = MlflowClient(f"sqlite:///{source}"), MlflowClient(target if verb == "publish" else f"sqlite:///{target}")
# opening the files and migrating them is not measured
experiment = writer.create_experiment("bench by the client")
runs = [run for found in reader.search_experiments() for run in reader.search_runs([found.experiment_id])]
if verb == "publish":
    runs = [run for run in runs if run.info.run_id == sys.argv[4]]
wall, cpu, points = time.monotonic(), time.process_time(), 0
for run in runs:
    copy = writer.create_run(experiment, run_name=run.info.run_name).info.run_id
    for key in run.data.metrics:
        history = reader.get_metric_history(run.info.run_id, key)
        for begin in range(0, len(history), 1000):
            writer.log_batch(copy, metrics=history[begin:begin + 1000])
        points += len(history)
print(json.dumps({"wall": time.monotonic() - wall, "cpu": time.process_time() - cpu, "points": points}))
