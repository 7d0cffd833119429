"""MLflow's client doing what runs_bench measures; prints wall seconds of each part as JSON.

mlflow_runs_peer.py FILE RUNS: all RUNS runs of the file, then the same ordered by a metric, filtered by a metric, and the
first screen of 100 ordered by a metric.
"""

import json
import os
import sys
import time

os.environ["MLFLOW_DISABLE_TELEMETRY"] = "true"
os.environ["DO_NOT_TRACK"] = "true"

from mlflow import MlflowClient  # noqa: E402

file, runs = sys.argv[1], int(sys.argv[2])
client = MlflowClient(f"sqlite:///{file}")
experiments = [experiment.experiment_id for experiment in client.search_experiments()]  # opening is not measured


def seconds(**search):
    begin = time.monotonic()
    client.search_runs(experiments, **search)
    return time.monotonic() - begin


print(json.dumps({
    "open": seconds(max_results=runs),
    "sort": seconds(max_results=runs, order_by=["metrics.loss ASC"]),
    "filter": seconds(max_results=runs, filter_string="metrics.loss < 0.5"),
    "screen": seconds(max_results=100, order_by=["metrics.loss ASC"]),
}))
