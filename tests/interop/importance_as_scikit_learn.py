"""Our parameter importance against scikit-learn's random forest and permutation_importance on the same runs.

`importance_as_scikit_learn.py TOOL` compares; with --bench it times both on 5,000 runs of 30 params instead."""

import json
import math
import subprocess
import sys
import tempfile
import time

import numpy as np
from scipy.stats import spearmanr
from sklearn.ensemble import RandomForestRegressor
from sklearn.inspection import permutation_importance
from sklearn.model_selection import train_test_split

tool = sys.argv[1]


def ours(columns, target):
    """The tool's report; `columns` maps names to values, numbers or words."""
    names = list(columns)
    with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
        file.write(",".join(names + ["metric"]) + "\n")
        for row in zip(*columns.values(), target):
            file.write(",".join(str(cell) for cell in row) + "\n")
        file.flush()
        output = subprocess.run([tool, file.name], check=True, stdout=subprocess.PIPE).stdout
    return json.loads(output)


def grown(columns):
    """scikit-learn's forest with our settings, not yet fitted."""
    return RandomForestRegressor(200, max_features=math.ceil(columns / 2), min_samples_split=5, oob_score=True, random_state=1,
                                 n_jobs=-1)


def theirs(matrix, target, repeats):
    """scikit-learn's forest of the same size: its out-of-bag R², and the shares from runs held out of it. Its importance is the
    loss of R², which is twice the share of the variance."""
    forest = grown(matrix.shape[1])
    fit_x, test_x, fit_y, test_y = train_test_split(matrix, target, random_state=1)
    forest.fit(fit_x, fit_y)
    found = permutation_importance(forest, test_x, test_y, n_repeats=repeats, random_state=1, n_jobs=-1)
    scale = np.var(test_y) / np.var(target)
    return forest.oob_score_, found.importances_mean * scale / 2


def compare(title, columns, target, matrix=None):
    matrix = np.column_stack(list(columns.values())) if matrix is None else matrix
    mine = ours(columns, target)
    explained, shares = theirs(matrix, target, 10)
    print(f"{title}: explained {mine['explained']:.3f}, scikit-learn {explained:.3f}")
    assert abs(mine["explained"] - explained) < 0.06, "the forests do not explain alike"
    for name, share in zip(columns, shares):
        our = mine["params"][name]
        allowed = 0.03 + 3 * our["error"]
        print(f"  {name:12} {our['share']:7.3f} ± {our['error']:.3f}   scikit-learn {share:7.3f}")
        assert abs(our["share"] - share) < allowed, f"{title}: {name} differs by more than {allowed:.3f}"
        if our["rho"] != "NaN":
            rho = spearmanr(columns[name], target).statistic
            assert abs(our["rho"] - rho) < 1e-9, f"{title}: the rank correlation of {name}"


def friedman(random, runs, columns):
    """Friedman's first function (1991): five columns matter, one of them in a curve, two only together."""
    x = {f"x{i:02}": random.uniform(0, 1, runs) for i in range(columns)}
    y = (10 * np.sin(np.pi * x["x00"] * x["x01"]) + 20 * (x["x02"] - 0.5) ** 2 + 10 * x["x03"] + 5 * x["x04"]
         + random.normal(0, 1, runs))
    return x, y


random = np.random.default_rng(7)
if "--bench" in sys.argv:
    x, y = friedman(random, 5000, 30)
    mine = ours(x, y)
    start = time.perf_counter()
    forest = grown(len(x))
    matrix = np.column_stack(list(x.values()))
    forest.fit(matrix, y)
    fitted = time.perf_counter() - start
    permutation_importance(forest, matrix, y, n_repeats=5, random_state=1, n_jobs=-1)
    seconds = time.perf_counter() - start
    print(f"importance  5,000 runs x 30 params, 200 trees, 5 shuffles: Dailies {mine['seconds']:.2f} s (with standard errors from 16 "
          f"further forests), scikit-learn {seconds:.2f} s (fit {fitted:.2f} s), ratio {seconds / mine['seconds']:.1f}")
    sys.exit()

for runs in (60, 800):
    compare(f"Friedman, {runs} runs", *friedman(random, runs, 8))

lr = 10 ** random.uniform(-5, -2, 400)
x = {"lr": lr, "batch": random.choice([8, 16, 32, 64], 400), "seed": np.arange(400)}
compare("learning rate", x, (np.log10(lr) + 3.5) ** 2 + 0.01 * x["batch"] + random.normal(0, 0.1, 400))

words = random.choice(["adam", "lion", "sgd", "adafactor"], 400)
width = random.uniform(64, 512, 400)
codes = np.column_stack([[["adam", "adafactor", "sgd", "lion"].index(w) for w in words], width])
compare("words", {"optimizer": words, "width": width},
        2 + np.where(words == "lion", 3, np.where(words == "sgd", 1, 0)) + width / 512 + random.normal(0, 0.1, 400), codes)
print("Importance agrees with scikit-learn's")
