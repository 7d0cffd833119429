"""Bradley–Terry strengths as choix finds them: its maximum-likelihood estimates (Newton's method and I-LSR) on comparisons
drawn with a fixed seed.

`strengths_as_choix.py TOOL`"""

import json
import subprocess
import sys

try:
    import choix
    import numpy as np
except ImportError:
    print("Nothing was compared: choix is not installed. Run: bash tests/interop/setup.sh")
    sys.exit(77)  # skipped

tool = sys.argv[1]
ALLOWED = 1e-5  # of a natural logarithm; choix stops at 1e-8 of its own

generator = np.random.default_rng(20_261_122)
for contestants, bouts in [(2, 30), (4, 80), (9, 300), (25, 2000)]:
    truth = generator.normal(0, 0.8, contestants)
    comparisons = []
    for _ in range(bouts):
        first, second = generator.choice(contestants, 2, replace=False)
        wins = generator.random() < 1 / (1 + np.exp(truth[second] - truth[first]))
        comparisons.append([int(first), int(second)] if wins else [int(second), int(first)])
    answer = subprocess.run([tool], input=json.dumps({"contestants": contestants, "comparisons": comparisons}),
                            check=True, capture_output=True, text=True).stdout
    ours = np.array(json.loads(answer))
    for name, theirs in [("opt_pairwise", choix.opt_pairwise(contestants, comparisons, tol=1e-10)),
                         ("ilsr_pairwise", choix.ilsr_pairwise(contestants, comparisons, tol=1e-10))]:
        apart = np.abs(ours - (theirs - theirs.mean())).max()
        print(f"{contestants:3} contestants, {bouts:4} bouts: {apart:.1e} from choix.{name}")
        if apart > ALLOWED:
            sys.exit(f"strengths differ by {apart}:\n  ours:  {ours}\n  choix: {theirs}")
