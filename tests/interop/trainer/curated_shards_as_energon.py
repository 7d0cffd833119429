"""Films → `dailies-train curate` → `dailies-train shard` → the readers of others: webdataset and
Megatron-Energon, which NeMo trains with. All see the clips that are kept, byte for byte, and Energon does not see one that was
dropped after it was packed.

curated_shards_as_energon.py DAILIES_TRAIN
"""
import json
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

import av
import numpy as np
import webdataset as wds
from megatron.energon import Cooker, DefaultTaskEncoder, WorkerConfig, basic_sample_keys, get_loader, get_train_dataset, stateless

train = sys.argv[1]
folder = Path(tempfile.mkdtemp())
films, curated, shards = folder / "films", folder / "set", folder / "shards"
films.mkdir()


def run(*words):
    subprocess.run([train, *map(str, words)], check=True, capture_output=True, text=True)


def write_film(file, seed):
    """Two shots, each a picture of its own that moves."""
    random = np.random.default_rng(seed)
    with av.open(str(file), "w") as container:
        stream = container.add_stream("libx264", rate=24)
        stream.width, stream.height, stream.pix_fmt = 128, 96, "yuv420p"
        for _ in range(2):
            world = np.kron(random.integers(0, 255, (12, 64, 3)), np.ones((8, 8, 1))).astype(np.uint8)
            for t in range(60):
                frame = np.ascontiguousarray(world[:, 2 * t:2 * t + 128])
                container.mux(stream.encode(av.VideoFrame.from_ndarray(frame, format="rgb24")))
        container.mux(stream.encode())


@stateless
def cook(sample):
    return {**basic_sample_keys(sample), "video": sample["mp4"], "caption": sample["txt"]}


def of_energon():
    class Whole(DefaultTaskEncoder):
        decoder = None
        cookers = [Cooker(cook)]

        def batch(self, samples):
            return samples

    dataset = get_train_dataset(
        str(shards), worker_config=WorkerConfig(rank=0, world_size=1, num_workers=0), batch_size=1,
        shuffle_buffer_size=None, max_samples_per_sequence=None, task_encoder=Whole(), repeat=False)
    found = {}
    for batch in get_loader(dataset):
        for sample in batch:
            found[sample["__key__"].split("/")[-1]] = (bytes(sample["video"]), bytes(sample["caption"]).decode())
    return found


for seed in range(3):
    write_film(films / f"film{seed}.mp4", seed)
rules = folder / "rules.json"
rules.write_text(json.dumps({"verdict": {"min_side": 16, "drop_duplicates": False}}))
run("curate", films, "--out", curated, "--config", rules)
lines = [json.loads(line) for line in (curated / "clips.jsonl").read_text().splitlines()]
kept = [line["id"] for line in lines if line["verdict"] == "keep"]
assert len(kept) >= 4, lines
for line in lines:
    line["caption"] = f"clip {line['id']}"
(curated / "clips.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
run("shard", curated, "--out", shards, "--size-mib", 1)

tars = sorted(shards.glob("*.tar"))
packed = {}
for tar in tars:
    with tarfile.open(tar) as members:
        packed.update({member.name: members.extractfile(member).read() for member in members})
expected = {key: (packed[key + ".mp4"], f"clip {key}") for key in kept}

found = {sample["__key__"]: (sample["mp4"], sample["txt"].decode())
         for sample in wds.WebDataset([str(tar) for tar in tars], shardshuffle=False, empty_check=False)}
assert found == expected, "webdataset"

# of webdataset before 1.0, whose wids read shards by this index
index = json.loads((shards / "index.json").read_text())
assert [(shards / shard["url"], shard["nsamples"]) for shard in index["shardlist"]] == [
    (tar, sum(name.endswith(".mp4") for name in tarfile.open(tar).getnames())) for tar in tars], "wids"

assert of_energon() == expected, "energon"
(curated / "corrections.json").write_text(json.dumps({"drop": [kept[1]]}))
before = [tar.read_bytes() for tar in tars]
run("shard", curated, "--out", shards, "--size-mib", 1)
assert [tar.read_bytes() for tar in tars] == before, "a verdict rewrites no tar"
del expected[kept[1]]
assert of_energon() == expected, "energon after a verdict"

next(line for line in lines if line["id"] == kept[2])["caption"] = "another one"
(curated / "clips.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
run("shard", curated, "--out", shards, "--size-mib", 1)
assert [tar.read_bytes() for tar in tars] == before, "nor does a caption"
expected[kept[2]] = (packed[kept[2] + ".mp4"], "another one")
assert of_energon() == expected, "energon after a caption"

for key in kept:
    line = next(line for line in lines if line["id"] == key)
    with av.open(str(Path(line["source"]))) as film:
        rate = film.streams.video[0].average_rate
    clip = folder / "clip.mp4"
    clip.write_bytes(packed[key + ".mp4"])
    with av.open(str(clip)) as container:
        stream = container.streams.video[0]
        assert sum(1 for _ in container.decode(stream)) == line["last_frame"] - line["first_frame"] + 1, key
        assert stream.average_rate == rate, key
print(f"{len(kept)} clips in {len(tars)} shards: webdataset and Energon read the same bytes; a verdict or caption rewrites no tar")
