"""``python -m surefit.selftest``: does this installation compute what it should?

In: nothing.  Out: a line for each check and an exit code.  Certified digits of three NIST problems, every compiled loop
beside its plain-Python twin at every level that this processor has, and one certificate; some ten seconds.
"""

import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from surefit.compiled import door, levels
from surefit.compiled.twins import coordinate, fingerprints, least_squares, logistic, pairs, table, tiles
from surefit.versions import show_versions

LONGLEY = (
    (60323, 83.0, 234289, 2356, 1590, 107608, 1947),
    (61122, 88.5, 259426, 2325, 1456, 108632, 1948),
    (60171, 88.2, 258054, 3682, 1616, 109773, 1949),
    (61187, 89.5, 284599, 3351, 1650, 110929, 1950),
    (63221, 96.2, 328975, 2099, 3099, 112075, 1951),
    (63639, 98.1, 346999, 1932, 3594, 113270, 1952),
    (64989, 99.0, 365385, 1870, 3547, 115094, 1953),
    (63761, 100.0, 363112, 3578, 3350, 116219, 1954),
    (66019, 101.2, 397469, 2904, 3048, 117388, 1955),
    (67857, 104.6, 419180, 2822, 2857, 118734, 1956),
    (68169, 108.4, 442769, 2936, 2798, 120445, 1957),
    (66513, 110.8, 444546, 4681, 2637, 121950, 1958),
    (68655, 112.6, 482704, 3813, 2552, 123366, 1959),
    (69564, 114.2, 502601, 3931, 2514, 125368, 1960),
    (69331, 115.7, 518173, 4806, 2572, 127852, 1961),
    (70551, 116.9, 554894, 4007, 2827, 130081, 1962),
)
"""NIST's Longley: the target, then six columns."""
CERTIFIED = (
    -3482258.63459582, 15.0618722713733, -0.358191792925910e-01, -2.02022980381683, -1.03322686717359,
    -0.511041056535807e-01, 1829.15146461355,
)  # fmt: skip
"""NIST's coefficients of it, the intercept first."""

Check = tuple[str, bool, str]
"""What was looked at, whether it is as it should be, and what was found."""
Loops = Any
"""A module of compiled loops, or the twins under the same names."""


def checks() -> Iterator[Check]:
    """All of them, one after the other."""
    yield from digits()
    for level in levels.available() if door.COMPILED else ():
        yield from against_twins(level)
    yield certificate()


def digits() -> Iterator[Check]:
    """Correct digits of the worst coefficient; 12 of the 15 that NIST gives are asked for."""
    table, x = np.array(LONGLEY, float), np.arange(21.0)
    powers = np.stack([x**k for k in range(6)], axis=1)
    for name, X, y, truth in (
        ("Longley", table[:, 1:], table[:, 0], np.array(CERTIFIED)),
        ("Wampler1", powers[:, 1:], powers.sum(axis=1), np.ones(6)),
        ("Wampler2", powers[:, 1:], powers @ 10.0 ** -np.arange(6), 10.0 ** -np.arange(6)),
    ):
        from surefit import LeastSquares  # late: a broken level is to be named by the checks, not by an import

        model = LeastSquares().fit(X, y)
        error = np.max(np.abs(np.append(model.intercept_, model.coef_) / truth - 1))
        found = min(15.0, -np.log10(max(error, 1e-16)))
        yield f"NIST {name}", bool(found >= 12), f"{found:.1f} digits"


def against_twins(level: str) -> Iterator[Check]:
    """Each loop of a level beside its twin, on the same small problem; the largest difference, in its own units."""
    for name, (twin, run, tolerance) in LOOPS.items():
        expected = run(twin)
        error = float(np.max(np.abs(run(levels.loops(level)) - expected))) / float(np.max(np.abs(expected)))
        yield f"{name} at {level}", error <= tolerance, f"differs by {error:.0e}"


def certificate() -> Check:
    """A model with an error rate that it promises, on rows that it has not seen."""
    from sklearn.datasets import load_breast_cancer

    from surefit import LogisticRegression

    X, y = load_breast_cancer(return_X_y=True)
    model = LogisticRegression(0.01, random_state=0).fit(X, y, certify=0.3)
    bound = model.certificate(delta=0.05).bound
    return "certificate", 0.0 < bound < 0.15, f"error rate at most {bound:.3f}"


def _points(size: int, dtype: type = float) -> np.ndarray:
    return np.random.default_rng(size).standard_normal((size, 7)).astype(dtype)


def _radial(profile: int, dtype: type) -> Callable[[Loops], np.ndarray]:
    def run(loops: Loops) -> np.ndarray:
        X, Z, out = _points(130, dtype), _points(70, dtype), np.empty((130, 1))
        loops.radial_times(profile, 0.3, X, Z, np.ones((70, 1), dtype), 1, out)
        return out

    return run


def _gram(loops: Loops) -> np.ndarray:
    out = np.empty((130, 130))
    loops.radial_gram(0, 0.3, _points(130), 2, out)
    return out


def _logistic(loops: Loops) -> np.ndarray:
    codes, V, slope = np.arange(130) % 3, _points(8)[:, :3].copy(), np.empty((8, 3))
    value = loops.logistic_pass(_points(130), codes, np.full(130, 1 / 130), V, 1, slope)
    return np.append(slope, value)


def _lasso(loops: Loops) -> np.ndarray:
    A, coef, order = _points(40), np.zeros(7), np.zeros(7, np.int64)
    moment = A.T @ A[:, ::-1].sum(axis=1)
    stop = (1e-12 * float(moment @ moment), 100)
    given = (A.T @ A, moment, float(moment @ moment), np.full(7, 3.0), np.zeros(7), False, stop)
    loops.gram_descent(*given, coef, moment.copy(), np.zeros((7, 7)), order, 0)
    return coef


def _extended(loops: Loops) -> np.ndarray:
    X, coef, high, low = _points(130), _points(8)[0].copy(), np.empty(7), np.empty(7)
    given = (X, X.sum(axis=1), np.ones(130), np.ones(7), coef, 1e-17 * coef, (0.5, 0.0))
    loops.extended_gradient(*given, np.empty(130), high, low, np.empty(4))
    return np.append(high, low)


def _pairs(loops: Loops) -> np.ndarray:
    K, beta = np.empty((70, 70)), np.zeros(70)
    tiles.radial_gram(0, 0.3, _points(70), 1, K)
    gradient, ones = -_points(70)[:, 0].copy(), np.ones(70)
    loops.pair_steps(K, 1.0, 0.01 * ones, 0.05 * ones, -ones, ones, (1e-9, 10_000), beta, gradient)
    return beta


def _prints(loops: Loops) -> np.ndarray:
    total = np.zeros(130, np.uint64)
    loops.dense_prints(_points(130), np.arange(1, 15, 2, dtype=np.uint64), 1, total)
    return (total >> np.uint64(32)).astype(float)


def _table(loops: Loops) -> np.ndarray:
    """A table of seven numbers and one column of words with five levels: products, scores, and rows left out."""
    given = _points(130), np.full(7, 0.5), np.zeros(7), (np.arange(130, dtype=np.int32) % 6 - 1)[None]
    gram, cross, squares = np.zeros((13, 13)), np.zeros((13, 1)), np.zeros(8)
    loops.table_products(*given, np.empty((130, 0)), np.ones(130), np.ones((130, 1)), gram, cross, squares)
    scores, left = np.empty((130, 2)), np.zeros((2, 2))
    V, factors = _points(13)[:, :2].copy(), np.full((2, 2), 0.01)
    loops.table_times(*given, V, scores)
    loops.table_left_out(*given, V, factors, factors, np.ones(130), np.ones(130), 0.01, False, left)
    return np.concatenate([gram.ravel(), cross.ravel(), squares, scores.ravel(), left.ravel()])


LOOPS: dict[str, tuple[Loops, Callable[[Loops], np.ndarray], float]] = {
    **{f"kernel {p} in float64": (tiles, _radial(p, float), 1e-14) for p in range(4)},
    **{f"kernel {p} in float32": (tiles, _radial(p, np.float32), 1e-5) for p in range(4)},
    "Gram matrix": (tiles, _gram, 1e-14),
    "logistic loss": (logistic, _logistic, 1e-13),
    "lasso": (coordinate, _lasso, 1e-7),
    "gradient in 106 bits": (least_squares, _extended, 1e-15),
    "support vectors": (pairs, _pairs, 1e-6),
    "fingerprints": (fingerprints, _prints, 0.0),
    "table with words": (table, _table, 1e-13),
}
"""For each loop its twin, how it is run, and how far the two may be apart."""


def main() -> int:
    """Run all checks and print them; 1 if one fails."""
    show_versions()
    failed = 0
    for name, fine, found in checks():
        failed += not fine
        print(f"{'passed' if fine else 'FAILED'}  {name}: {found}", flush=True)
    print("all passed" if failed == 0 else f"{failed} FAILED: this installation is not to be trusted")
    return 0 if failed == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
