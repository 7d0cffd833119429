"""The genuine MLflow client reads a store of ours: runs, params, tags, artifacts and whole metric histories."""

import subprocess
import sys
import tempfile

from peers import MlflowClient, compare, mlflows, ours

tool = sys.argv[1]
with tempfile.TemporaryDirectory() as folder:
    file = f"{folder}/dailies.db"
    subprocess.run([tool, "write", file], check=True)
    before = ours(tool, file)
    assert len(before) == 4
    assert len(before["a" * 32]["metrics"]["loss"]) == 5000
    assert before["a" * 32]["metrics"]["review/rating"] == [[5000, 1_700_002_000_000, 4.0]], "a person's rating is a metric"
    assert before["a" * 32]["tags"]["dailies.review.rating"] == "4.00 of 5 (1 clip)"
    assert [p[0] for p in before["c" * 32]["metrics"]["loss"]] == list(range(1, 251)), "the retracted points are back"

    uri = f"sqlite:///{file}"
    compare(before, mlflows(uri))  # opening the file also brought MLflow's tables to its own version
    assert ours(tool, file) == before, "MLflow's upgrade changed what we read"

    client = MlflowClient(uri)
    clips = client.list_artifacts("a" * 32, "clips/step-000005000")
    assert [clip.path for clip in clips] == ["clips/step-000005000/red-1.mp4"], clips

    # both go on writing to the upgraded file
    client.log_metric("a" * 32, "human rating", 4.0, step=5000, timestamp=1_800_000_000_000)
    client.set_tag("a" * 32, "reviewed", "yes")
    subprocess.run([tool, "write", file], check=True)  # the same events again: nothing may double
    after = ours(tool, file)
    compare(after, mlflows(uri))
    assert after["a" * 32]["metrics"].pop("human rating") == [[5000, 1_800_000_000_000, 4.0]]
    assert after["a" * 32]["metrics"] == before["a" * 32]["metrics"]
    assert after["a" * 32]["tags"]["reviewed"] == "yes"
print("MLflow reads our store as we do")
