"""Newton's method over blocks: the minimiser of a fit in memory, the same bits whoever works."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize

from surefit import LogisticRegression
from surefit.data.blocks.columns import SourceError

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
N, ROWS = 4000, 512


def table(classes):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(N, 2)) * [1.0, 20.0] + [0.0, 300.0]
    group = rng.choice(["p", "q", "r"], size=N, p=[0.6, 0.3, 0.1])
    scores = np.column_stack(
        [(k * X[:, 0] + 0.03 * k * (X[:, 1] - 300.0) * (k - 1) + k * (group == "q")) for k in range(classes)]
    )
    label = np.argmax(scores + rng.gumbel(size=scores.shape), axis=1)
    names = np.array(["no", "yes", "perhaps"])
    return pa.table({"u": X[:, 0], "v": X[:, 1], "group": group, "label": names[label]})


def encoded(found):
    group = np.array(found["group"].to_pylist())
    return np.column_stack([found["u"], found["v"], group == "q", group == "r"]).astype(float)


@pytest.mark.parametrize("classes", [2, 3])
def test_blocks_give_the_fit_in_memory(classes):
    """Catalogue A-29, A-30."""
    found = table(classes)
    model = LogisticRegression(lam=0.01).fit_blocks(found, "label", rows=ROWS)
    X, y = encoded(found), np.array(found["label"].to_pylist())
    memory = LogisticRegression(lam=0.01).fit(X, y)
    np.testing.assert_array_equal(model.classes_, memory.classes_)
    np.testing.assert_allclose(model.coef_, memory.coef_, rtol=1e-7, atol=1e-9)
    named = pd.DataFrame(X, columns=model.feature_names_in_)
    np.testing.assert_allclose(model.predict_proba(named), memory.predict_proba(X), rtol=1e-7)
    assert memory.solution_.objective - 1e-12 <= model.solution_.objective
    assert model.solution_.objective - memory.solution_.objective <= model.solution_.gap <= 1e-9
    assert model.blocks_.passes <= 6


def test_what_a_fit_to_blocks_can_be_asked_afterwards():
    model = LogisticRegression(lam=0.01).fit_blocks(table(2), "label", rows=ROWS)
    assert "newton over blocks" in str(model.explain())
    assert model.gap_ == model.solution_.gap
    page = str(model.summary())
    assert "group = q" in page
    assert f"{N:,}" in page
    with pytest.raises(ValueError, match="data"):
        model.logistic_fit()


def test_files_and_workers_change_no_bit(tmp_path):
    found = table(2)
    for k in range(3):
        pq.write_table(found.slice(k * 1334, 1334), tmp_path / f"{k}.parquet", row_group_size=100)
    whole = LogisticRegression(lam=0.01).fit_blocks(found, "label", rows=ROWS, executor="serial")
    for executor in (1, 3):
        again = LogisticRegression(lam=0.01).fit_blocks(str(tmp_path), "label", rows=ROWS, executor=executor)
        assert again.coef_.tobytes() == whole.coef_.tobytes()


def test_levels_and_classes_that_come_late():
    found = table(2).sort_by("group")
    late = LogisticRegression(lam=0.01).fit_blocks(found, "label", rows=ROWS)
    early = LogisticRegression(lam=0.01).fit_blocks(table(2), "label", rows=ROWS)
    assert late.blocks_.names == early.blocks_.names == ["u", "v", "group = q", "group = r"]
    np.testing.assert_allclose(late.coef_, early.coef_, rtol=1e-6)
    sorted_by_class = table(2).sort_by("label")
    with pytest.raises(SourceError, match="classes"):
        LogisticRegression(lam=0.01).fit_blocks(sorted_by_class, "label", rows=ROWS)
    named = LogisticRegression(lam=0.01).fit_blocks(sorted_by_class, "label", rows=ROWS, classes=["no", "yes"])
    np.testing.assert_allclose(named.coef_, early.coef_, rtol=1e-6)


def test_lam_is_chosen_and_rows_held_out_certify():
    model = LogisticRegression().fit_blocks(table(2), "label", rows=ROWS, certify=0.2)
    assert model.selection_ is not None
    assert 0.1 < model.blocks_.certificate.bound < 0.5
    numbers = LogisticRegression(lam=0.01).fit_blocks(np.arange(40.0)[:, None] % 7, y=np.arange(40) % 3 % 2)
    assert numbers.classes_.tolist() == [0.0, 1.0]


def words(n=6000):
    rng = np.random.default_rng(4)
    a, b = rng.choice(list("uvw"), size=n), rng.choice(list("xyz"), size=n)
    u = rng.integers(0, 2, n).astype(float)
    label = np.where(rng.random(n) < 1 / (1 + np.exp(1 - 1.5 * u - (a == "v"))), "yes", "no")
    return pa.table({"u": u, "a": a, "b": b, "label": label})


def test_copies_are_counted_in_one_pass_and_change_nothing(tmp_path):
    found = words()
    pq.write_table(found, tmp_path / "words.parquet", row_group_size=77)
    model = LogisticRegression(lam=0.01).fit_blocks(found, "label", rows=ROWS, certify=0.1)
    again = LogisticRegression(lam=0.01).fit_blocks(str(tmp_path), "label", rows=ROWS, certify=0.1, executor=3)
    assert model.blocks_.passes == 1
    assert model.n_iter_ > 1
    assert model.blocks_.n + model.blocks_.held_out == 6000
    assert "36 distinct" in model.solution_.facts["reason"]
    assert again.coef_.tobytes() == model.coef_.tobytes()
    whole = LogisticRegression(lam=0.01).fit_blocks(found, "label", rows=ROWS)
    columns = {name: np.array(found[name].to_pylist()) for name in found.column_names}
    X = np.column_stack([columns["u"], *(columns[name] == level for name, level in whole.blocks_.features[1:])])
    memory = LogisticRegression(lam=0.01).fit(X.astype(float), columns["label"])
    np.testing.assert_allclose(whole.coef_, memory.coef_, rtol=1e-7, atol=1e-9)


def test_a_sample_that_misleads_costs_no_digit(monkeypatch, tmp_path):
    monkeypatch.setattr("surefit.data.blocks.distinct.MOST_DISTINCT", 600)
    found = pa.concat_tables([words(ROWS).set_column(0, "u", pa.array(np.zeros(ROWS))), words(8 * ROWS).set_column(
        0, "u", pa.array(np.random.default_rng(5).normal(size=8 * ROWS)))])  # fmt: skip
    plain = LogisticRegression(lam=0.01).fit_blocks(found, "label", rows=ROWS, checkpoint=tmp_path / "kept")
    assert plain.blocks_.passes == plain.n_iter_ > 1
    assert not (tmp_path / "kept").exists()


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.filterwarnings("ignore:.*rounding hides")
def test_the_gap_knows_what_rounding_the_intercept_costs(classes):
    """Two columns about 1e12: the published point, in fractions, against the same with better intercepts."""
    rng = np.random.default_rng(3)
    near = rng.normal(size=(40, 2))
    X = np.array([1e12, 0.0]) + near
    y = np.digitize(near[:, 0] + rng.normal(size=40), [0.0, 0.7][: classes - 1])
    model = LogisticRegression(0.01).fit_blocks(X, y=y.astype(float), rows=16)
    coef, intercept = np.atleast_2d(model.coef_), np.atleast_1d(model.intercept_)
    scores = np.array([
        [float(Fraction(b) + sum(Fraction(c) * Fraction(x) for c, x in zip(row, one, strict=True)))
         for row, b in zip(coef.tolist(), intercept.tolist(), strict=True)]
        for one in X.tolist()
    ])  # fmt: skip
    scores = np.column_stack([np.zeros(40), scores]) if classes == 2 else scores

    def risk(moved):
        at = scores + np.append(0.0, moved) if classes == 2 else scores + moved
        return float(np.mean(np.logaddexp.reduce(at, axis=1) - at[np.arange(40), y]))

    best = minimize(risk, np.zeros(len(intercept)), tol=1e-14).fun
    assert risk(np.zeros(len(intercept))) - best > 1e-11  # there is something to know
    assert risk(np.zeros(len(intercept))) - best <= model.gap_ <= 1e-6
