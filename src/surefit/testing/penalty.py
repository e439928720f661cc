"""Testing layer: ``check_penalty``, which tries to refute what a penalty claims about itself.

In: any ``Penalty``, ours or yours.  Out: nothing, or an ``AssertionError`` whose sentence says what is wrong and where.
Needs Hypothesis (``pip install surefit[testing]``).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from hypothesis import strategies as st

from surefit.objective.penalty import Penalty
from surefit.parameters import whole
from surefit.testing.drive import check_copies, jump, search

_REACH = 10.0


@dataclass(frozen=True)
class _Sample:
    """Three vectors of one length, and a positive number that serves as step or as ``lam``."""

    v: np.ndarray
    w: np.ndarray
    z: np.ndarray
    step: float


def check_penalty(penalty: Penalty, *, examples: int = 60, columns: int | None = None) -> None:
    """Try to refute every claim of ``penalty``; silent if all hold, ``AssertionError`` with the first that does not.

    Checks that ``value`` is convex, and strongly so if it says so; that ``gradient`` is its slope or a subgradient;
    that ``prox`` minimises what it should, beats every perturbation and expands no distance; the conjugate, by the
    Fenchel-Young inequality and its equality at the gradient; for norms, homogeneity and Hoelder's inequality with
    equality at the gradient; the flags ``smooth`` and ``separable``; that copies are equal.

    ``examples`` is how many inputs are tried for each claim; the inputs are the same on every run.  ``columns`` is the
    number of coefficients of a penalty that takes only so many, such as one of groups.  Catalogue P-08.

    >>> from surefit.objective import ElasticNet
    >>> check_penalty(ElasticNet(0.3))
    """
    if columns is not None:
        columns = whole("columns", columns, "leave it None for a penalty of any number of coefficients")
    check_copies(penalty)
    search([partial(claim, penalty) for claim in _claims(penalty)], _samples(columns), examples)
    if penalty.smooth:
        _gradient_does_not_jump(penalty, columns or 3)


def _claims(penalty: Penalty) -> list[Callable[[Penalty, _Sample], None]]:
    claims: list[Callable[[Penalty, _Sample], None]] = [_shapes_are_kept, _is_convex, _gradient_supports]
    claims += [_gradient_is_slope, _prox_is_optimal, _prox_contracts]
    if type(penalty).conjugate is not Penalty.conjugate or penalty.norm:
        claims.append(_conjugate_is_one)
    if penalty.norm:
        claims += [_is_a_norm, _dual_norm_is_attained]
    if penalty.separable:
        claims.append(_is_a_sum)
    return claims


def _samples(columns: int | None) -> st.SearchStrategy:
    number = st.one_of(st.floats(-_REACH, _REACH, allow_subnormal=False), st.sampled_from([0.0, 1.0, -1.0, 2.0]))
    rows = st.lists(st.tuples(number, number, number), min_size=columns or 1, max_size=columns or 5)

    def sample(table: list[tuple[float, float, float]], step: float) -> _Sample:
        v, w, z = np.array(table).T
        return _Sample(v, w, z, step)

    return st.builds(sample, rows, st.floats(0.01, 5.0))


def _require(holds: bool, sentence: str, **parts: object) -> None:
    if not holds:  # only then is the sentence filled in: printing arrays is slow
        raise AssertionError(sentence.format(**parts))


def _shapes_are_kept(penalty: Penalty, sample: _Sample) -> None:
    for name, result in (("gradient", penalty.gradient(sample.w)), ("prox", penalty.prox(sample.w, sample.step))):
        _require(np.shape(result) == sample.w.shape, f"{name} changes the shape {sample.w.shape} to {np.shape(result)}")
    _require(np.ndim(penalty.value(sample.w)) == 0, "value of {w} should be one number", w=sample.w)


def _is_convex(penalty: Penalty, sample: _Sample) -> None:
    v, w = sample.v, sample.w
    ends = 0.5 * (penalty.value(v) + penalty.value(w))
    bend = penalty.strong_convexity / 8 * float(np.sum((v - w) ** 2))
    how = "convex" if penalty.strong_convexity == 0 else f"strongly convex with {penalty.strong_convexity:g}"
    _require(
        penalty.value(0.5 * (v + w)) <= ends - bend + 1e-9 * (1 + ends + bend),
        "value is not {how}: halfway between {v} and {w} it is too large",
        how=how,
        v=v,
        w=w,
    )


def _gradient_supports(penalty: Penalty, sample: _Sample) -> None:
    w, z = sample.w, sample.z
    if not np.isfinite(penalty.value(w)):
        return
    for point in (z, np.zeros_like(w), w + 1e-3 * z):
        tangent = penalty.value(w) + float(np.dot(penalty.gradient(w), point - w))
        _require(
            penalty.value(point) >= tangent - 1e-9 * (1 + abs(tangent)),
            "gradient is not a subgradient: the tangent at {w} passes above the value at {point}",
            w=w,
            point=point,
        )


def _gradient_is_slope(penalty: Penalty, sample: _Sample) -> None:
    """Along one direction, unless there is a kink near."""
    w, h = sample.w, 2.0**-17
    direction = sample.z / max(1.0, float(np.linalg.norm(sample.z)))
    here, ahead, behind = (penalty.value(w + s * direction) for s in (0.0, h, -h))
    forward, backward = (ahead - here) / h, (here - behind) / h
    slope, claimed = 0.5 * (forward + backward), float(np.dot(penalty.gradient(w), direction))
    error = 1e-4 * (1 + abs(slope)) + 1e-14 * (1 + abs(here)) / h
    if np.isfinite(slope) and abs(forward - backward) <= error:
        _require(
            abs(claimed - slope) <= error,
            "gradient is not the slope of value: at {w} along {direction} it gives {claimed:.8g}, but differences of "
            "value give {slope:.8g}",
            w=w,
            direction=direction,
            claimed=claimed,
            slope=slope,
        )


def _prox_is_optimal(penalty: Penalty, sample: _Sample) -> None:
    v, step = sample.v, sample.step
    best = penalty.prox(v, step)
    cost = lambda w: 0.5 * float(np.sum((w - v) ** 2)) + step * penalty.value(w)
    slack = 1e-9 * (1 + cost(best))
    pull = (v - best) / step
    facts = {"v": v, "step": step, "best": best}
    for point in _around(best, sample):
        _require(
            cost(best) <= cost(point) + slack,
            "prox is not a minimiser: prox({v}, {step:.6g}) gives {best}, but {point} costs less",
            **facts,
            point=point,
        )
        tangent = penalty.value(best) + float(np.dot(pull, point - best))
        _require(
            penalty.value(point) >= tangent - (slack + 1e-9 * abs(tangent)) / min(step, 1.0),
            "prox is not a minimiser: (v - w) / step is no subgradient at w={best} for v={v}, step={step:.6g}",
            **facts,
        )
    still = np.allclose(penalty.prox(v, 0.0), v) or not np.isfinite(penalty.value(v))
    _require(still, "prox is not a minimiser: prox({v}, 0) should be {v} itself", **facts)


def _around(best: np.ndarray, sample: _Sample) -> list[np.ndarray]:
    """Points near and far that an optimum must beat: steps along each axis and towards other vectors."""
    points = [np.zeros_like(best), sample.v, sample.w, sample.z]
    points += [best + size * (other - best) for other in (sample.w, sample.z) for size in (1e-2, 1e-4)]
    return points + [best + size * axis for axis in np.eye(len(best)) for size in (0.1, -0.1, 1e-3, -1e-3)]


def _prox_contracts(penalty: Penalty, sample: _Sample) -> None:
    """Firm non-expansiveness, sharpened by strong convexity."""
    v, w, step = sample.v, sample.w, sample.step
    moved = penalty.prox(v, step) - penalty.prox(w, step)
    stretch = (1 + step * penalty.strong_convexity) * float(moved @ moved)
    _require(
        stretch <= float(moved @ (v - w)) + 1e-9 * (1 + float((v - w) @ (v - w))),
        "prox drives {v} and {w} too far apart at step {step:.6g}",
        v=v,
        w=w,
        step=step,
    )


def _conjugate_is_one(penalty: Penalty, sample: _Sample) -> None:
    w, lam = sample.w, sample.step
    u = lam * penalty.gradient(w)
    conjugate, product = penalty.conjugate(u, lam), float(np.dot(u, w))
    slack = 1e-9 * (1 + abs(product) + lam * penalty.value(w))
    _require(
        abs(conjugate + lam * penalty.value(w) - product) <= slack,
        "conjugate is wrong at lam={lam:.6g}, u={u}: no Fenchel-Young equality at w={w}, where u = lam * gradient",
        lam=lam,
        u=u,
        w=w,
    )
    other = penalty.conjugate(sample.z, lam)
    for point in (sample.v, w, np.zeros_like(w), _REACH * sample.z):
        product = float(np.dot(sample.z, point))
        _require(
            other + lam * penalty.value(point) >= product - 1e-9 * (1 + abs(product)),
            "conjugate is too small at lam={lam:.6g}, u={u}: Fenchel-Young fails at w={point}",
            lam=lam,
            u=sample.z,
            point=point,
        )
    scale = penalty.dual_scaling(sample.z, lam)
    _require(
        0 <= scale <= 1 and np.isfinite(penalty.conjugate(scale * sample.z, lam)),
        "dual_scaling = {scale:.6g} does not bring u={u} into the domain of the conjugate at lam={lam:.6g}",
        scale=scale,
        u=sample.z,
        lam=lam,
    )


def _is_a_norm(penalty: Penalty, sample: _Sample) -> None:
    w, size = sample.w, penalty.value(sample.w)
    _require(
        abs(penalty.value(-3.0 * w) - 3 * size) <= 1e-9 * (1 + size), "declared a norm, but not homogeneous at {w}", w=w
    )
    _require(size > 0 or not np.any(w), "declared a norm, but zero at {w}", w=w)


def _dual_norm_is_attained(penalty: Penalty, sample: _Sample) -> None:
    v, w = sample.v, sample.w
    limit = penalty.value(w) * penalty.dual_norm(v)
    _require(
        float(np.dot(v, w)) <= limit + 1e-9 * (1 + limit),
        "dual_norm is too small: <u, w> exceeds dual_norm(u) * value(w) at u={v}, w={w}",
        v=v,
        w=w,
    )
    if np.any(w):
        slope = penalty.gradient(w)
        _require(
            abs(penalty.dual_norm(slope) - 1) <= 1e-7,
            "dual_norm of the gradient at {w} should be 1, got {size:.8g}",
            w=w,
            size=penalty.dual_norm(slope),
        )


def _is_a_sum(penalty: Penalty, sample: _Sample) -> None:
    w = sample.w
    parts = sum(penalty.value(row) for row in np.diag(w)) - (len(w) - 1) * penalty.value(np.zeros_like(w))
    whole = penalty.value(w)
    _require(
        parts == whole or abs(parts - whole) <= 1e-9 * (1 + abs(whole)),
        "declared separable, but at {w} the value is {whole:.8g} and its coordinates give {parts:.8g}",
        w=w,
        whole=whole,
        parts=parts,
    )


def _gradient_does_not_jump(penalty: Penalty, columns: int) -> None:
    for base in (np.zeros(columns), np.resize([0.0, 1.0, -2.0], columns)):
        where, size = jump(partial(_first_slopes, penalty, base), -0.997, 1.001)
        if size > 1e-3:
            raise AssertionError(
                f"declared smooth, but gradient jumps by {size:.6g} at {base + where * np.eye(columns)[0]}"
            )


def _first_slopes(penalty: Penalty, base: np.ndarray, shifts: np.ndarray) -> np.ndarray:
    return np.array([penalty.gradient(base + shift * np.eye(len(base))[0])[0] for shift in shifts])
