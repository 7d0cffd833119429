"""What curate_bench compares with: PySceneDetect's AdaptiveDetector over every film of a folder.

curate_peer.py FOLDER    prints one JSON document
"""
import json
import sys
import time
from pathlib import Path

from scenedetect import AdaptiveDetector, SceneManager, open_video

films = sorted(Path(sys.argv[1]).glob("*.mp4"))
frames, began, cpu = 0, time.monotonic(), time.process_time()
for film in films:
    manager = SceneManager()
    manager.add_detector(AdaptiveDetector())
    frames += manager.detect_scenes(open_video(str(film)))
    assert len(manager.get_scene_list()) > 1
print(json.dumps({"frames": frames, "seconds": time.monotonic() - began, "cpu_seconds": time.process_time() - cpu}))
