"""MLflow's own answer to what chart_bench asks of a store: the curves of one chart, as `mlflow ui` asks for them.

mlflow_curves.py FILE METRIC RUN...: prints the seconds of the call behind the bulk-interval endpoint, and each run's least and
greatest value in its answer, as JSON.
"""

import json
import os
import sys
import time

os.environ["MLFLOW_DISABLE_TELEMETRY"] = "true"
os.environ["DO_NOT_TRACK"] = "true"

from mlflow.store.tracking.sqlalchemy_store import SqlAlchemyStore  # noqa: E402

file, metric, *runs = sys.argv[1:]
store = SqlAlchemyStore(f"sqlite:///{file}", os.path.dirname(file))
store.get_run(runs[0])  # opening is not measured
begin = time.perf_counter()
points = store.get_metric_history_bulk_interval(run_ids=runs, metric_key=metric, max_results=320, start_step=None, end_step=None)
seconds = time.perf_counter() - begin
ranges = {}
for point in points:
    low, high = ranges.get(point.run_id, (point.value, point.value))
    ranges[point.run_id] = (min(low, point.value), max(high, point.value))
print(json.dumps({"seconds": seconds, "points": len(points), "ranges": ranges}))
