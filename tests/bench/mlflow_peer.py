"""MLflow's client doing what store_bench measures; prints CPU seconds of each part as JSON.

mlflow_peer.py INGEST_FILE POINTS READ_FILE RUNS LONG_RUN...: logs POINTS points in batches of 1,000 into a new store, then
reads from READ_FILE the newest RUNS runs, one long history, and what its pages read for a chart of the LONG_RUNs' loss (320
points a run, the number that they ask for).
"""

import json
import os
import sys
import time

os.environ["MLFLOW_DISABLE_TELEMETRY"] = "true"
os.environ["DO_NOT_TRACK"] = "true"

from mlflow import MlflowClient  # noqa: E402
from mlflow.entities import Metric  # noqa: E402
from mlflow.store.tracking.sqlalchemy_store import SqlAlchemyStore  # noqa: E402


def cpu_seconds(work):
    begin = time.process_time()
    result = work()
    return time.process_time() - begin, result


ingest_file, points, read_file, runs, *long_runs = sys.argv[1:]
client = MlflowClient(f"sqlite:///{ingest_file}")
run_id = client.create_run(client.create_experiment("bench")).info.run_id


def log():
    keys = [f"metric{index}" for index in range(10)]
    for first in range(0, int(points) // 10, 100):
        client.log_batch(run_id, metrics=[Metric(key, 1.0 / (step + 1), 1_700_000_000_000 + step, step)
                                          for step in range(first, first + 100) for key in keys])


seconds = {"ingest": cpu_seconds(log)[0]}
client = MlflowClient(f"sqlite:///{read_file}")
experiments = [experiment.experiment_id for experiment in client.search_experiments()]  # opening is not measured
seconds["runs"], found = cpu_seconds(lambda: client.search_runs(experiments, max_results=int(runs)))
assert len(found) == int(runs)
seconds["history"], found = cpu_seconds(lambda: client.get_metric_history(long_runs[0], "loss"))
seconds["points"] = len(found)
store = SqlAlchemyStore(f"sqlite:///{read_file}", os.path.dirname(read_file))
seconds["chart"], found = cpu_seconds(
    lambda: [point.to_proto() for point in store.get_metric_history_bulk_interval(long_runs, "loss", 320, None, None)])
seconds["highest"] = max(point.value for point in found)
print(json.dumps(seconds))
