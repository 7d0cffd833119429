"""Our tar reader beside Python's webdataset: the same samples with the same bytes in the same order, from tars that
tarfile writes in each of its formats and from webdataset's own ShardWriter; and our frames beside PyAV's.

shards_as_webdataset.py WEBDATASET_TOOL
"""
import io
import json
import random
import subprocess
import sys
import tarfile
import tempfile
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import webdataset as wds

tool = sys.argv[1]
folder = Path(tempfile.mkdtemp())
random.seed(5)


def ours(shards):
    lines = subprocess.run([tool, "list", *map(str, shards)], capture_output=True, text=True, check=True)
    assert not lines.stderr, lines.stderr
    return [json.loads(line) for line in lines.stdout.splitlines()]


def compare(what, shards):
    theirs = list(wds.WebDataset([str(shard) for shard in shards], shardshuffle=False, empty_check=False))
    files = {str(shard): open(shard, "rb").read() for shard in shards}
    found = ours(shards)
    assert [sample["key"] for sample in found] == [sample["__key__"] for sample in theirs], what
    members = 0
    for mine, their in zip(found, theirs):
        content = files[their["__url__"]]
        bytes_of = {ending: content[at:at + size] for ending, (at, size) in mine["members"].items()}
        expected = {ending: value for ending, value in their.items() if not ending.startswith("__")}
        assert bytes_of == expected, (what, mine["key"])
        assert list(bytes_of) == list(expected), (what, mine["key"])
        members += len(expected)
    print(f"{what}: {len(found)} samples, {members} members, all bytes and the order equal")


names = ["000.mp4", "000.txt", "dir.with.dots/001.seg.PNG", "dir.with.dots/001.json", "no_ending", "x/.y.z", ".hidden",
         "__meta__/info.json", "__start__.txt", "ünïcode/ключ.txt", "n" * 90 + ".txt", "deep/" * 30 + "long.npy",
         "long" * 70 + ".mp4", "empty.txt", "again.mp4", "other.mp4", "again.mp4x", "a.b", "a.c"]
for form in ("USTAR", "GNU", "PAX"):
    shard = folder / f"{form}.tar"
    with tarfile.open(shard, "w", format=getattr(tarfile, form + "_FORMAT")) as tar:
        tar.addfile(tarfile.TarInfo("a_folder/"), None)
        link = tarfile.TarInfo("a_link.mp4")
        link.type, link.linkname = tarfile.SYMTYPE, "000.mp4"
        tar.addfile(link)
        for name in names:
            if form == "USTAR" and len(name) > 100 and "/" not in name[-100:]:
                continue  # the format cannot hold it
            data = b"" if name == "empty.txt" else random.randbytes(random.randrange(1, 3000))
            info = tarfile.TarInfo(name)
            info.size = len(data)
            info.mtime = 1700000000.123 if form == "PAX" else 1700000000
            tar.addfile(info, io.BytesIO(data))
    compare(f"tarfile {form}", [shard])

with wds.ShardWriter(str(folder / "wds-%03d.tar"), maxcount=20, verbose=0) as writer:
    for i in range(50):
        writer.write({"__key__": f"sample{i:06d}", "txt": f"caption {i}", "json": {"n": i},
                      "npy": np.arange(i, dtype=np.float32), "mp4": random.randbytes(random.randrange(2000))})
compare("webdataset.ShardWriter", sorted(folder.glob("wds-*.tar")))

# A video of 30 frames a second with B-frames: the frames at 12 a second, as PyAV decodes them.
buffer = io.BytesIO()
with av.open(buffer, "w", format="mp4") as container:
    stream = container.add_stream("libx264", rate=30, options={"crf": "20", "bf": "3", "g": "24"})
    stream.width, stream.height, stream.pix_fmt = 64, 48, "yuv420p"
    ramp = np.linspace(0, 200, 64)[None, :, None] + np.linspace(0, 40, 48)[:, None, None]
    for n in range(60):
        picture = np.broadcast_to((ramp + 3 * n) % 256, (48, 64, 3)).astype(np.uint8)
        for packet in stream.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")):
            container.mux(packet)
    for packet in stream.encode():
        container.mux(packet)
shard = folder / "video.tar"
with tarfile.open(shard, "w") as tar:
    for name, data in (("before.txt", b"x" * 700), ("clip.mp4", buffer.getvalue())):
        info = tarfile.TarInfo(name)
        info.size = len(data)
        tar.addfile(info, io.BytesIO(data))
raw = subprocess.run([tool, "clip", str(shard), "clip.mp4", "16", "12"], capture_output=True, check=True).stdout
mine = np.frombuffer(raw, np.uint8).reshape(16, 48, 64, 3).astype(int)
with av.open(io.BytesIO(buffer.getvalue())) as container:
    frames = [(float(frame.pts * frame.time_base), frame.to_ndarray(format="rgb24")) for frame in container.decode(video=0)]
start = frames[0][0]
theirs = np.stack([[f for t, f in frames if t - start <= i / 12 + 0.002][-1] for i in range(16)]).astype(int)
error = np.abs(mine - theirs)
print(f"frames beside PyAV: mean difference {error.mean():.3f} of 255, largest {error.max()}")
assert error.mean() < 1.5 and error.max() <= 12, "the frames are not PyAV's"
