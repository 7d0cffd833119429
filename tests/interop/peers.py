"""What both interop scripts share: our reader's dump, MLflow's view in the same shape, and their comparison."""

import json
import math
import os
import subprocess
import sys

os.environ["MLFLOW_DISABLE_TELEMETRY"] = "true"
os.environ["DO_NOT_TRACK"] = "true"

from mlflow import MlflowClient  # noqa: E402  (after the environment, which MLflow reads on import)


def ours(tool, file):
    """The store as our reader sees it: run id -> run."""
    output = subprocess.run([tool, "dump", file], check=True, stdout=subprocess.PIPE).stdout
    return {run.pop("id"): run for run in json.loads(output)["runs"]}


def number(value):
    """As our dump writes it. MLflow stores an infinity as the largest double and gives that back."""
    if math.isnan(value):
        return "NaN"
    if abs(value) >= sys.float_info.max:
        return "Infinity" if value > 0 else "-Infinity"
    return value


def mlflows(uri):
    """The store as MLflow's client sees it, in the shape of our dump."""
    client = MlflowClient(uri)
    runs = {}
    for experiment in client.search_experiments():
        for run in client.search_runs([experiment.experiment_id]):
            point = lambda m: [m.step, m.timestamp, number(m.value)]  # noqa: E731
            history = lambda key: sorted(  # noqa: E731
                (point(m) for m in client.get_metric_history(run.info.run_id, key)), key=lambda p: p[:2])
            runs[run.info.run_id] = {
                "name": run.info.run_name,
                "experiment": experiment.name,
                "status": run.info.status,
                "start": run.info.start_time,
                "end": run.info.end_time,
                "params": run.data.params,
                "tags": run.data.tags,
                "metrics": {key: history(key) for key in run.data.metrics},
                "latest": {key: number(value) for key, value in run.data.metrics.items()},
            }
    return runs


def compare(mine, theirs):
    """Exits with what differs; the latest values are compared as far as MLflow's client tells them."""
    assert mine.keys() == theirs.keys(), f"runs differ: {sorted(mine)} and {sorted(theirs)}"
    for run_id, run in mine.items():
        for field, value in run.items():
            if field == "latest":
                value = {key: point[2] for key, point in value.items()}
            other = theirs[run_id][field]
            if value != other:
                sys.exit(f"run {run_id}: {field} differs\n  ours:   {str(value)[:2000]}\n  MLflow: {str(other)[:2000]}")
