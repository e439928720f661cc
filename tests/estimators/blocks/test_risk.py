"""Robust and other smooth losses over blocks: the minimiser of a fit in memory, with a gap that is none too small."""

import warnings
from fractions import Fraction

import numpy as np
import pytest

from surefit import ERM, RobustRegression
from surefit.objective import L1, Absolute, ElasticNet, Huber, Logistic, PNorm, Power, QuadraticEpsilonInsensitive
from surefit.solvers.solution import Status

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
N, ROWS = 3000, 256


def rows(seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(N, 4)) * [1.0, 30.0, 0.1, 1.0] + [0.0, 1000.0, 5.0, 0.0]
    return X, X @ [1.0, 0.02, 3.0, 0.0] + rng.standard_t(1.5, size=N), rng.integers(0, 3, size=N).astype(float)


MODELS = [
    RobustRegression(Huber(0.7)),
    RobustRegression(Huber(1.0), lam=0.01),
    RobustRegression(Huber(1.0), L1(), lam=0.05),
    RobustRegression(Huber(1.0), lam=0.01, fit_intercept=False),
    ERM(QuadraticEpsilonInsensitive(0.5), ElasticNet(0.5), lam=0.1, tol=1e-10),
    ERM(Power(3.0), lam=0.1, tol=1e-10),
]


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_blocks_give_the_fit_in_memory(model):
    """Catalogue A-16, A-20."""
    X, y, w = rows()
    blocks = model.fit_blocks(X, y=y, weight=w, rows=ROWS)
    memory = type(model)(**model.get_params()).fit(X, y, w)
    size = np.max(np.abs(memory.coef_))
    np.testing.assert_allclose(blocks.coef_ / size, memory.coef_ / size, rtol=0, atol=1e-10)
    np.testing.assert_allclose(blocks.predict(X), memory.predict(X), rtol=0, atol=1e-9 * np.max(np.abs(y)))
    rounding = 1e-12 * memory.solution_.objective
    assert memory.solution_.objective - rounding <= blocks.solution_.objective
    assert blocks.solution_.objective - memory.solution_.objective <= blocks.solution_.gap + rounding
    assert blocks.solution_.gap <= 1e-9 * memory.solution_.objective
    assert 1 < blocks.blocks_.passes <= 8


def test_margin_losses_and_their_gap():
    X, y, _ = rows()
    signs = np.where(y > np.median(y), 1.0, -1.0)
    for lam in (0.0, 0.01):
        blocks = ERM(Logistic(), lam=lam).fit_blocks(X, y=signs, rows=ROWS)
        memory = ERM(Logistic(), lam=lam, tol=1e-12).fit(X, signs)
        np.testing.assert_allclose(blocks.coef_, memory.coef_, rtol=1e-9)
        assert blocks.solution_.gap <= 1e-8
        assert 0.0 <= blocks.predict(X).min() <= blocks.predict(X).max() <= 1.0


@pytest.mark.parametrize("lam", [0.0, 0.02])
def test_a_gap_before_the_end_bounds_the_excess(monkeypatch, lam):
    """The search is stopped after one step: the gap must still be above what is missing."""
    monkeypatch.setattr("surefit.estimators.blocks.search.MOST_PASSES", 1)
    monkeypatch.setattr("surefit.estimators.blocks.risk.MOST_ROWS", 40)
    X, y, _ = rows()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        early = RobustRegression(Huber(1.0), lam=lam).fit_blocks(X, y=y, rows=ROWS)
    best = RobustRegression(Huber(1.0), lam=lam).fit(X, y).solution_.objective
    assert early.solution_.objective > best + 1e-6
    assert early.solution_.objective - best <= early.solution_.gap


def test_files_workers_and_levels_change_no_bit(tmp_path):
    X, y, _ = rows()
    group = np.array(["p", "q", "late"])[np.minimum(np.arange(N) // 1400, 2)]
    found = pa.table({"u": X[:, 0], "v": X[:, 1], "group": group, "y": y})
    for k in range(3):
        pq.write_table(found.slice(k * 1000, 1000), tmp_path / f"{k}.parquet", row_group_size=77)
    whole = RobustRegression(Huber(1.0)).fit_blocks(found, "y", rows=ROWS, executor="serial")
    again = RobustRegression(Huber(1.0)).fit_blocks(str(tmp_path), "y", rows=ROWS, executor=3)
    assert again.coef_.tobytes() == whole.coef_.tobytes()
    assert whole.blocks_.names == ["u", "v", "group = late", "group = q"]


def test_the_threshold_is_estimated_where_none_is_given():
    X, y, _ = rows()
    blocks = RobustRegression().fit_blocks(X, y=y, rows=ROWS, certify=0.1)
    assert 0.5 < blocks.loss_.threshold < 5.0
    assert blocks.certificate() is blocks.blocks_.certificate


def test_a_summary_counts_the_rows_and_names_the_columns():
    X, y, _ = rows()
    found = pa.table({"width": X[:, 0], "group": np.where(X[:, 3] > 0, "p", "q"), "y": y})
    page = str(RobustRegression(Huber(1.0)).fit_blocks(found, "y", rows=ROWS, certify=0.1).summary())
    held = RobustRegression(Huber(1.0)).fit_blocks(found, "y", rows=ROWS, certify=0.1).blocks_.held_out
    assert f"{N - held:,}" in page
    assert f"{held:,}" in page
    assert "width" in page
    assert "group = " in page


def test_what_newton_cannot_take_is_refused_and_nothing_is_half_fitted():
    X, y, _ = rows()
    for model, match in [
        (RobustRegression(Absolute()), "kinks"),
        (RobustRegression(Huber(1.0), standardise=True), "standardise"),
        (ERM(Huber(1.0), PNorm(1.5), lam=0.1), "penalties"),
    ]:
        with pytest.raises(ValueError, match=match):
            model.fit_blocks(X, y=y, rows=ROWS)
        assert not hasattr(model, "coef_")


def raised_by_rounding(X, y, loss, coef, intercept):
    """In fractions: by how much a better intercept for the same coefficients lowers the mean loss."""
    coef = list(map(Fraction, coef.tolist()))
    rows = zip(X.tolist(), y.tolist(), strict=True)
    left = [Fraction(t) - sum(c * Fraction(x) for c, x in zip(coef, row, strict=True)) for row, t in rows]
    mean = lambda b: sum(loss(one - b) for one in left) / len(left)
    here = Fraction(intercept)
    size = abs(here) * Fraction(2) ** -53
    return max(mean(here) - mean(here + size * Fraction(k, 50)) for k in range(-60, 61))


@pytest.mark.parametrize("offset", [1e12, 1.7e9])
@pytest.mark.filterwarnings("ignore:.*rounding hides")
@pytest.mark.parametrize("cubes", [False, True])
def test_the_gap_knows_what_rounding_the_intercept_costs(offset, cubes):
    """Now and then an intercept meets a number by luck, but not in three samples."""
    knee, most = Fraction(1), Fraction(0)
    huber = lambda r: r * r if abs(r) <= knee else 2 * knee * abs(r) - knee**2
    for seed in (3, 4, 5):
        rng = np.random.default_rng(seed)
        X = np.array([offset, 0.0]) + rng.normal(size=(40, 2))
        y = X[:, 0] - offset + 3.0 * (rng.random(40) < 0.1) + rng.normal(size=40)
        model = ERM(Power(3.0), lam=0.1, tol=1e-10) if cubes else RobustRegression(Huber(1.0))
        model.fit_blocks(X, y=y, rows=16)
        raised = raised_by_rounding(X, y, (lambda r: abs(r) ** 3) if cubes else huber, model.coef_, model.intercept_)
        most = max(most, raised)
        found = model.solution_
        assert raised <= found.gap <= 1e-9 + 100.0 * float(raised)
        reached = found.gap <= model.tol * found.facts["null_objective"]
        assert found.status is (Status.CONVERGED if reached else Status.ROUNDING)
    assert most > 1e-17  # there is something to know
