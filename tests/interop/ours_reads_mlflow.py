"""We open what MLflow wrote, by its client at the newest schema and files at the revisions of 2.22 and 3.0: reading changes
nothing, and what we write into them (Dailies' tables, curves, a tag, a point) MLflow reads, also after it brought the file up to
date and while both write."""

import math
import os
import sqlite3
import subprocess
import sys
import tempfile

from peers import MlflowClient, compare, mlflows, ours
import mlflow.store.db.utils as database
import sqlalchemy
from alembic import command
from mlflow.entities import Metric, Param

tool = sys.argv[1]
RUN_SQL = os.path.join(os.path.dirname(__file__), "../core/tracking/mlflow_run.sql")


def written_by_the_client(folder):
    file = f"{folder}/mlflow.db"
    client = MlflowClient(f"sqlite:///{file}")
    experiment = client.create_experiment("эксперимент", artifact_location=folder)
    values = [math.nan, math.inf, -math.inf, 0.1 + 0.2, 1e-310]
    for index in range(3):
        run = client.create_run(experiment, run_name=f"run {index} — 走る").info.run_id
        points = [Metric("loss", 1 / (step + 1), 1_700_000_000_000 + step, step) for step in range(2500)]
        points += [Metric("odd", value, 1_700_000_000_000, step) for step, value in enumerate(values)]
        points += [Metric("same step", value, 1_700_000_000_000, 7) for value in (3.0, 1.0, 2.0)]
        for begin in range(0, len(points), 1000):
            client.log_batch(run, metrics=points[begin:begin + 1000])
        client.log_batch(run, params=[Param("lr", "1e-4"), Param("empty", "")])
        client.set_tag(run, "mlflow.note.content", "заметка")
        if index:
            client.set_terminated(run, "FINISHED" if index == 1 else "KILLED")
    return file


def made_at(revision, folder):
    """A file as the MLflow of that revision left it: its own migrations up to there, then one run."""
    file = f"{folder}/{revision}.db"
    engine = sqlalchemy.create_engine(f"sqlite:///{file}")
    from mlflow.store.tracking.dbmodels.initial_models import Base
    Base.metadata.create_all(engine)
    config = database._get_alembic_config(f"sqlite:///{file}")
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, revision)
    engine.dispose()
    with sqlite3.connect(file) as connection, open(RUN_SQL) as sql:
        connection.executescript(sql.read())
    return file


with tempfile.TemporaryDirectory() as folder:
    file = written_by_the_client(folder)
    with open(file, "rb") as content:
        before = content.read()
    mine = ours(tool, file)
    with open(file, "rb") as content:
        assert content.read() == before, "reading changed the file"
    theirs = mlflows(f"sqlite:///{file}")
    # points of one step and one time have no order in MLflow
    for runs in (mine, theirs):
        for run in runs.values():
            run["metrics"]["same step"].sort()
    compare(mine, theirs)
    assert len(mine) == 3

    # opened for writing it stays MLflow's: its client reads what was there and what we added, and goes on logging
    subprocess.run([tool, "adopt", file], check=True)
    client = MlflowClient(f"sqlite:///{file}")
    for run_id in mine:
        assert [m.value for m in client.get_metric_history(run_id, "ours")] == [0.5]
        client.log_batch(run_id, metrics=[Metric("loss", -1.0, 1_700_000_000_000, step) for step in range(3000, 3500)])
        client.log_metric(run_id, "loss", 9.0, timestamp=1_600_000_000_000, step=5)  # late, before many others
    adopted, theirs = ours(tool, file), mlflows(f"sqlite:///{file}")
    for runs in (adopted, theirs):
        for run in runs.values():
            run["metrics"]["same step"].sort()
    compare(adopted, theirs)
    assert all(len(run["metrics"]["loss"]) == 3001 and run["tags"]["adopted"] == "yes" for run in adopted.values())

    for release, revision in (("2.22", "0584bdc529eb"), ("3.0", "6953534de441")):
        file = made_at(revision, folder)
        run = ours(tool, file)["0123456789abcdef0123456789abcdef"]
        assert run["name"] == "trial-000" and run["params"] == {"lr": "1e-4"}, (release, run)
        assert run["metrics"]["loss"] == [[1, 1700000001000, 0.5], [2, 1700000002000, "NaN"]], (release, run)
        subprocess.run([tool, "adopt", file], check=True)
        engine = sqlalchemy.create_engine(f"sqlite:///{file}")
        with engine.connect() as connection:
            assert connection.execute(sqlalchemy.text("SELECT version_num FROM alembic_version")).scalar() == revision, release
        database._upgrade_db(engine)  # MLflow's own migrations, over our tables
        engine.dispose()
        compare(ours(tool, file), mlflows(f"sqlite:///{file}"))
print("Our reader reads MLflow's files as MLflow does")
