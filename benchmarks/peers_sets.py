"""``python -m benchmarks.peers_sets``: sets, thresholds, probabilities and widths beside MAPIE, crepes and venn-abers.

One run, the same fitted models and the same held-out rows for everybody: coverage on fresh rows, mean sizes and widths,
thresholds at the same promise, seconds.  Exits with 1 if a set of ours is larger at the same coverage by more than two
standard errors of the difference (MAPIE draws its adaptive sets by lot), a width is larger at all, or a threshold is
looser.  ``make peers-sets`` installs the peers.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy.stats import binom
from sklearn.datasets import load_digits
from sklearn.linear_model import LinearRegression
from sklearn.linear_model import LogisticRegression as Logistic

from benchmarks.report import markdown_table
from surefit import calibrate, calibrate_probabilities, choose_threshold

Row = tuple[str, str, str, str, str, bool]
"""What was compared, whose, coverage or promise, size, seconds, and whether ours is no worse."""
SAME = 1e-9


def timed(task: Callable[[], Any]) -> tuple[Any, float]:
    """What a task gives, and its best time of three."""
    taken, found = [], None
    for _ in range(3):
        start = time.perf_counter()
        found = task()
        taken.append(time.perf_counter() - start)
    return found, min(taken)


def digits(splits: int = 20) -> Iterator[tuple[Any, ...]]:
    """A classifier of digits on 15 noisy pixels' worth of information, held-out rows and fresh ones."""
    X, y = load_digits(return_X_y=True)
    for seed in range(splits):
        order = np.random.default_rng(seed).permutation(len(y))
        X_seed = X + 4.0 * np.random.default_rng(seed + 1000).normal(size=X.shape)
        train, held, new = order[:400], order[400:900], order[900:]
        model = Logistic(C=0.01, max_iter=2000).fit(X_seed[train], y[train])
        yield model, X_seed[held], y[held], X_seed[new], y[new]


LEVELS = np.arange(0.9, 0.985, 0.0025)
"""Coverages that ours is asked for, to be compared with a peer at the coverage that the peer has."""


def sizes(model: Any, member: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    """Coverage and mean size; an empty set counts as one label."""
    column = np.searchsorted(model.classes_, y)
    return float(np.mean(member[np.arange(len(y)), column])), float(np.mean(np.maximum(member.sum(axis=1), 1)))


def sets() -> Iterator[Row]:
    """Mean coverage and mean size over splits of the digits, ours at the promise and at the coverage of the peer."""
    from mapie.classification import SplitConformalClassifier

    for score in ("lac", "aps"):
        ours, peer, seconds = [], [], []
        for model, X, y, X_new, y_new in digits():
            held_out = calibrate(model, X, y, equal_rows_are_draws=True)

            def our(model: Any = model, X: Any = X, y: Any = y, X_new: Any = X_new, score: str = score) -> Any:
                return calibrate(model, X, y, equal_rows_are_draws=True).predict_set(X_new, 0.9, score=score).member

            def their(model: Any = model, X: Any = X, y: Any = y, X_new: Any = X_new, score: str = score) -> Any:
                found = SplitConformalClassifier(model, confidence_level=0.9, conformity_score=score, prefit=True)
                return found.conformalize(X, y).predict_set(X_new)[1][:, :, 0]

            member, other = timed(our), timed(their)
            seconds.append((member[1], other[1]))
            ours.append(
                [sizes(model, held_out.predict_set(X_new, level, score=score).member, y_new) for level in LEVELS]
            )
            peer.append(sizes(model, other[0], y_new))
        mean, (covered, size), taken = np.mean(ours, axis=0), np.mean(peer, axis=0), np.mean(seconds, axis=0)
        same = float(np.interp(covered, mean[:, 0], mean[:, 1]))  # between the levels that were asked for
        apart = [np.interp(c, *np.transpose(one)) - s for one, (c, s) in zip(ours, peer, strict=True)]
        error = float(np.std(apart, ddof=1) / np.sqrt(len(apart)))  # of the difference, split by split
        better = same <= size + 2 * error
        yield f"sets, {score}", "surefit", f"{mean[0, 0]:.3f}", f"{mean[0, 1]:.3f}", f"{taken[0]:.4f}", True
        yield (
            f"sets, {score}",
            "surefit, as MAPIE covers",
            f"{covered:.3f}",
            f"{same:.3f} +- {error:.3f}",
            "",
            bool(better),
        )
        yield f"sets, {score}", "MAPIE", f"{covered:.3f}", f"{size:.3f}", f"{taken[1]:.4f}", True


def drawn(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    X = rng.normal(size=(n, 3))
    return X, (X[:, 0] + 0.5 * rng.normal(size=n) > 0.3).astype(int)


def thresholds(draws: int = 40) -> Iterator[Row]:
    """The mean threshold for a recall (larger is sharper: fewer rows are answered) and a precision (smaller is), and
    how many of the hold-outs broke their promise, of which one in twenty may; by 200,000 rows."""
    from mapie.risk_control import BinaryClassificationController

    rng = np.random.default_rng(0)
    model = Logistic().fit(*drawn(rng, 1000))
    many, truth = drawn(rng, 200_000)
    scores = model.predict_proba(many)[:, 1]
    for measure, level in (("recall", 0.95), ("precision", 0.9)):
        found: dict[str, list[tuple[float, float, bool]]] = {"surefit": [], "MAPIE": []}
        for _ in range(draws):
            X, y = drawn(rng, 2000)

            def our(X: Any = X, y: Any = y, wish: Any = {measure: level}) -> float:  # noqa: B006 - read only
                return choose_threshold(model, X, y, **wish).threshold

            def their(X: Any = X, y: Any = y, measure: str = measure, level: float = level) -> float:
                peer = BinaryClassificationController(
                    predict_function=model.predict_proba, risk=measure, target_level=level, confidence_level=0.95
                )
                return float(peer.calibrate(X, y).best_predict_param)

            for name, task in (("surefit", our), ("MAPIE", their)):
                start = time.perf_counter()
                threshold = task()
                taken, answered = time.perf_counter() - start, scores >= threshold
                kept = np.mean(answered[truth == 1]) if measure == "recall" else np.mean(truth[answered])
                found[name].append((threshold, taken, bool(kept < level)))
        means = {name: np.mean(rows, axis=0) for name, rows in found.items()}
        ahead = means["surefit"][0] - means["MAPIE"][0]
        better = ahead >= -0.001 if measure == "recall" else ahead <= 0.001
        for name, (threshold, seconds, missed) in means.items():
            promise = f"95 %, broken {missed * draws:.0f} of {draws}"
            ok = name == "MAPIE" or bool(better and missed * draws <= binom.ppf(1 - 1e-6, draws, 0.05))
            yield f"threshold, {measure} {level}", name, promise, f"{threshold:.3f}", f"{seconds:.4f}", ok


def probabilities() -> Iterator[Row]:
    """The largest difference from venn-abers on 5,000 held-out and 5,000 new rows."""
    from venn_abers import VennAbers as Peer

    rng = np.random.default_rng(0)
    X = rng.normal(size=(11_000, 2))
    y = (rng.random(11_000) < 1 / (1 + np.exp(-2 * X[:, 0]))).astype(int)
    model = Logistic().fit(X[:1000], y[:1000])
    held, new = slice(1000, 6000), slice(6000, None)
    ours, seconds = timed(lambda: calibrate_probabilities(model, X[held], y[held]).predict_bounds(X[new]))

    def their() -> Any:
        peer = Peer()
        peer.fit(model.predict_proba(X[held]), y[held])
        return peer.predict_proba(model.predict_proba(X[new]))[1]

    peer, other = timed(their)
    apart = float(np.max(np.abs(np.column_stack([ours.lower[:, 1], ours.upper[:, 1]]) - peer)))
    yield "probabilities", "surefit", "", f"differ by {apart:.0e}", f"{seconds:.4f}", apart < SAME
    yield "probabilities", "venn-abers", "", "", f"{other:.4f}", True


def widths() -> Iterator[Row]:
    """Split conformal intervals: the same widths as crepes."""
    from crepes import WrapRegressor

    rng = np.random.default_rng(0)
    X = rng.normal(size=(4000, 5))
    y = X.sum(axis=1) + rng.normal(size=4000)
    model = LinearRegression().fit(X[:1000], y[:1000])
    held, new = slice(1000, 2000), slice(2000, None)
    ours, seconds = timed(lambda: calibrate(model, X[held], y[held]).predict_interval(X[new], 0.9))

    def their() -> Any:
        peer = WrapRegressor(model)
        peer.calibrate(X[held], y[held])
        return peer.predict_int(X[new], confidence=0.9)

    peer, other = timed(their)
    width, theirs = float(np.mean(ours.width)), float(np.mean(peer[:, 1] - peer[:, 0]))
    covered = float(np.mean((ours.lower <= y[new]) & (y[new] <= ours.upper)))
    inside = float(np.mean((peer[:, 0] <= y[new]) & (y[new] <= peer[:, 1])))
    better = width <= theirs * (1 + 1e-9)
    yield "intervals", "surefit", f"{covered:.3f}", f"{width:.4f}", f"{seconds:.4f}", bool(better)
    yield "intervals", "crepes", f"{inside:.3f}", f"{theirs:.4f}", f"{other:.4f}", True


def main() -> int:
    """Print the table; 1 if ours is worse anywhere."""
    warnings.simplefilter("ignore")
    rows = [row for section in (sets, thresholds, probabilities, widths) for row in section()]
    titles = ("compared", "by", "coverage or promise", "size, threshold or width", "seconds", "no worse")
    print(markdown_table(titles, [(*row[:5], "yes" if row[5] else "NO") for row in rows]))
    return 0 if all(row[5] for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
