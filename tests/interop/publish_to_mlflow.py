"""A genuine MLflow server takes what we publish, read back by its own client; also when the server or we are killed midway."""

import os
import random
import signal
import subprocess
import sys
import tempfile
import time

from exchange_peers import Dailies, Server
from peers import MlflowClient, number, ours

program, tool = sys.argv[1:3]
STEPS, KEYS = 6_000, 4


def there(server):
    """Our run id -> what the server has, as its own client reads it."""
    client = MlflowClient(server.address)
    found = {}
    for experiment in client.search_experiments():
        for run in client.search_runs([experiment.experiment_id]):
            points = {key: sorted([m.step, m.timestamp, number(m.value)]
                                  for m in client.get_metric_history(run.info.run_id, key)) for key in run.data.metrics}
            assert run.data.tags["dailies.run_id"] not in found, "a run was published twice"
            found[run.data.tags["dailies.run_id"]] = (run, experiment.name, points)
    return client, found


def compare(mine, found):
    assert mine.keys() == found.keys(), (mine.keys(), found.keys())
    for run_id, run in mine.items():
        other, experiment, points = found[run_id]
        assert experiment == run["experiment"]
        assert other.info.run_name == run["name"], (other.info.run_name, run["name"])
        assert other.info.start_time == run["start"]
        assert other.info.status == run["status"], (other.info.status, run["status"])
        assert other.info.end_time == run["end"]
        assert other.data.params == {key: value[:6000] for key, value in run["params"].items()}
        for key, value in run["tags"].items():
            assert other.data.tags[key] == value, (key, other.data.tags[key], value)
        assert points == {key: sorted(values) for key, values in run["metrics"].items()}, f"points of {run_id} differ"


def everything(folder, backend):
    """All that a store can hold, twice: the second time nothing is sent."""
    store = f"{folder}/all.db"
    subprocess.run([tool, "write", store], check=True)
    dailies = Dailies(program, store)
    server = Server(folder, backend)
    try:
        sent = dailies("publish", "--experiment", "moving-shapes", "--to", server.address)
        mine = ours(tool, store)
        client, found = there(server)
        compare(mine, found)
        assert sent["points_sent"] == sum(len(points) for run in mine.values() for points in run["metrics"].values())
        assert sent["files_sent"] == 1, sent
        clips = client.list_artifacts(found["a" * 32][0].info.run_id, "clips/step-000005000")
        assert [(clip.path, clip.file_size) for clip in clips] == [("clips/step-000005000/red-1.mp4", 4)], clips

        again = dailies("publish", "--experiment", "moving-shapes", "--to", server.address)
        assert (again["points_sent"], again["files_sent"], again["tags_sent"]) == (0, 0, 0), again
        assert again["points_there"] == sent["points_sent"]
        compare(mine, there(server)[1])
    finally:
        server.kill()


def newest_points(server):
    """Of each run and metric; points are sent in the order of their steps, so each request that adds some changes it."""
    client = MlflowClient(server.address)
    return {run.info.run_id: run.data.metrics
            for experiment in client.search_experiments() for run in client.search_runs([experiment.experiment_id])}


def wait_for_requests_under_way(server):
    """Of a publisher that was killed, the server may still be carrying out a request; its newest points tell when it has."""
    before = None
    while (now := newest_points(server)) != before:
        before = now
        time.sleep(1)


def wait_until(holds, what):
    deadline = time.monotonic() + 60
    while not holds():
        if time.monotonic() > deadline:
            sys.exit(f"waited 60 s in vain until {what}")
        time.sleep(0.02)


def interrupted(folder, backend):
    """Servers and publishers die at random moments; what arrives in the end is everything, once."""
    csv = f"{folder}/long.csv"
    chance = random.Random(4)
    with open(csv, "w") as file:
        print("step", *[f"metric {key}" for key in range(KEYS)], sep=",", file=file)
        for step in range(STEPS):
            print(step, *[chance.random() for _ in range(KEYS)], sep=",", file=file)
    dailies = Dailies(program, f"{folder}/long.db")
    dailies("import", csv, "--experiment", "interrupted")
    server = Server(folder, backend)
    words = ("publish", "long", "--to", server.address)
    try:
        for kill_publisher, wait in ((True, 0.4), (True, 0.9), (False, 0.5), (False, 1.0)):
            if not kill_publisher:
                wait_for_requests_under_way(server)
            searched = server.answers("runs/search")  # a publisher's second request
            publisher = dailies.start(*words)
            time.sleep(wait)
            if kill_publisher:
                publisher.send_signal(signal.SIGKILL)
                publisher.wait()
                if not backend.startswith("sqlite"):
                    wait_for_requests_under_way(server)
                continue
            # a server that has answered is waited for; of one that never did, a wrong address is told soon
            wait_until(lambda: server.answers("runs/search") > searched, "the server answers the publisher")
            server.kill()
            time.sleep(0.5)
            server.start()  # the publisher has been trying again all the while
            out, err = publisher.communicate(timeout=120)
            assert publisher.returncode == 0, err
        publisher = dailies.start(*words)
        publisher.send_signal(signal.SIGINT)
        publisher.wait()
        if not backend.startswith("sqlite"):
            wait_for_requests_under_way(server)
        dailies(*words)
        compare(ours(tool, f"{folder}/long.db"), there(server)[1])
    finally:
        server.kill()


for name, backend in (("sqlite", "sqlite:///{}/server.db"), ("files", "{}/mlruns")):
    for test in (everything, interrupted):
        with tempfile.TemporaryDirectory() as folder:
            started = time.monotonic()
            test(folder, backend.format(folder))
            print(f"{test.__name__} with {name}: {time.monotonic() - started:.1f} s", flush=True)

# without a server, and with credentials where they do not belong
with tempfile.TemporaryDirectory() as folder:
    store = f"{folder}/all.db"
    subprocess.run([tool, "write", store], check=True)
    message = Dailies(program, store)("publish", "a" * 32, "--to", "http://user:secret@127.0.0.1:9", status=2)
    assert "MLFLOW_TRACKING_PASSWORD" in message and "secret" not in message, message
print("A genuine MLflow server has what we publish, once")
