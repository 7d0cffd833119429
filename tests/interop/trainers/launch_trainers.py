"""Trainers that nobody here wrote, launched unchanged by their sweep files on a real Slurm: `accelerate launch` over min-SNR
gamma, Hugging Face's Trainer, Lightning (which is stopped near its time limit and goes on), trackio, the module `rl_zoo3.train` of a
package as it is installed, and torchrun on two nodes. In the end every value is there once, as the genuine reader of each
tracker has it."""

import csv
import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile

program, tool, source = sys.argv[1:4]
environment = os.path.dirname(os.path.dirname(sys.executable))

STEPS = 120  # of the example; its own 400 show more and take longer

SWEEP = f"""
program: trainers.py
name: trainers
command: [python, "${{program}}", "${{args}}", "--folder=${{run_dir}}"]
parameters: {{trainer: {{values: [transformers, trackio]}}}}
resources: {{memory: 1500M, parallel_runs: 2, time_limit: "0:10:00"}}
environment: {{venv: {environment}}}
"""

PREEMPTED = f"""
program: trainers.py
name: preempted
command: [python, "${{program}}", "${{args}}", "--folder=${{run_dir}}"]
parameters: {{trainer: {{value: lightning}}}}
resume: {{preset: lightning, stop: {{signal: USR1, lead: 120}}}}  # a minute for its imports
resources: {{memory: 1500M, time_limit: "0:03:00"}}
environment: {{venv: {environment}}}
"""

INSTALLED = f"""
name: installed
command: [python, -m, rl_zoo3.train, "--tensorboard-log=${{run_dir}}/tensorboard", "--log-folder=${{run_dir}}", "${{args}}"]
method: grid
metric: {{name: rollout/ep_rew_mean, goal: maximize}}
parameters:
  algo: {{value: ppo}}
  env: {{value: CartPole-v1}}
  device: {{value: cpu}}
  n-timesteps: {{value: 6144}}
  seed: {{values: [1, 2]}}
resources: {{memory: 1500M, parallel_runs: 2, time_limit: "0:10:00"}}
environment: {{venv: {environment}}}
"""

TWO_NODES = f"""
program: trainers.py
name: two-nodes
start: torchrun
command: [python, "${{program}}", "${{args}}", "--folder=${{run_dir}}"]
parameters: {{trainer: {{value: ranks}}}}
resources: {{memory: 1500M, nodes: 2, ranks_per_node: 1, time_limit: "0:05:00"}}
environment: {{venv: {source}/build/python}}  # torchrun is there
"""


class Dailies:
    def __init__(self, home):
        self.home, self.store = home, f"{home}/dailies.db"
        self.variables = dict(os.environ, XDG_DATA_HOME=f"{home}/data", XDG_CONFIG_HOME=f"{home}/config",
                              XDG_STATE_HOME=f"{home}/state", DAILIES_STORE=self.store)

    def __call__(self, *words):
        answer = subprocess.run([program, *words], env=self.variables, capture_output=True, text=True)
        if answer.returncode != 0:
            for log in glob.glob(f"{self.home}/s/workspace/runs/*/logs/*"):
                print(log, open(log).read(), sep="\n")
            sys.exit(f"dailies {' '.join(words)} ended with {answer.returncode}: {answer.stderr}")
        return answer.stdout

    def launch(self, sweep, parameter):
        return {run["params"][parameter]: run for run in
                json.loads(self("launch", sweep, "--cluster", "sandbox", "--wait", "--format", "json"))}

    def points(self):
        """By run id and metric, those of the program alone."""
        runs = json.loads(subprocess.run([tool, "dump", self.store], check=True, capture_output=True).stdout)["runs"]
        return {run["id"]: {key: [(step, value) for step, _, value in history]
                            for key, history in run["metrics"].items() if not key.startswith("system/")} for run in runs}


def tensorboard_reads(folder):
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
    accumulator = EventAccumulator(folder, size_guidance={"scalars": 0})
    accumulator.Reload()
    return {key: [(event.step, event.value) for event in accumulator.Scalars(key)] for key in accumulator.Tags()["scalars"]}


def lightning_reads(folder):
    """Each start of the program writes a file of its own."""
    points = {}
    for file in sorted(glob.glob(f"{folder}/lightning_logs/version_*/metrics.csv")):
        with open(file, newline="") as opened:
            for row in csv.DictReader(opened):
                if row["train/loss"]:
                    points[int(row["step"])] = float(row["train/loss"])
    return {"train/loss": sorted(points.items())}


def trackio_reads(folder):
    """Its own import of what the run left, in another process: it reads its folder's name once."""
    with tempfile.TemporaryDirectory() as copy:
        shutil.copytree(f"{folder}/trackio", f"{copy}/trackio")
        read = """if True:
            import json
            from trackio.fragments import import_inbox_dir
            from trackio.sqlite_storage import SQLiteStorage
            import_inbox_dir()
            (run,) = SQLiteStorage.get_run_records("lines")
            print(json.dumps(SQLiteStorage.get_logs("lines", run["name"], run_id=run["id"])))"""
        out = subprocess.run([sys.executable, "-c", read], env=dict(os.environ, TRACKIO_DIR=f"{copy}/trackio"), check=True,
                             capture_output=True, text=True).stdout
    logs = json.loads(out.splitlines()[-1])
    return {"train/loss": [(row["step"], row["train/loss"]) for row in logs if "train/loss" in row]}


def equal(mine, theirs, keys, what):
    for key in keys:
        assert theirs[key], (what, key)
        assert mine.get(key) == theirs[key], (what, key, mine.get(key), theirs[key])


def sweeps_min_snr(dailies, home):
    """The story of AWS's post: four runs of `accelerate launch` over the weighting of noise levels, compared."""
    code = shutil.copytree(f"{source}/resources/examples/min-snr", f"{home}/min-snr")
    with open(f"{code}/sweep.yaml") as file:
        sweep = file.read()
    fewer = f"parameters:\n  max_train_steps: {{value: {STEPS}}}\n  checkpointing_steps: {{value: {STEPS // 2}}}\n" \
            f"  validation_steps: {{value: {STEPS // 2}}}\n"
    with open(f"{code}/sweep.yaml", "w") as file:
        file.write(sweep.replace("parameters:\n", fewer) + f"environment: {{venv: {environment}}}\n")
    runs = dailies.launch(f"{code}/sweep.yaml", "min_snr_gamma")
    assert sorted(runs) == ["0", "1", "2", "3"], runs
    mine, errors = dailies.points(), {}
    for gamma, run in runs.items():
        assert run["status"] == "FINISHED", run
        folder = run["tags"]["dailies.folder"]
        assert run["params"]["output_dir"] == "${run_dir}", run["params"]
        theirs = tensorboard_reads(f"{folder}/stage_1")
        equal(mine[run["run_id"]], theirs, ["train_loss", "noise_error", "lr"], gamma)
        assert len(theirs["train_loss"]) == STEPS, len(theirs["train_loss"])
        errors[gamma] = mine[run["run_id"]]["noise_error"][-1][1]
        assert os.path.isdir(f"{folder}/checkpoint-{STEPS}")
    assert len(set(errors.values())) == 4, errors
    clips = glob.glob(f"{dailies.store}.files/*/validation/*.mp4")
    assert len(clips) == 4 * 2 * 3, clips
    print(f"accelerate: 4 runs, {STEPS} steps each, error at the end by gamma: {errors}")
    return runs


def follows_trainers(dailies, home):
    os.makedirs(f"{home}/trainers")
    shutil.copy(f"{source}/tests/interop/trainers/trainers.py", f"{home}/trainers/trainers.py")
    for name, text in (("sweep.yaml", SWEEP), ("preempted.yaml", PREEMPTED), ("two_nodes.yaml", TWO_NODES)):
        with open(f"{home}/trainers/{name}", "w") as file:
            file.write(text)
    runs = {**dailies.launch(f"{home}/trainers/sweep.yaml", "trainer"),
            **dailies.launch(f"{home}/trainers/preempted.yaml", "trainer"),
            **dailies.launch(f"{home}/trainers/two_nodes.yaml", "trainer")}
    mine = dailies.points()
    for trainer, read in (("transformers", lambda folder: tensorboard_reads(f"{folder}/tensorboard")),
                          ("trackio", trackio_reads), ("lightning", lightning_reads)):
        run = runs[trainer]
        assert run["status"] == "FINISHED", run
        theirs = read(run["tags"]["dailies.folder"])
        equal(mine[run["run_id"]], theirs, ["train/loss"], trainer)
        steps = [step for step, _ in theirs["train/loss"]]
        assert len(steps) >= 60 and steps == list(range(steps[0], steps[0] + len(steps))), (trainer, steps)
    with open(runs["lightning"]["tags"]["dailies.folder"] + "/attempts.tsv") as file:
        attempts = sum(line.startswith("start\t") for line in file)
    assert attempts > 1, "it was never preempted"
    ranks = mine[runs["ranks"]["run_id"]]
    assert (ranks["ranks"], ranks["nodes"]) == ([(1, 2.0)], [(1, 2.0)]), ranks
    print("torchrun: ranks on two nodes met")
    print(f"transformers, trackio, lightning ({attempts} attempts): 60 steps each or more, equal to the last bit")


def launches_what_is_installed(dailies, home):
    """A program that comes with its package, without a file of code: two seeds of PPO, on what its simulator makes."""
    with open(f"{home}/installed.yaml", "w") as file:
        file.write(INSTALLED)
    runs = dailies.launch(f"{home}/installed.yaml", "seed")
    mine = dailies.points()
    for seed, run in runs.items():
        assert run["status"] == "FINISHED", run
        (folder,) = glob.glob(f"{run['tags']['dailies.folder']}/tensorboard/CartPole-v1/*")
        equal(mine[run["run_id"]], tensorboard_reads(folder), ["rollout/ep_rew_mean", "train/loss"], seed)
    rewards = {seed: mine[run["run_id"]]["rollout/ep_rew_mean"][-1] for seed, run in runs.items()}
    print(f"rl_zoo3: reward at the end by seed: {rewards}")


with tempfile.TemporaryDirectory() as home:
    dailies = Dailies(home)
    dailies("sandbox", "up", "--dir", f"{home}/s")
    try:
        sweeps_min_snr(dailies, home)
        follows_trainers(dailies, home)
        launches_what_is_installed(dailies, home)
    finally:
        dailies("sandbox", "down", "--yes", "--dir", f"{home}/s")
