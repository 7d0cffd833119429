"""What the genuine MLflow, TensorBoard and W&B clients write comes in as they read it themselves; MLflow opens the result."""

import math
import os
import subprocess
import sys
import tempfile

from exchange_peers import Dailies
from peers import MlflowClient, compare, mlflows, ours
from mlflow.entities import Dataset, DatasetInput, InputTag, Metric, Param, ViewType

program, tool = sys.argv[1:3]
os.environ["MLFLOW_ALLOW_FILE_STORE"] = "true"


def written_by_mlflow(uri):
    client = MlflowClient(uri)
    experiment = client.create_experiment("эксперимент")
    for index in range(3):
        run = client.create_run(experiment, run_name=f"run {index} — 走る").info.run_id
        points = [Metric("train/loss", 1 / (step + 1), 1_700_000_000_000 + step, step) for step in range(900)]
        points += [Metric("odd", value, 1_700_000_000_000, step)
                   for step, value in enumerate([math.nan, math.inf, -math.inf, 1e-310, -0.0])]
        client.log_batch(run, metrics=points, params=[Param("lr", "1e-4"), Param("a/b", ""), Param("text", "один\nдва")])
        client.set_tag(run, "mlflow.note.content", "# заметка\n\nline")
        client.log_inputs(run, [DatasetInput(Dataset("clips", "abc123", "local", '{"uri": "/data"}', profile="p"),
                                             [InputTag("mlflow.data.context", "training")])])
        if index:
            client.set_terminated(run, "FINISHED" if index == 1 else "KILLED")
    client.set_experiment_tag(experiment, "mlflow.note.content", "why")
    client.create_registered_model("net", tags={"k": "v"}, description="d")
    version = client.create_model_version("net", "file:///weights", run, tags={"vt": "1"}, description="vd")
    client.set_registered_model_alias("net", "best", version.version)
    gone = client.create_run(experiment, run_name="gone").info.run_id
    client.delete_run(gone)
    client.log_metric(client.create_run("0", run_name="in Default").info.run_id, "x", 1.0)
    return client, run


def imports_mlflow(folder, uri, source):
    client, run = written_by_mlflow(uri)
    dailies = Dailies(program, f"{folder}/ours.db")
    first = dailies("import", source)
    assert (first["kind"], first["runs_added"], first["points_added"]) == ("mlflow", 5, 3 * 905 + 1), first
    mine, theirs = ours(tool, dailies.store), mlflows(uri)
    for run_ in mine.values():
        assert run_["tags"].pop("dailies.imported_from") == os.path.realpath(source)
    compare(mine, theirs)

    again = dailies("import", source)
    assert (again["runs_added"], again["runs_extended"], again["points_added"]) == (0, 0, 0), again
    client.log_metric(run, "train/loss", 0.5, step=901, timestamp=1_800_000_000_000)
    more = dailies("import", source)
    assert (more["runs_added"], more["runs_extended"], more["points_added"]) == (0, 1, 1), more

    # MLflow opens what came in, its own Default and the deleted run included
    compare(ours(tool, dailies.store), mlflows(f"sqlite:///{dailies.store}"))
    reader = MlflowClient(f"sqlite:///{dailies.store}")
    everywhere = [experiment.experiment_id for experiment in reader.search_experiments()]
    (model,) = reader.search_registered_models()
    assert (model.name, model.description, model.tags, model.aliases) == ("net", "d", {"k": "v"}, {"best": 1}), model
    version = reader.get_model_version_by_alias("net", "best")
    assert (version.run_id, version.source, version.tags) == (run, "file:///weights", {"vt": "1"}), version
    (given,) = reader.get_run(run).inputs.dataset_inputs
    assert (given.dataset.name, given.dataset.digest, given.dataset.profile) == ("clips", "abc123", "p"), given
    assert [(tag.key, tag.value) for tag in given.tags] == [("mlflow.data.context", "training")], given
    assert reader.get_experiment_by_name("эксперимент").tags["mlflow.note.content"] == "why"
    gone = reader.search_runs(everywhere, run_view_type=ViewType.DELETED_ONLY)
    assert [run_.info.run_name for run_ in gone] == ["gone"], gone


def imports_tensorboard(folder):
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
    from tensorboard.compat.proto import event_pb2, summary_pb2
    from tensorboard.plugins.hparams import summary_v2 as hparams
    from tensorboard.plugins.scalar.metadata import create_summary_metadata
    from tensorboard.plugins.text.metadata import create_summary_metadata as text_metadata
    from tensorboard.summary.writer.event_file_writer import EventFileWriter
    from tensorboard.util import tensor_util

    logs = f"{folder}/logs"
    for name in ("base", "sweep/a"):
        for file in range(2):  # a restarted job writes a further file
            writer = EventFileWriter(f"{logs}/{name}", filename_suffix=f".{file}")
            for step in range(file * 500, file * 500 + 500):
                values = [summary_pb2.Summary.Value(tag="loss", simple_value=1 / (step + 1)),
                          summary_pb2.Summary.Value(tag="accuracy", metadata=create_summary_metadata("", ""),
                                                    tensor=tensor_util.make_tensor_proto(step / 1000, dtype="float64"))]
                if step == 3:
                    values += [summary_pb2.Summary.Value(tag="odd", simple_value=value) for value in (math.nan, math.inf)]
                    values.append(summary_pb2.Summary.Value(tag="remark", metadata=text_metadata("", ""),
                                                            tensor=tensor_util.make_tensor_proto("über alles")))
                event = event_pb2.Event(wall_time=1_700_000_000 + step / 8, step=step,
                                        summary=summary_pb2.Summary(value=values))
                writer.add_event(event)
            if file == 0:
                writer.add_event(event_pb2.Event(wall_time=1_700_000_000, summary=hparams.hparams_pb(
                    {"lr": 0.001, "optimizer": "adam", "ema": True}, start_time_secs=1_700_000_000)))
            writer.close()
    dailies = Dailies(program, f"{folder}/ours.db")
    assert dailies("import", logs)["runs_added"] == 2
    assert dailies("import", logs)["points_added"] == 0
    mine = {run["name"]: run for run in ours(tool, dailies.store).values()}
    for name in ("base", "sweep/a"):
        theirs = EventAccumulator(f"{logs}/{name}", size_guidance={"scalars": 0, "tensors": 0})
        theirs.Reload()
        expected = {"loss": [[e.step, round(e.wall_time * 1000), e.value] for e in theirs.Scalars("loss")],
                    "accuracy": [[e.step, round(e.wall_time * 1000), float(tensor_util.make_ndarray(e.tensor_proto))]
                                 for e in theirs.Tensors("accuracy")]}
        odd = sorted(str(point[2]) for point in mine[name]["metrics"].pop("odd"))
        assert odd == ["Infinity", "NaN"], odd
        assert mine[name]["metrics"] == expected, name
        assert len(expected["loss"]) == 1000
        assert mine[name]["params"] == {"lr": "0.001", "optimizer": "adam", "ema": "True"}, mine[name]["params"]
        assert mine[name]["tags"]["remark"] == "über alles"

    # a copy that was cut while it was written gives what is whole, and says so
    file = sorted(os.listdir(f"{logs}/base"))[0]
    with open(f"{logs}/base/{file}", "rb") as whole:
        content = whole.read()
    os.makedirs(f"{folder}/cut")
    with open(f"{folder}/cut/{file}", "wb") as cut:
        cut.write(content[:len(content) // 2])
    summary = Dailies(program, f"{folder}/cut.db")("import", f"{folder}/cut")
    assert 300 < summary["points_added"] < 1000 and "middle of a record" in summary["left_out"][0]["why"], summary


def imports_wandb(folder):
    script = """
import math, wandb
run = wandb.init(project="dreams", name="a run", mode="offline", tags=["x", "y"], notes="why", group="g",
                 config={"lr": 1e-3, "opt": {"name": "adam", "betas": [0.9, 0.99]}, "flag": True, "none": None})
run.define_metric("per_epoch/*", step_metric="epoch")
for epoch in range(5):
    run.log({"per_epoch/score": epoch / 4, "epoch": epoch * 10}, step=epoch)
for i in range(3000):
    run.log({"loss": 1 / (i + 1), "val/acc": i / 8, "deep": {"er": i}, "text": "t",
             "odd": [math.nan, math.inf, -math.inf, 1.5][i % 4]})
run.log({"histogram": wandb.Histogram([1, 2, 3]), "late": True}, step=5000)
run.summary["best"] = 0.25
run.finish()
wandb.init(project="dreams", mode="offline", name="failed").finish(exit_code=3)
"""
    subprocess.run([sys.executable, "-c", script], cwd=folder, check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, env=dict(os.environ, WANDB_SILENT="true"))
    dailies = Dailies(program, f"{folder}/ours.db")
    summary = dailies("import", f"{folder}/wandb")
    assert (summary["kind"], summary["runs_added"]) == ("wandb", 2), summary
    assert {entry["what"] for entry in summary["left_out"]} >= {"texts in the history", "media (histogram)"}, summary
    assert dailies("import", f"{folder}/wandb")["points_added"] == 0
    mine = {run["name"]: run for run in ours(tool, dailies.store).values()}
    run = mine["a run"]
    assert run["status"] == "FINISHED" and mine["failed"]["status"] == "FAILED"
    assert run["experiment"] == "dreams"
    assert run["params"] == {"lr": "0.001", "opt.name": "adam", "opt.betas": "[0.9,0.99]", "flag": "True", "none": "None"}
    assert run["tags"]["wandb.tags"] == "x, y" and run["tags"]["mlflow.note.content"] == "why"
    values = {key: [point[2] for point in points] for key, points in run["metrics"].items()}
    assert values["loss"] == [1 / (i + 1) for i in range(3000)]
    assert values["val/acc"] == [i / 8 for i in range(3000)]
    assert values["deep.er"] == list(range(3000))
    assert values["odd"][:4] == ["NaN", "Infinity", "-Infinity", 1.5]
    assert [point[0] for point in run["metrics"]["late"]] == [5000] and values["late"] == [1]
    assert [point[0] for point in run["metrics"]["per_epoch/score"]] == [0, 10, 20, 30, 40]
    assert values["best"] == [0.25], values["best"]
    assert not any(key.startswith(("_", "histogram")) for key in values), values.keys()


for test in (lambda folder: imports_mlflow(folder, f"sqlite:///{folder}/source.db", f"{folder}/source.db"),
             lambda folder: imports_mlflow(folder, f"{folder}/mlruns", f"{folder}/mlruns"),
             imports_tensorboard, imports_wandb):
    with tempfile.TemporaryDirectory() as folder:
        test(folder)
print("What MLflow, TensorBoard and W&B write comes in as they read it")
