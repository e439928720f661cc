"""Testing layer: ``check_loss``, which tries to refute what a loss claims about itself.

In: any ``Loss``, ours or yours.  Out: nothing, or an ``AssertionError`` whose sentence says what is wrong and where.
Needs Hypothesis (``pip install surefit[testing]``).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from hypothesis import strategies as st

from surefit.objective.loss import Loss
from surefit.testing.drive import check_copies, jump, no_warning, refute, search

Claim = Callable[[Loss, np.ndarray, np.ndarray, np.ndarray], None]

_REACH = 20.0  # targets and predictions are drawn from [-20, 20]
_STEP = 2.0**-17  # of finite differences: exact in binary, truncation and rounding about 1e-10 each


def check_loss(loss: Loss, *, examples: int = 60) -> None:
    """Try to refute every claim of ``loss``; silent if all hold, ``AssertionError`` with the first that does not.

    Checks that ``derivative`` is the slope of ``value`` and ``curvature`` that of ``derivative`` away from kinks; that
    the flags ``convex``, ``smooth``, ``twice_differentiable`` and ``symmetric`` are true; the Lipschitz constants and
    bounds; the conjugate, by the Fenchel-Young inequality and its equality at the derivative; that arrays broadcast,
    huge predictions give neither NaN nor warnings, and copies are equal.

    ``examples`` is how many inputs are tried for each claim; the inputs are the same on every run.  Catalogue L-14.

    >>> from surefit.objective import Huber
    >>> check_loss(Huber(0.5))
    """
    if not isinstance(loss, Loss):
        remedy = f"call it: {loss.__name__}()" if isinstance(loss, type) else "derive its class from surefit's Loss"
        raise TypeError(f"check_loss takes an instance of a Loss, got {loss!r}; {remedy}")
    check_copies(loss)
    if loss.targets == "classes":
        search([partial(_vector_conjugate, loss)], _score_rows(), examples)
        for seed in range(3):
            _check_scalar(_AlongLine(loss, seed), examples)
        return
    _check_scalar(loss, examples)


def _check_scalar(loss: Loss, examples: int) -> None:
    _broadcasts(loss)
    _derivative_is_mostly_a_slope(loss)
    search([partial(_tried, claim, loss) for claim in _claims(loss)], _triples(loss.targets), examples)
    _has_no_jumps(loss)
    _survives_extremes(loss)


def _tried(claim: Claim, loss: Loss, sample: tuple[np.ndarray, np.ndarray, np.ndarray]) -> None:
    claim(loss, *sample)


def _claims(loss: Loss) -> list[Claim]:
    claims: list[Claim] = [_derivative_is_slope, _curvature_is_slope, _constants_hold]
    if loss.convex:
        claims.append(_lies_above_tangents)
    if loss.convex and not isinstance(loss, _AlongLine):  # the conjugate of a row of scores has its own check
        claims.append(_conjugate_is_one)
    if loss.symmetric:
        claims.append(_is_symmetric)
    return claims


def _triples(targets: str) -> st.SearchStrategy:
    """Arrays ``(y, f, g)``: targets and two predictions for each."""
    real = st.floats(-_REACH, _REACH, allow_subnormal=False)
    target = {
        "signs": st.sampled_from([-1.0, 1.0]),
        "probabilities": st.one_of(st.sampled_from([0.0, 1.0]), st.floats(0, 1, allow_subnormal=False)),
        "classes": st.sampled_from([0.0, 1.0, 2.0]),
    }.get(targets, real)
    rows = st.lists(st.tuples(target, real, real), min_size=1, max_size=6)
    return rows.map(lambda triples: tuple(np.array(column) for column in zip(*triples, strict=True)))


def _slope(function: Callable[[np.ndarray], np.ndarray], f: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Central difference at ``f``, where it can be trusted (no kink near), and how far rounding may move it."""
    with np.errstate(all="ignore"):
        here, h = function(f), _STEP / 2
        coarse = (function(f + 2 * h) - function(f - 2 * h)) / (4 * h)
        ahead, behind = (function(f + h) - here) / h, (here - function(f - h)) / h
        slope = 0.5 * (ahead + behind)
        noise = 1e-14 * (1 + np.abs(here)) * (1 + np.abs(f)) / _STEP
        trusted = np.abs(slope - coarse) <= 1e-6 * (1 + np.abs(slope)) + noise
        trusted &= np.abs(ahead - behind) <= 1e-3 * (1 + np.abs(slope)) + noise
    return slope, trusted & np.isfinite(slope), noise + 1e-5 * (1 + np.abs(slope))


def _derivative_is_slope(loss: Loss, y: np.ndarray, f: np.ndarray, g: np.ndarray) -> None:
    slope, trusted, error = _slope(lambda at: loss.value(y, at), f)
    claimed = loss.derivative(y, f)
    refute(
        trusted & ~(np.abs(claimed - slope) <= error),
        "derivative is not the slope of value: at y={y}, f={f} it is {claimed}, but differences of value give {slope}",
        y=y,
        f=f,
        claimed=claimed,
        slope=slope,
    )


def _curvature_is_slope(loss: Loss, y: np.ndarray, f: np.ndarray, g: np.ndarray) -> None:
    slope, trusted, error = _slope(lambda at: loss.derivative(y, at), f)
    claimed = loss.curvature(y, f)
    refute(
        trusted & ~(np.abs(claimed - slope) <= error),
        "curvature is not the slope of derivative: at y={y}, f={f} it is {claimed}, but differences of derivative "
        "give {slope}",
        y=y,
        f=f,
        claimed=claimed,
        slope=slope,
    )


def _derivative_is_mostly_a_slope(loss: Loss) -> None:
    """Kinks excuse a wrong derivative at a few points, not at most of them."""
    f = np.linspace(-_REACH, _REACH, 301) + np.sqrt(2) / 100
    for y in _typical_targets(loss.targets):
        trusted = _slope(partial(loss.value, np.full_like(f, y)), f)[1]
        if trusted.mean() < 0.8:
            raise AssertionError(f"value has no slope at most points: at y={y:g} its differences depend on the step")


def _lies_above_tangents(loss: Loss, y: np.ndarray, f: np.ndarray, g: np.ndarray) -> None:
    here, there, middle = loss.value(y, f), loss.value(y, g), loss.value(y, 0.5 * (f + g))
    rounding = 1e-10 * (1 + np.abs(here) + np.abs(there))
    refute(
        middle > 0.5 * (here + there) + rounding,
        "declared convex, but at y={y} the value halfway between f={f} and f={g} lies above their mean",
        y=y,
        f=f,
        g=g,
    )
    slope = loss.derivative(y, f)
    refute(
        there < here + slope * (g - f) - rounding * (1 + np.abs(slope)),
        "derivative is not a subgradient: at y={y} the tangent at f={f} with slope {slope} passes above the value "
        "at f={g}",
        y=y,
        f=f,
        g=g,
        slope=slope,
    )


def _conjugate_is_one(loss: Loss, y: np.ndarray, f: np.ndarray, g: np.ndarray) -> None:
    u = loss.derivative(y, f)
    conjugate, here, there = loss.conjugate(y, u), loss.value(y, f), loss.value(y, g)
    rounding = 1e-9 * (1 + np.abs(here) + np.abs(there) + np.abs(u) * (np.abs(f) + np.abs(g)))
    refute(
        ~(np.abs(conjugate + here - u * f) <= rounding),
        "conjugate is wrong: at y={y} and u={u}, the derivative at f={f}, it is {conjugate}, but "
        "u * f - value is {attained}",
        y=y,
        f=f,
        u=u,
        conjugate=conjugate,
        attained=u * f - here,
    )
    refute(
        conjugate + there < u * g - rounding,
        "conjugate is too small: at y={y}, u={u} it is {conjugate}, but u * f - value is {attained} at f={g}",
        y=y,
        u=u,
        g=g,
        conjugate=conjugate,
        attained=u * g - there,
    )
    low, high = loss.conjugate_domain(y)
    refute(
        (u < low - 1e-9) | (u > high + 1e-9), "derivative {u} at y={y}, f={f} is not in conjugate_domain", y=y, f=f, u=u
    )
    for edge, outward in ((low, -1.0), (high, 1.0)):
        ends = np.abs(edge) < 1e100
        outside = np.where(ends, edge + outward * (1e-3 + 1e-3 * np.abs(edge)), u)
        value = loss.conjugate(y, outside)
        refute(
            ends & np.isfinite(value),
            "conjugate should be inf outside conjugate_domain, but at y={y}, u={outside} it is {value}",
            y=y,
            outside=outside,
            value=value,
        )


def _constants_hold(loss: Loss, y: np.ndarray, f: np.ndarray, g: np.ndarray) -> None:
    sizes = [np.abs(at - y) if loss.targets in ("real", "any") else np.abs(at) for at in (f, g)]
    radius = np.maximum(*sizes)
    lipschitz = np.array([loss.lipschitz(float(r)) for r in radius])
    bound = np.array([loss.bound(float(r)) for r in radius])
    here, there = loss.value(y, f), loss.value(y, g)
    rounding = 1e-9 * (1 + np.abs(here) + np.abs(there))
    with np.errstate(invalid="ignore"):  # 0 * inf, where f equals g
        allowed = np.where(f == g, 0.0, lipschitz * np.abs(f - g))
        bend = np.where(f == g, 0.0, loss.smoothness * np.abs(f - g))
    facts = {"y": y, "f": f, "g": g, "radius": radius, "lipschitz": lipschitz, "bound": bound, "here": here}
    refute(
        np.abs(here - there) > allowed + rounding,
        "lipschitz({radius}) = {lipschitz} is too small: at y={y} the value changes faster between f={f} and f={g}",
        **facts,
    )
    refute(
        np.abs(loss.derivative(y, f)) > lipschitz * (1 + 1e-9) + 1e-9,
        "lipschitz({radius}) = {lipschitz} is smaller than the derivative at y={y}, f={f}",
        **facts,
    )
    refute(here > bound + rounding, "bound({radius}) = {bound} is below the value {here} at y={y}, f={f}", **facts)
    slopes = loss.derivative(y, f), loss.derivative(y, g)
    refute(
        np.abs(slopes[0] - slopes[1]) > bend + 1e-9 * (1 + np.abs(slopes[0]) + np.abs(slopes[1])),
        f"smoothness = {loss.smoothness:g} is too small: at y={{y}} the derivative changes faster between f={{f}} and "
        "f={g}",
        **facts,
    )


def _is_symmetric(loss: Loss, y: np.ndarray, f: np.ndarray, g: np.ndarray) -> None:
    one, other = loss.value(y, f), loss.value(f, y)
    refute(
        ~(np.abs(one - other) <= 1e-12 * (1 + np.abs(one))),
        "declared symmetric, but value({y}, {f}) = {one} and value({f}, {y}) = {other}",
        y=y,
        f=f,
        one=one,
        other=other,
    )


def _has_no_jumps(loss: Loss) -> None:
    promises = [
        ("smooth", loss.smooth, loss.derivative),
        ("twice_differentiable", loss.twice_differentiable, loss.curvature),
    ]
    for flag, declared, function in promises:
        for y in _typical_targets(loss.targets) if declared else ():
            with np.errstate(all="ignore"):
                where, size = jump(partial(function, y), -9.97, 10.01)
            if size > 1e-3:
                raise AssertionError(
                    f"declared {flag}, but {function.__name__} jumps by {size:.6g} at y={y:g}, f={where:.10g}"
                )


def _survives_extremes(loss: Loss) -> None:
    for y in _typical_targets(loss.targets):
        for f in (-1e10, -1e6, -800.0, 800.0, 1e6, 1e10):
            with no_warning(f"a warning at y={y:g}, f={f:g}; rewrite the formula or wrap it in np.errstate"):
                results = loss.value(y, f), loss.derivative(y, f), loss.curvature(y, f)
            _no_nan(results, y, f)
        for f in (-1e300, 1e300):
            with np.errstate(over="ignore"):
                _no_nan((loss.value(y, f), loss.derivative(y, f), loss.curvature(y, f)), y, f)


def _no_nan(results: tuple, y: float, f: float) -> None:
    for name, result in zip(("value", "derivative", "curvature"), results, strict=True):
        if np.isnan(result):
            raise AssertionError(f"{name} is NaN at y={y:g}, f={f:g}")


def _broadcasts(loss: Loss) -> None:
    y = np.array(_typical_targets(loss.targets) * 2)[:2]
    f = np.array([[0.3, -1.7], [2.2, 0.9], [-0.4, 1.1]])
    for function in (loss.value, loss.derivative, loss.curvature):
        table = np.asarray(function(y, f))
        if table.shape != f.shape:
            raise AssertionError(
                f"{function.__name__} has shape {table.shape} for y {y.shape} and f {f.shape}; broadcast them"
            )
        one_by_one = [[float(function(y[j], f[i, j])) for j in range(2)] for i in range(3)]
        if not np.allclose(table, one_by_one, rtol=1e-14, atol=1e-300):
            raise AssertionError(f"{function.__name__} of an array differs from {function.__name__} of its entries")


def _typical_targets(targets: str) -> list[float]:
    return {"signs": [-1.0, 1.0], "probabilities": [0.0, 0.3, 1.0], "classes": [0.0, 2.0]}.get(targets, [0.0])


class _AlongLine(Loss):
    """A loss of score rows, seen along one line of three scores: a loss of one real prediction."""

    def __init__(self, loss: Loss, seed: int):
        self.loss = loss
        self.base, self.direction = np.random.default_rng(seed).normal(size=(2, 3))
        length = float(np.linalg.norm(self.direction))
        self.convex, self.smooth, self.twice_differentiable = loss.convex, loss.smooth, loss.twice_differentiable
        self.smoothness, self.steepness = loss.smoothness * length**2, loss.lipschitz(_REACH) * length
        self.targets = "classes"

    def _scores(self, f: np.ndarray) -> np.ndarray:
        return self.base + np.asarray(f)[..., None] * self.direction

    def value(self, y, f):
        return self.loss.value(y, self._scores(f))

    def derivative(self, y, f):
        return self.loss.derivative(y, self._scores(f)) @ self.direction

    def curvature(self, y, f):
        return self.loss.hessian_product(y, self._scores(f), self.direction) @ self.direction  # type: ignore[attr-defined]

    def lipschitz(self, radius: float) -> float:
        return self.steepness


def _score_rows() -> st.SearchStrategy:
    score = st.floats(-_REACH, _REACH, allow_subnormal=False)
    row = st.lists(score, min_size=3, max_size=3)
    return st.tuples(st.integers(0, 2), row, row)


def _vector_conjugate(loss: Loss, sample: tuple[int, list[float], list[float]]) -> None:
    y, f, g = np.array([sample[0]]), np.array([sample[1]]), np.array([sample[2]])
    u = loss.derivative(y, f)
    conjugate = loss.conjugate(y, u)
    equality = conjugate + loss.value(y, f) - np.sum(u * f, axis=-1)
    excess = conjugate + loss.value(y, g) - np.sum(u * g, axis=-1)
    refute(~(np.abs(equality) <= 1e-8), f"conjugate is wrong at y={sample[0]}, the derivative at f={sample[1]}")
    refute(excess < -1e-8, f"conjugate is too small at y={sample[0]}, the derivative at f={sample[1]}")
