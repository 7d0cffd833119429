"""For follow_bench: 64 programs that log to TensorBoard, and TensorBoard itself, which reads what they write.

    follow_peer.py write FOLDER RUNS SECONDS    10 scalars a second of each run, flushed as they are written
    follow_peer.py watch FOLDER SECONDS         TensorBoard over them: one line of JSON, its CPU seconds and how late its points are
"""

import json
import os
import statistics
import subprocess
import sys
import time
import urllib.parse
import urllib.request

METRICS = 10
EVERY = 2  # seconds between two readings, as Dailies polls
TICKS = os.sysconf("SC_CLK_TCK")


def write(folder, runs, seconds):
    from tensorboard.compat.proto.event_pb2 import Event
    from tensorboard.compat.proto.summary_pb2 import Summary
    from tensorboard.summary.writer.event_file_writer import EventFileWriter
    writers = [EventFileWriter(f"{folder}/run{number:02}") for number in range(runs)]
    begin = time.time()
    for step in range(seconds):
        time.sleep(max(0, begin + step - time.time()))
        for writer in writers:
            values = [Summary.Value(tag=f"metric{i}", simple_value=1 / (step + 1 + i)) for i in range(METRICS)]
            writer.add_event(Event(wall_time=time.time(), step=step, summary=Summary(value=values)))
            writer.flush()


def processor_seconds(pid):
    """Of a process and all below it that live."""
    total = 0
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            with open(f"/proc/{entry}/stat") as file:
                fields = file.read().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if int(entry) == pid or int(fields[1]) == pid:
            total += int(fields[11]) + int(fields[12])
    return total / TICKS


def watch(folder, seconds):
    port = 16006 + os.getpid() % 1000
    board = subprocess.Popen([sys.executable, "-m", "tensorboard.main", "--logdir", folder, "--port", str(port), "--reload_interval",
                              str(EVERY)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        address = f"http://127.0.0.1:{port}/data/plugin/scalars/scalars?" + urllib.parse.urlencode({"run": "run00", "tag": "metric0"})
        late, seen = [], -1
        deadline = time.time() + 60
        while time.time() < deadline:  # until it has read what is there
            try:
                points = json.load(urllib.request.urlopen(address))
                if time.time() - points[-1][0] < 10:
                    break
            except OSError:
                pass
            time.sleep(0.2)
        begin, processor = time.time(), processor_seconds(board.pid)
        while time.time() < begin + seconds:
            for wall, step, _ in json.load(urllib.request.urlopen(address))[-60:]:
                if step > seen:
                    late.append(time.time() - wall)
                    seen = step
            time.sleep(0.1)
        used = processor_seconds(board.pid) - processor
        late = sorted(late[60:])
        print(json.dumps({"processor": used / (time.time() - begin), "median": statistics.median(late),
                          "p95": late[int(0.95 * len(late))]}))
    finally:
        board.terminate()
        board.wait()


if sys.argv[1] == "write":
    write(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
else:
    watch(sys.argv[2], int(sys.argv[3]))
