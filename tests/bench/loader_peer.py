"""What loader_bench does, with webdataset and PyAV: clips of 16 frames at 12 a second, scaled and cropped to 128 x 128.

loader_peer.py FOLDER_OF_SHARDS CLIPS    prints one JSON document
"""
import io
import json
import random
import sys
import time
from pathlib import Path

import av
import numpy as np
import webdataset as wds

FRAMES, FPS, SIDE = 16, 12, 128
shards = sorted(str(shard) for shard in Path(sys.argv[1]).glob("*.tar"))
wanted = int(sys.argv[2])
random.seed(1)


def clip_of(data):
    with av.open(io.BytesIO(data)) as container:
        stream = container.streams.video[0]
        stream.thread_type = "NONE"
        start = random.randrange(3) * FRAMES / FPS
        container.seek(int(start / stream.time_base), stream=stream)
        scale = max(SIDE / stream.width, SIDE / stream.height)
        width, height = round(stream.width * scale), round(stream.height * scale)
        left, top = (width - SIDE) // 2, (height - SIDE) // 2
        frames, last = [], None
        for frame in container.decode(stream):
            while len(frames) < FRAMES and last is not None and frame.time > start + len(frames) / FPS + 0.002:
                picture = last.to_ndarray(format="rgb24", width=width, height=height)
                frames.append(picture[top:top + SIDE, left:left + SIDE])
            if len(frames) == FRAMES:
                break
            last = frame
        while len(frames) < FRAMES:
            picture = last.to_ndarray(format="rgb24", width=width, height=height)
            frames.append(picture[top:top + SIDE, left:left + SIDE])
        return np.stack(frames)


data = wds.WebDataset(shards, shardshuffle=len(shards), empty_check=False).shuffle(16).repeat()
began, cpu, clips = time.monotonic(), time.process_time(), 0
for sample in data:
    assert clip_of(sample["mp4"]).shape == (FRAMES, SIDE, SIDE, 3) and sample["txt"]
    clips += 1
    if clips == wanted:
        break
print(json.dumps({"clips_per_second": clips / (time.monotonic() - began),
                  "cpu_seconds_per_clip": (time.process_time() - cpu) / clips}))
