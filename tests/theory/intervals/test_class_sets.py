"""Sets of labels by split conformal prediction: scores, quantiles, and what no empty set costs (nothing)."""

import numpy as np
import pytest

from surefit.theory.intervals.class_sets import (
    label_scores,
    members,
    quantile_of,
    quantiles_by_label,
    sets_of,
    two_columns,
)
from surefit.theory.intervals.conformal import SETS, split_promise


def dirichlet(n, K=4, alpha=0.5, seed=0):
    """True probabilities of K labels, and labels drawn with them."""
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.full(K, alpha), size=n)
    return p, np.argmax(np.cumsum(p, axis=1) > rng.random((n, 1)), axis=1)


def true_scores(p, y, score):
    return label_scores(p, score)[np.arange(len(y)), y]


@pytest.mark.parametrize("score", ["lac", "aps", "margin"])
def test_the_likeliest_label_is_in_every_set_at_any_quantile(score):
    p, _ = dirichlet(200)
    scores = label_scores(p, score)
    assert np.all(scores >= 0)
    assert np.all(members(scores, 0.0)[np.arange(200), p.argmax(axis=1)])


@pytest.mark.parametrize("coverage", [0.5, 0.8, 0.95])
def test_sets_are_never_larger_than_plain_ones_with_empty_sets_filled(coverage):
    """Plain: quantile of ``1 - p_y``, sets ``{k : 1 - p_k <= q}``, the likeliest label put into empty sets."""
    p, y = dirichlet(500)
    new, _ = dirichlet(400, seed=1)
    ours = members(label_scores(new), quantile_of(true_scores(p, y, "lac"), coverage, None))
    plain = members(1 - new, quantile_of(1 - p[np.arange(500), y], coverage, None))
    plain[np.arange(400), new.argmax(axis=1)] = True
    assert np.all(ours <= plain)


def test_adaptive_scores_add_up_likelier_labels():
    p = np.array([[0.1, 0.5, 0.1, 0.3]])
    np.testing.assert_allclose(label_scores(p, "aps"), [[0.8, 0.0, 0.9, 0.5]])


def test_adaptive_sets_cover_sure_and_unsure_rows_alike():
    """Ten labels with their true probabilities, 20,000 rows: a fifth of the rows has a standard error of 0.005."""
    p, y = dirichlet(20_000, 10, alpha=1.0)
    new, truth = dirichlet(20_000, 10, alpha=1.0, seed=3)
    fifth = np.argsort(np.argsort(new.max(axis=1))) // 4000
    spread = {}
    for score in ("lac", "aps"):
        member = members(label_scores(new, score), quantile_of(true_scores(p, y, score), 0.9, None))
        covered = [member[np.arange(20_000), truth][fifth == k].mean() for k in range(5)]
        spread[score] = max(covered) - min(covered)
    assert spread["lac"] > 0.03
    assert spread["aps"] < 0.02


def test_quantiles_by_label_are_those_of_its_rows_and_infinite_if_they_are_few():
    p, y = dirichlet(300)
    y[y == 3] = 2
    y[:5] = 3
    scores = true_scores(p, y, "lac")
    found = quantiles_by_label(scores, y, 4, 0.9, None)
    assert found[0] == quantile_of(scores[y == 0], 0.9, None)
    assert np.isinf(found[3])
    assert np.all(members(label_scores(p), found)[:, 3])


def test_one_column_of_a_decision_function_becomes_two():
    np.testing.assert_array_equal(two_columns(np.array([2.0, -1.0])), [[-2.0, 2.0], [1.0, -1.0]])


def test_the_record_counts_lists_and_prints():
    member = np.array([[True, False], [True, True]])
    found = sets_of(split_promise(100, 0.9, SETS), member, np.array(["no", "yes"]))
    assert found.size.tolist() == [1, 2]
    assert found.labels == [["no"], ["no", "yes"]]
    assert found.contains(["no", "maybe"]).tolist() == [True, False]
    assert "no, yes" in str(found)
    assert list(found.to_frame().columns) == ["no", "yes"]
    assert len(found) == 2


def test_scores_have_names():
    with pytest.raises(ValueError, match="score must be one of"):
        label_scores(np.eye(2), "raps")
