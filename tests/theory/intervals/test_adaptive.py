"""Adaptive intervals: the deterministic bound on every sequence, at every length."""

import numpy as np
import pytest

from surefit.theory.intervals.adaptive import AdaptiveIntervals


def adversaries(rng):
    """Targets chosen when the interval is known, and streams that jump, drift and explode."""
    yield lambda low, high, t: high + 1.0 if np.isfinite(high) else float(t)
    yield lambda low, high, t: 0.0
    yield lambda low, high, t: (high + 1.0 if np.isfinite(high) else 1.0) if t % 2 else 0.0
    yield lambda low, high, t: float(rng.standard_cauchy() * (1 + t) ** 2)
    yield lambda low, high, t: (high if np.isfinite(high) else 0.0) + (1.0 if rng.random() < 0.3 else -0.1)
    scale = rng.uniform(0.1, 10, size=4)
    yield lambda low, high, t: float(scale[t // 100 % 4] * rng.normal())


def test_the_bound_holds_at_every_length_on_300_adversarial_streams():
    rng, streams = np.random.default_rng(0), 0
    while streams < 300:
        coverage, step = rng.uniform(0.5, 0.98), 10 ** rng.uniform(-2.5, -0.5)
        for adversary in adversaries(rng):
            state = AdaptiveIntervals(coverage, step, window=50)
            for t in range(120):
                width = state.half_width()
                target = adversary(-width, width, t)
                state.update(0.0, target)
                assert abs(state.miss_rate - (1 - coverage)) <= state.bound + 1e-12
            streams += 1


def test_on_a_quiet_stream_the_width_is_the_quantile_of_the_errors():
    rng = np.random.default_rng(1)
    state = AdaptiveIntervals(0.9, 0.005)
    widths = [state.half_width() or state.update(0.0, error) for error in rng.normal(size=10)]
    for error in rng.normal(size=4000):
        state.update(0.0, error)
    assert len(widths) == 10
    assert state.half_width() == pytest.approx(1.645, abs=0.25)
    assert state.miss_rate == pytest.approx(0.1, abs=0.02)


def test_a_sabotaged_level_is_caught():
    """Without the feedback the bound fails on a stream that jumps."""
    rng, state = np.random.default_rng(2), AdaptiveIntervals(0.9, 0.05, window=400)
    missed = 0
    for t in range(800):
        state.level = 0.1
        low, high = state.update(0.0, float((1 if t < 400 else 50) * rng.normal()))
        missed += t >= 400 and not low <= state.errors[t % 400] <= high
    assert abs(state.miss_rate - 0.1) > (0.9 + 0.05) / (0.05 * 800)
