"""MLflow's client answering what query_bench asks: mlflow_query_peer.py FILE JSON, a list of [filter, order] pairs. Prints the
CPU seconds of the first 100 runs of each as JSON."""

import json
import os
import statistics
import sys
import time

os.environ["MLFLOW_DISABLE_TELEMETRY"] = "true"
os.environ["DO_NOT_TRACK"] = "true"

from mlflow import MlflowClient  # noqa: E402

file, questions = sys.argv[1:]
client = MlflowClient(f"sqlite:///{file}")
experiments = [experiment.experiment_id for experiment in client.search_experiments()]  # opening is not measured
seconds = []
for filter_text, order in json.loads(questions):
    costs = []
    for _ in range(3):
        begin = time.process_time()
        client.search_runs(experiments, filter_text, order_by=[part.strip() for part in order.split(",") if part], max_results=100)
        costs.append(time.process_time() - begin)
    seconds.append(statistics.median(costs))
print(json.dumps(seconds))
