"""``python -m benchmarks.stream``: speed on streams, ours beside its peers, as ratios in one run.

Peers that are not installed are left out: scikit-learn's ``SGDRegressor.partial_fit``, river's ``learn_one``, Vowpal
Wabbit from its cache, ``online-cp``.  Every figure is the smallest CPU time of several runs, taken in turns.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from copy import deepcopy
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from scipy import sparse

from surefit import OnlineRegressor, OnlineRidgeIntervals, WidrowHoff


def fastest(tasks: dict[str, Callable[[], object]], repeats: int = 5) -> dict[str, float]:
    """The smallest CPU seconds of each task, the tasks taking turns."""
    found = dict.fromkeys(tasks, np.inf)
    for _ in range(repeats):
        for name, task in tasks.items():
            start = time.process_time()
            task()
            found[name] = min(found[name], time.process_time() - start)
    return found


def one_pass(n: int = 1_000_000, d: int = 50) -> None:
    """One pass of Widrow-Hoff over a dense array."""
    from sklearn.linear_model import SGDRegressor

    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d))
    y = X @ rng.normal(size=d) + rng.normal(size=n)
    tasks: dict[str, Callable[[], object]] = {
        "ours": lambda: WidrowHoff(0.001).partial_fit(X, y),
        "sum of the array": X.sum,
        "SGDRegressor.partial_fit": lambda: SGDRegressor(
            alpha=0.0, learning_rate="constant", eta0=0.002, penalty=None
        ).partial_fit(X, y),
    }
    found = fastest(tasks, 3)
    ours = found["ours"]
    print(f"one pass over {n:,} x {d}: {ours:.3f} s, {1e9 * ours / n:.0f} ns a row")
    print(f"  SGDRegressor.partial_fit / ours: {found['SGDRegressor.partial_fit'] / ours:.1f} (asked: 2)")
    print(f"  ours / sum of the array: {ours / found['sum of the array']:.2f} (asked: 3 at most)")
    if find_spec("river"):
        from river import linear_model, optim

        names = [f"x{j}" for j in range(d)]
        rows = [dict(zip(names, row, strict=True)) for row in X[:5000].tolist()]
        targets = y[:5000].tolist()

        def river() -> None:
            model = linear_model.LinearRegression(optimizer=optim.SGD(0.001))
            for row, target in zip(rows, targets, strict=True):
                model.learn_one(row, target)

        def named() -> None:
            model = WidrowHoff(0.001)
            for row, target in zip(rows, targets, strict=True):
                model.learn_one(row, target)

        both = fastest({"river": river, "named": named})
        print(f"  river learn_one a row / ours in a block: {both['river'] / 5000 / (ours / n):.0f} (asked: 200)")
        print(f"  river learn_one(dict) / ours learn_one(dict): {both['river'] / both['named']:.1f} (asked: 5)")


def sparse_rows(n: int = 5000, filled: int = 1000, d: int = 1_000_000) -> None:
    """Rows of a thousand non-zeros among a million features, beside Vowpal Wabbit from its cache."""
    rng = np.random.default_rng(1)
    columns = np.sort(rng.integers(0, d, size=(n, filled)), axis=1)
    X = sparse.csr_matrix((rng.normal(size=n * filled), columns.ravel(), np.arange(0, n * filled + 1, filled)), (n, d))
    X.sum_duplicates()
    y = rng.normal(size=n)
    plain = fastest({"ours": lambda: WidrowHoff(1e-4, farthest=np.inf).partial_fit(X, y)}, 3)["ours"]
    adaptive = fastest({"ours": lambda: OnlineRegressor(schedule="adaptive").partial_fit(X, y)}, 3)["ours"]
    print(f"sparse rows, {filled:,} of {d:,}: {1e6 * plain / n:.1f} us a row, adaptive {1e6 * adaptive / n:.1f} us")
    if not find_spec("vowpalwabbit"):
        return
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder, "rows.vw")
        with data.open("w") as file:
            for i in range(n):
                row = X[[i]]
                entries = " ".join(f"{j}:{v:.6g}" for j, v in zip(row.indices, row.data, strict=True))
                file.write(f"{y[i]:.6g} | {entries}\n")
        for label, flags in (("--sgd", "--sgd -l 0.0001"), ("default", "")):
            code = (
                "import time, sys\nfrom vowpalwabbit import pyvw\n"
                f"arguments = '-d {data} --cache_file {folder}/c -b 21 --quiet {flags}'\n"
                "pyvw.Workspace(arguments).finish()\n"
                "best = 1e9\n"
                "for _ in range(3):\n"
                "    start = time.process_time(); pyvw.Workspace(arguments).finish()\n"
                "    best = min(best, time.process_time() - start)\nprint(best)"
            )
            ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ})
            if ran.returncode == 0:
                seconds = float(ran.stdout.split()[-1])
                ours = plain if label == "--sgd" else adaptive
                print(f"  Vowpal Wabbit {label} from its cache / ours: {seconds / ours:.2f} (asked: 1)")


def conformal(n: int = 1000, d: int = 20) -> None:
    """Full conformal online ridge, a row at ``n`` rows: predict its interval, then learn it."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(n + 100, d))
    y = X @ rng.normal(size=d) + rng.normal(size=n + 100)
    ours = OnlineRidgeIntervals().partial_fit(X[:n], y[:n])
    tasks: dict[str, Callable[[], object]] = {"ours": lambda: deepcopy(ours).predict_then_learn(X[n:], y[n:])}
    if find_spec("online_cp"):
        from online_cp import ConformalRidgeRegressor

        start = ConformalRidgeRegressor(a=1.0)
        start.learn_initial_training_set(X[:n], y[:n])

        def theirs() -> None:
            peer = deepcopy(start)
            for x, target in zip(X[n:], y[n:], strict=True):
                peer.predict(x, epsilon=0.1)
                peer.learn_one(x, target)

        tasks["online-cp"] = theirs
    found = fastest(tasks)
    print(f"full conformal ridge at n = {n:,}, d = {d}: {1e4 * found['ours']:.0f} us a row")
    if "online-cp" in found:
        print(f"  online-cp / ours: {found['online-cp'] / found['ours']:.1f} (asked: 5)")


if __name__ == "__main__":
    one_pass()
    sparse_rows()
    conformal()
