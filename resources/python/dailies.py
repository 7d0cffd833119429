"""Tell Dailies what a training program does, in three lines:

    import dailies
    dailies.log(step, loss=loss, lr=lr)
    dailies.clip("sample.mp4", prompt="a red square moves left", seed=7, step=step)

The file needs nothing but Python 3.7. Dailies puts it on the PYTHONPATH of every run that it launches; elsewhere copy it
beside your program. What it tells goes to events.jsonl in the folder that DAILIES_RUN_DIR names, which `dailies watch`
follows as well. Without DAILIES_RUN_DIR it does nothing, so a program that uses it runs anywhere. Of several ranks
only rank 0 writes. Whatever goes wrong here is printed once and never ends the program.
"""

import collections
import hashlib
import json
import math
import os
import shutil
import socket
import sys
import threading
import time

try:
    import fcntl
except ImportError:  # not a POSIX system
    fcntl = None

__all__ = ["log", "clip", "config", "should_stop"]


def log(step, values=None, **more):
    """Metrics at the end of `step`, a whole number: log(100, loss=0.5) or log(100, {"val/loss": 0.5}).

    A value is a number or what float() takes, such as a tensor of one element; dicts in it get dotted names, and None is
    left out. When a program goes on from a checkpoint in a further job, what was logged from its first step on is replaced.
    """
    numbers = {}
    for name, value in {**(values or {}), **more}.items():
        _add_numbers(numbers, str(name), value)
    step = _whole(step, "step")
    if numbers and step is not None:
        _write({"type": "metrics", "step": step, "values": numbers})


def clip(path, prompt="", seed=0, step=0, inputs=None, per_frame=None):
    """A video that was sampled, once it is whole: mp4, webm, mov, mkv or gif.

    `inputs` names what it was made from, videos or pictures: {"reference": "anna.png", "poses": "dance.mp4"}. The Review page
    shows them beside the clip; poses, depth and the like over it. `per_frame` has numbers for each frame, which are drawn as
    curves: {"pose_error": [0.02, 0.03, ...]}. Files outside of the run's folder are copied into it.
    """
    folder = _folder()
    step, seed = _whole(step, "step"), _whole(seed, "seed")
    if folder is None or _rank() != 0 or step is None or seed is None:
        return
    try:
        inside = _inside(folder, os.path.realpath(path), step)
    except OSError as error:
        _complain("clip", "the clip %s could not be logged: %s" % (path, error))
        return
    name = os.path.splitext(os.path.basename(inside))[0]
    event = {"type": "clip", "step": step, "prompt": str(prompt) or name, "seed": seed, "path": inside}
    made_from, curves = {}, {}
    for kind, file in dict(inputs or {}).items():
        try:
            made_from[str(kind)] = _input_inside(folder, str(kind), os.path.realpath(file))
        except (OSError, TypeError) as error:
            _complain("input", "%s, which a clip was made from, could not be logged: %s" % (file, error))
    for kind, values in dict(per_frame or {}).items():
        try:
            curves[str(kind)] = [_json_number(float("nan") if value is None else float(value)) for value in values]
        except (TypeError, ValueError, RuntimeError):
            _complain("per_frame", "per_frame: %s of a clip is no list of numbers" % kind)
    if made_from:
        event["inputs"] = made_from
    if curves:
        event["per_frame"] = curves
    _write(event)


def config():
    """The parameters that the sweep gave this run, as a dict; empty outside of Dailies."""
    folder = _folder()
    if folder is None:
        return {}
    try:
        with open(os.path.join(folder, "config.json"), encoding="utf-8") as file:
            return json.load(file)
    except (OSError, ValueError):
        return {}


def should_stop():
    """Whether this run was asked to write a checkpoint and end: its time limit is near, or its sweep gives it up.

    It takes `resume: dailies` in the sweep file. Cheap: it looks at most once a second. In distributed training ask on rank 0
    and broadcast the answer, so that all ranks stop at the same step.
    """
    folder = _folder()
    if folder is None:
        return False
    now = time.monotonic()
    with _lock:
        if not _state.stop and now - _state.looked >= 1:
            _state.looked = now
            _state.stop = os.path.exists(os.path.join(folder, "dailies.stop"))
        return _state.stop


class _State:
    def __init__(self):
        self.stop = False
        self.looked = -math.inf
        self.file = None  # events.jsonl, open
        self.size = 0  # of it, when this process wrote last
        self.seq = 0  # of the last event in it
        self.attempt = 0
        self.last_step = None  # of the last metrics in it
        self.resumes = False  # the first step of this process says from where
        self.process = 0  # that opened it: a fork opens it anew
        self.complaints = set()


_state = _State()
_lock = threading.RLock()


def _folder():
    return os.environ.get("DAILIES_RUN_DIR") or None


def _rank():
    for name in ("RANK", "SLURM_PROCID", "OMPI_COMM_WORLD_RANK"):
        if os.environ.get(name, "").isdigit():
            return int(os.environ[name])
    return 0


def _job():
    """As Dailies writes it, and how often Slurm has put it back into the queue; empty outside of Slurm."""
    array, task = os.environ.get("SLURM_ARRAY_JOB_ID"), os.environ.get("SLURM_ARRAY_TASK_ID")
    job = array + "_" + task if array and task else os.environ.get("SLURM_JOB_ID", "")
    return job, int(os.environ.get("SLURM_RESTART_COUNT") or 0)


def _whole(value, what):
    try:
        return int(value)
    except (TypeError, ValueError, OverflowError):
        _complain(what, "a %s is no whole number: %r" % (what, value))
        return None


def _add_numbers(numbers, name, value):
    if value is None:
        return
    if isinstance(value, dict):
        for inner, number in value.items():
            _add_numbers(numbers, name + "." + str(inner), number)
        return
    try:
        number = float(value)
    except (TypeError, ValueError, RuntimeError):
        _complain("value " + name, "the metric %s is no number: %s" % (name, type(value).__name__))
        return
    numbers[name] = _json_number(number)


def _json_number(number):
    if math.isfinite(number):
        return number
    return "NaN" if math.isnan(number) else "Infinity" if number > 0 else "-Infinity"  # JSON has none of these


def _inside(folder, path, step):
    """The path relative to the run's folder, copied there if it lies elsewhere."""
    return _relative(folder, path) or _copy(folder, path, "clips/%08d-%s" % (step, os.path.basename(path)))


def _input_inside(folder, kind, path):
    """The same of what clips are made from, copied once, however many there are."""
    inside = _relative(folder, path)
    if inside:
        return inside
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        for block in iter(lambda: file.read(1 << 20), b""):
            digest.update(block)
    safe = "".join(c if c.isalnum() or c in "_-" else "_" for c in kind)
    copied = "clips/inputs/%s-%s%s" % (safe, digest.hexdigest()[:16], os.path.splitext(path)[1])
    return copied if os.path.isfile(os.path.join(folder, copied)) else _copy(folder, path, copied)


def _relative(folder, path):
    """None where the file lies outside of the folder."""
    if not os.path.isfile(path):
        raise FileNotFoundError("there is no such file")
    folder = os.path.realpath(folder)
    return os.path.relpath(path, folder).replace(os.sep, "/") if os.path.commonpath([folder, path]) == folder else None


def _copy(folder, path, copied):
    target = os.path.join(folder, copied)
    os.makedirs(os.path.dirname(target), exist_ok=True)
    shutil.copyfile(path, target + ".new")
    os.replace(target + ".new", target)
    return copied


def _write(event):
    folder = _folder()
    if folder is None or _rank() != 0:
        return
    with _lock:
        try:
            _open(folder)
            _locked(_append, event)
        except (OSError, ValueError) as error:
            _complain("events", "events.jsonl could not be written: %s" % error)


def _open(folder):
    if _state.file is not None and _state.process == os.getpid():
        return
    _state.file = open(os.path.join(folder, "events.jsonl"), "ab+", buffering=0)
    _state.process = os.getpid()
    _state.size, _state.seq, _state.attempt, _state.last_step, _state.resumes = 0, 0, 0, None, False
    _locked(_begin)


def _locked(function, *arguments):
    """Other processes of the run may write the file, too. Some network file systems have no locks."""
    locked = False
    if fcntl is not None:
        try:
            fcntl.flock(_state.file, fcntl.LOCK_EX)
            locked = True
        except OSError:
            pass
    try:
        function(*arguments)
    finally:
        if locked:
            fcntl.flock(_state.file, fcntl.LOCK_UN)


def _begin():
    """The first process of a job begins an attempt; a further one of the same job goes on with it."""
    job, restarts = _job()
    last_start = None
    newest = collections.deque(maxlen=64)
    for line in _lines_from(0):
        if b'"start"' in line:
            last_start = _read(line) or last_start
        newest.append(line)
    for line in newest:
        _read(line)
    if last_start is not None and (last_start.get("job"), last_start.get("restarts")) == (job, restarts):
        _state.resumes = not job  # outside of Slurm a process may be the next one or the same run again
        return
    _state.resumes = _state.attempt > 0
    _state.attempt += 1
    _append({"type": "start", "host": socket.gethostname(), "ranks": int(os.environ.get("WORLD_SIZE") or 1), "job": job,
             "restarts": restarts, "facts": {}})


def _lines_from(offset):
    """What is in the file behind what this process knows of it."""
    with open(_state.file.name, "rb") as file:
        file.seek(offset)
        yield from file
        _state.size = file.tell()


def _read(line):
    """Takes note of an event of the file; returns it if it begins an attempt."""
    try:
        event = json.loads(line)
        _state.seq = max(_state.seq, int(event["seq"]))
        _state.attempt = max(_state.attempt, int(event["attempt"]))
        if event["type"] == "metrics":
            _state.last_step = int(event["step"])
        return event if event["type"] == "start" else None
    except (ValueError, KeyError, TypeError):
        return None  # torn by a kill


def _append(event):
    size = os.fstat(_state.file.fileno()).st_size
    if size > _state.size:  # another process wrote
        for line in _lines_from(_state.size):
            _read(line)
    in_slurm = bool(_job()[0])
    if _state.resumes and (event["type"] == "metrics" or (in_slurm and "step" in event)):
        _state.resumes = False
        if in_slurm or event["step"] < (_state.last_step or 0):
            _put({"type": "resume", "from_step": event["step"] - 1})
    _put(event)


def _put(event):
    _state.seq += 1
    line = json.dumps({"seq": _state.seq, "attempt": _state.attempt, "time": time.time(), **event}) + "\n"
    size = os.fstat(_state.file.fileno()).st_size
    if size > 0:
        _state.file.seek(size - 1)
        if _state.file.read(1) != b"\n":
            line = "\n" + line
    data = line.encode("utf-8")
    if _state.file.write(data) != len(data):
        raise OSError("the disk is full")
    _state.size = os.fstat(_state.file.fileno()).st_size
    if event["type"] == "metrics":
        _state.last_step = event["step"]


def _complain(kind, sentence):
    if kind not in _state.complaints:
        _state.complaints.add(kind)
        print("dailies: " + sentence, file=sys.stderr, flush=True)
