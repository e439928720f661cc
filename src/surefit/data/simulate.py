"""Layer *data*: seeded simulators that also hand over the truth.

In: a random generator (or an integer seed) and the parameters of a model.  Out: frozen records with the sample, the
true parameter, the noise level, the Bayes risk, and *exact* excess risks.  Refused: unknown noise names, negative
noise levels, shapes that do not fit together.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import ndtr

Seed = np.random.Generator | int
ArrayFunction = Callable[[np.ndarray], np.ndarray]

# Every law has mean 0 and variance 1; sigma multiplies it.
NOISES: dict[str, Callable[[np.random.Generator, tuple[int, ...]], np.ndarray]] = {
    "gaussian": lambda rng, shape: rng.standard_normal(shape),
    "uniform": lambda rng, shape: rng.uniform(-np.sqrt(3.0), np.sqrt(3.0), shape),
    "laplace": lambda rng, shape: rng.laplace(0.0, np.sqrt(0.5), shape),
    "rademacher": lambda rng, shape: rng.choice((-1.0, 1.0), shape),
}


def as_generator(rng: Seed) -> np.random.Generator:
    """The generator itself, or a new one from an integer seed.

    >>> as_generator(3).integers(100) == as_generator(3).integers(100)
    np.True_
    """
    if isinstance(rng, np.random.Generator):
        return rng
    if isinstance(rng, int | np.integer) and not isinstance(rng, bool):
        return np.random.default_rng(rng)
    raise TypeError(
        f"rng must be a numpy Generator or an integer seed, got {type(rng).__name__}; use np.random.default_rng(0)"
    )


def draw_noise(rng: Seed, shape: int | tuple[int, ...], sigma: float = 1.0, noise: str = "gaussian") -> np.ndarray:
    """Independent noise of mean 0 and variance ``sigma**2``, of the given shape.

    ``noise`` is one of ``gaussian``, ``uniform``, ``laplace``, ``rademacher``: same two moments, different tails.
    Catalogue D-05.

    >>> np.unique(draw_noise(0, 50, sigma=2.0, noise="rademacher")).tolist()
    [-2.0, 2.0]
    """
    if noise not in NOISES:
        raise ValueError(f"noise {noise!r} is unknown; use one of {', '.join(sorted(NOISES))}")
    shape = (shape,) if isinstance(shape, int | np.integer) else shape
    return _noise_level(sigma) * NOISES[noise](as_generator(rng), shape)


@dataclass(frozen=True, eq=False)
class FixedDesignSample:
    """One draw of ``y = X theta + eps`` with ``X`` deterministic, ``E eps = 0``, ``Var eps_i = sigma**2``.

    Risks are those of a *fresh response at the same design*: ``E mean((y' - X coef)**2)``.  Catalogue D-05, T-08.

    >>> sample = fixed_design(0, np.eye(2), theta=[1.0, 2.0], sigma=0.5)
    >>> float(sample.bayes_risk), float(sample.excess_risk([1.0, 0.0]))
    (0.25, 2.0)
    """

    X: np.ndarray
    y: np.ndarray
    theta: np.ndarray
    sigma: float
    noise: str

    @property
    def signal(self) -> np.ndarray:
        """The noiseless responses ``X theta``, shape ``(n,)``."""
        return self.X @ self.theta

    @property
    def second_moment(self) -> np.ndarray:
        """``X^T X / n``, shape ``(d, d)``."""
        return self.X.T @ self.X / len(self.X)

    @property
    def bayes_risk(self) -> float:
        """``sigma**2``, the risk of ``theta`` itself."""
        return self.sigma**2

    def excess_risk(self, coef: np.ndarray, intercept: np.ndarray | float = 0.0) -> np.ndarray:
        """``mean((X (coef - theta) + intercept)**2)``, exact; ``coef`` has shape ``(..., d)``.  Catalogue T-08."""
        shift = _coefficients(coef, self.theta) - self.theta
        return np.mean((shift @ self.X.T + np.asarray(intercept)[..., None]) ** 2, axis=-1)

    def risk(self, coef: np.ndarray, intercept: np.ndarray | float = 0.0) -> np.ndarray:
        """``sigma**2 + excess_risk``: mean squared error on fresh responses at the same design."""
        return self.bayes_risk + self.excess_risk(coef, intercept)

    def responses(self, rng: Seed, repeats: int) -> np.ndarray:
        """``repeats`` independent response vectors at the same design, shape ``(repeats, n)``."""
        return self.signal + draw_noise(rng, (repeats, len(self.X)), self.sigma, self.noise)

    def fresh(self, rng: Seed) -> FixedDesignSample:
        """The same design and truth with new responses."""
        return replace(self, y=self.responses(rng, 1)[0])


def fixed_design(
    rng: Seed, X: np.ndarray, theta: np.ndarray | None = None, sigma: float = 1.0, *, noise: str = "gaussian"
) -> FixedDesignSample:
    """Draw ``y = X theta + eps`` at a given design; ``theta`` defaults to all ones.  Catalogue D-05.

    >>> fixed_design(0, np.ones((4, 1)), sigma=0.0).y.tolist()
    [1.0, 1.0, 1.0, 1.0]
    """
    X = np.asarray(X, dtype=float)
    if X.ndim != 2 or len(X) == 0:
        raise ValueError(f"X must have shape (n, d) with n >= 1, got {X.shape}; reshape a single feature to (n, 1)")
    theta = _coefficients(np.ones(X.shape[1]) if theta is None else theta, X[0])
    blank = FixedDesignSample(X, np.empty(len(X)), theta, _noise_level(sigma), noise)
    return blank.fresh(rng)


@dataclass(frozen=True, eq=False)
class RandomDesignSample:
    """One draw of ``n`` rows ``x ~ N(0, covariance)``, ``y = <theta, x> + eps``, noise independent of the rows.

    Risks are expectations over a *fresh row and response*.  Catalogue D-06, T-18.

    >>> sample = gaussian_design(0, n=5, d=2, theta=[1.0, 2.0], covariance=np.diag([4.0, 1.0]))
    >>> float(sample.excess_risk([0.0, 0.0]))
    8.0
    """

    X: np.ndarray
    y: np.ndarray
    theta: np.ndarray
    covariance: np.ndarray
    sigma: float
    noise: str

    @property
    def bayes_risk(self) -> float:
        """``sigma**2``, the risk of ``theta`` itself."""
        return self.sigma**2

    def excess_risk(self, coef: np.ndarray, intercept: np.ndarray | float = 0.0) -> np.ndarray:
        """``||coef - theta||_Sigma**2 + intercept**2``, exact; ``coef`` has shape ``(..., d)``.  Catalogue T-18."""
        shift = _coefficients(coef, self.theta) - self.theta
        return np.sum((shift @ self.covariance) * shift, axis=-1) + np.asarray(intercept) ** 2

    def risk(self, coef: np.ndarray, intercept: np.ndarray | float = 0.0) -> np.ndarray:
        """``sigma**2 + excess_risk``: mean squared error on a fresh row."""
        return self.bayes_risk + self.excess_risk(coef, intercept)

    def fresh(self, rng: Seed, n: int | None = None) -> RandomDesignSample:
        """New rows and responses from the same law; as many as before unless ``n`` is given."""
        n = len(self.X) if n is None else _count("n", n)
        rng = as_generator(rng)
        X = rng.standard_normal((n, len(self.theta))) @ _square_root(self.covariance)
        return replace(self, X=X, y=X @ self.theta + draw_noise(rng, n, self.sigma, self.noise))


def gaussian_design(
    rng: Seed,
    n: int,
    d: int,
    sigma: float = 1.0,
    *,
    theta: np.ndarray | None = None,
    covariance: np.ndarray | None = None,
    noise: str = "gaussian",
) -> RandomDesignSample:
    """Draw ``n`` rows from ``N(0, covariance)`` and their responses.  Catalogue D-06.

    ``theta`` defaults to all ones, ``covariance`` (symmetric, positive semi-definite) to the identity.

    >>> gaussian_design(0, n=6, d=3).X.shape
    (6, 3)
    """
    d = _count("d", d)
    covariance = np.eye(d) if covariance is None else np.asarray(covariance, dtype=float)
    if covariance.shape != (d, d):
        raise ValueError(f"covariance must have shape ({d}, {d}), got {covariance.shape}; pass one row per feature")
    theta = _coefficients(np.ones(d) if theta is None else theta, np.empty(d))
    empty = RandomDesignSample(np.empty((0, d)), np.empty(0), theta, covariance, _noise_level(sigma), noise)
    return empty.fresh(rng, n)


@dataclass(frozen=True, eq=False)
class AdditiveNoiseSample:
    """One draw of ``y = f(x) + eps`` at given inputs, for any ``f``; risks average over these inputs.

    Catalogue D-07.

    >>> sample = additive_noise(0, np.linspace(0.0, 1.0, 5), np.square, sigma=0.1)
    >>> round(float(sample.excess_risk(np.zeros(5))), 6)
    0.276562
    """

    X: np.ndarray
    y: np.ndarray
    function: ArrayFunction
    sigma: float
    noise: str

    @property
    def signal(self) -> np.ndarray:
        """The noiseless responses ``f(X)``, shape ``(n,)``."""
        return np.asarray(self.function(self.X), dtype=float)

    @property
    def bayes_risk(self) -> float:
        """``sigma**2``, the risk of ``f`` itself."""
        return self.sigma**2

    def excess_risk(self, predictor: ArrayFunction | np.ndarray) -> np.ndarray:
        """``mean((predictor - f)**2)`` over the inputs, exact; a callable, or its values of shape ``(..., n)``."""
        values = np.asarray(predictor(self.X) if callable(predictor) else predictor, dtype=float)
        if values.shape[-1:] != (len(self.X),):
            raise ValueError(f"predictor gave shape {values.shape}; one value for each of the {len(self.X)} inputs")
        return np.mean((values - self.signal) ** 2, axis=-1)

    def risk(self, predictor: ArrayFunction | np.ndarray) -> np.ndarray:
        """``sigma**2 + excess_risk``: mean squared error on fresh responses at the same inputs."""
        return self.bayes_risk + self.excess_risk(predictor)

    def responses(self, rng: Seed, repeats: int) -> np.ndarray:
        """``repeats`` independent response vectors at the same inputs, shape ``(repeats, n)``."""
        return self.signal + draw_noise(rng, (repeats, len(self.X)), self.sigma, self.noise)

    def fresh(self, rng: Seed) -> AdditiveNoiseSample:
        """The same inputs and function with new responses."""
        return replace(self, y=self.responses(rng, 1)[0])


def additive_noise(
    rng: Seed, X: np.ndarray, function: ArrayFunction, sigma: float = 1.0, *, noise: str = "gaussian"
) -> AdditiveNoiseSample:
    """Draw ``y = function(X) + eps``; ``function`` maps the whole of ``X`` to shape ``(n,)``.  Catalogue D-07.

    >>> additive_noise(0, np.array([0.0, 2.0]), np.square, sigma=0.0).y.tolist()
    [0.0, 4.0]
    """
    X = np.asarray(X, dtype=float)
    blank = AdditiveNoiseSample(X, np.empty(len(X)), function, _noise_level(sigma), noise)
    if blank.signal.shape != (len(X),):
        raise ValueError(f"function gave shape {blank.signal.shape}, not ({len(X)},); return one value per row of X")
    return blank.fresh(rng)


@dataclass(frozen=True, eq=False)
class ThresholdSample:
    """One draw of ``x ~ N(0, 1)``, ``y = 1[x >= 0]``; the class is ``f_a(t) = 1[t >= a]``.  Catalogue D-08.

    >>> round(float(threshold_model(0, n=4).risk(1.0)), 10)
    0.3413447461
    """

    x: np.ndarray
    y: np.ndarray

    @property
    def bayes_risk(self) -> float:
        """Zero: ``f_0`` makes no mistake.  Catalogue X-09."""
        return 0.0

    def risk(self, threshold: np.ndarray | float) -> np.ndarray:
        """``P(f_a(x) != y) = |Phi(a) - 1/2|``, exact; any shape of thresholds.  Catalogue D-08, X-08."""
        return np.abs(ndtr(threshold) - 0.5)

    def excess_risk(self, threshold: np.ndarray | float) -> np.ndarray:
        """The risk itself, because the Bayes risk is zero."""
        return self.risk(threshold)

    def empirical_risk(self, threshold: np.ndarray | float) -> np.ndarray:
        """Share of the sample that ``f_a`` gets wrong; any shape of thresholds."""
        predicted = self.x >= np.asarray(threshold, dtype=float)[..., None]
        return np.mean(predicted != self.y.astype(bool), axis=-1)

    def fresh(self, rng: Seed, n: int | None = None) -> ThresholdSample:
        """A new sample from the same law; as many points as before unless ``n`` is given."""
        return threshold_model(rng, len(self.x) if n is None else n)


def threshold_model(rng: Seed, n: int) -> ThresholdSample:
    """Draw ``n`` points of the noiseless threshold model.  Catalogue D-08.

    >>> sample = threshold_model(0, n=100)
    >>> float(sample.empirical_risk(0.0))
    0.0
    """
    x = as_generator(rng).standard_normal(_count("n", n))
    return ThresholdSample(x, (x >= 0).astype(int))


def _noise_level(sigma: float) -> float:
    if not 0 <= sigma < np.inf:
        raise ValueError(f"sigma must be finite and >= 0, got {sigma}; use sigma=0 for noiseless responses")
    return float(sigma)


def _count(name: str, value: int) -> int:
    if value < 1 or value != int(value):
        raise ValueError(f"{name} must be a whole number >= 1, got {value}; ask for at least one")
    return int(value)


def _coefficients(coef: np.ndarray, like: np.ndarray) -> np.ndarray:
    coef = np.asarray(coef, dtype=float)
    if coef.shape[-1:] != (len(like),):
        raise ValueError(
            f"coefficients of shape {coef.shape} do not fit {len(like)} features; the last axis is features"
        )
    return coef


def _square_root(covariance: np.ndarray) -> np.ndarray:
    """The symmetric square root of a positive semi-definite matrix."""
    values, vectors = np.linalg.eigh(covariance)
    tolerance = len(values) * np.finfo(float).eps * max(abs(values[-1]), abs(values[0]))
    if values[0] < -tolerance or not np.allclose(covariance, covariance.T, rtol=1e-10, atol=tolerance):
        raise ValueError("covariance is not symmetric positive semi-definite; symmetrise it or clip its eigenvalues")
    return (vectors * np.sqrt(np.clip(values, 0.0, None))) @ vectors.T
