"""What is solved: seeded problems by name, and the record every peer answers with.

A problem is data plus the numbers of our one objective ``mean_i loss(y_i, f_i) + lam * penalty(w)``; each peer
translates them to its own convention.  ``make_problem("ridge-20000x500")`` draws one.  New families register their
generator with :func:`seeded_problem`, here or in their own file under ``cases/``.
"""

import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Problem:
    """One task: data, and the parameters of the objective at our scale."""

    name: str
    X: Any  # (n, d), dense or sparse
    y: np.ndarray  # (n,)
    lam: float = 0.0
    lams: np.ndarray = field(default_factory=lambda: np.empty(0))  # a grid to choose from, increasing
    fit_intercept: bool = True
    parameters: Mapping[str, float] = field(default_factory=dict)  # epsilon, threshold, bandwidth, ...


@dataclass(frozen=True)
class Answer:
    """What a peer found, at our scale.  A yardstick that solves nothing leaves ``coef`` at None."""

    coef: np.ndarray | None = None
    intercept: float = 0.0
    lam: float | None = None  # the one chosen, when the task was to choose
    lams: np.ndarray | None = None  # the grid in the peer's own order
    criterion: np.ndarray | None = None  # mean squared leave-one-out residual for each of ``lams``
    coefs: np.ndarray | None = None  # (L, d) for each of the problem's lams, when the task was a path
    seconds: float | None = None  # the peer's own clock, when the harness's would measure something else


Generator = Callable[..., Problem]
_GENERATORS: dict[str, Generator] = {}


def seeded_problem(family: str) -> Callable[[Generator], Generator]:
    """Register a generator ``f(rng, name, n, d)`` for problems named ``family-<n>x<d>``."""

    def register(generator: Generator) -> Generator:
        if family in _GENERATORS:
            raise ValueError(f"two generators are called {family!r}; rename one")
        _GENERATORS[family] = generator
        return generator

    return register


def make_problem(name: str) -> Problem:
    """Draw the problem called ``family-<n>x<d>``; the same name gives the same numbers on every machine.

    >>> make_problem("ridge-30x4").X.shape
    (30, 4)
    """
    family, _, size = name.rpartition("-")
    if family not in _GENERATORS:
        raise ValueError(f"no problem family {family!r} in {name!r}; known ones are {', '.join(sorted(_GENERATORS))}")
    n, d = (int(part) for part in size.split("x"))
    return _GENERATORS[family](np.random.default_rng(zlib.crc32(name.encode())), name, n, d)


def linear_sample(rng: np.random.Generator, n: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    """Correlated columns (a shared factor) off centre, a dense truth, signal and noise of equal variance."""
    X = rng.standard_normal((n, d))
    X += rng.standard_normal((n, 1)) + rng.uniform(-1, 1, d)
    signal = X @ rng.standard_normal(d)
    signal *= 1 / signal.std()
    return X, 3.0 + signal + rng.standard_normal(n)


@seeded_problem("least-squares")
def least_squares(rng: np.random.Generator, name: str, n: int, d: int) -> Problem:
    """Plain least squares with an intercept."""
    return Problem(name, *linear_sample(rng, n, d))


@seeded_problem("ridge")
def ridge(rng: np.random.Generator, name: str, n: int, d: int) -> Problem:
    """Ridge at one lam and over a grid of 100; the best of the grid lies well inside it."""
    X, y = linear_sample(rng, n, d)
    return Problem(name, X, y, lam=0.1, lams=np.logspace(-4, 2, 100))


@seeded_problem("nothing")
def nothing(rng: np.random.Generator, name: str, n: int, d: int) -> Problem:
    """No data: for tasks such as importing a package."""
    return Problem(name, np.empty((n, d)), np.empty(n))
