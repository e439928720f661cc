"""Subset selection: equal to brute force, ties to the smaller model, planted models found."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.exceptions import NotFittedError

from surefit.data.design import Design
from surefit.estimators.subset import SubsetRegression
from surefit.progress import reporting
from surefit.solvers.linear.factor import spectral_factor
from surefit.solvers.linear.subsets import SubsetProblem, backward_sequence, best_of_each_size, forward_sequence
from surefit.theory.fit.loo import loo_curve
from surefit.warnings import ChoiceWarning


def planted(n=60, d=6, seed=0, noise=1.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) + 0.7 * rng.normal(size=(n, 1)) + 2.0
    return X, 1.0 + X[:, 1] - 2 * X[:, 3] + noise * rng.normal(size=n)


def brute_force(X, y, weight, fit_intercept):
    """Every subset with its residual and leave-one-out sums, by NumPy's least squares and the exact shortcut."""
    root = np.sqrt(weight)
    found = {}
    for size in range(X.shape[1] + 1):
        for J in combinations(range(X.shape[1]), size):
            columns = np.column_stack([np.ones(len(y))] * fit_intercept + [X[:, list(J)]])
            fitted = columns @ np.linalg.lstsq(root[:, None] * columns, root * y, rcond=None)[0]
            rss = float(weight @ (y - fitted) ** 2)
            if size:
                factor = spectral_factor(Design.of(X[:, list(J)], weight), fit_intercept)
                loo = float(loo_curve(factor, y, np.array([0.0]))[0] * weight.sum())
            else:
                share = weight / weight.sum() / np.maximum(weight, 1.0) * fit_intercept
                loo = float(weight @ ((y - fitted) / (1 - share)) ** 2)
            found[J] = (rss, loo)
    return found


def scores(found, n, fit_intercept, criterion, d):
    full = found[tuple(range(d))][0] / (n - d - fit_intercept)
    p = {J: len(J) + fit_intercept for J in found}
    formulas = {
        "cp": lambda J: found[J][0] + 2 * p[J] * full,
        "aic": lambda J: n * np.log(found[J][0] / n) + 2 * p[J],
        "bic": lambda J: n * np.log(found[J][0] / n) + np.log(n) * p[J],
        "loo": lambda J: found[J][1],
    }
    return {J: formulas[criterion](J) for J in found}


@settings(max_examples=40)
@given(
    seed=st.integers(0, 2**32 - 1),
    d=st.integers(1, 8),
    criterion=st.sampled_from(["cp", "aic", "bic", "loo"]),
    fit_intercept=st.booleans(),
    weighted=st.booleans(),
)
def test_exhaustive_search_is_brute_force(seed, d, criterion, fit_intercept, weighted):
    """Catalogue A-46: for each criterion the minimiser over all 2**d subsets."""
    rng = np.random.default_rng(seed)
    X, y = planted(n=d + 12, d=max(d, 4), seed=seed)
    X = X[:, :d]
    weight = rng.integers(1, 4, size=len(y)).astype(float) if weighted else np.ones(len(y))
    model = SubsetRegression(criterion, fit_intercept=fit_intercept).fit(X, y, weight if weighted else None)
    expected = scores(brute_force(X, y, weight, fit_intercept), weight.sum(), fit_intercept, criterion, d)
    best = min(expected, key=expected.__getitem__)
    assert tuple(model.support_) == best
    root = np.sqrt(weight)
    columns = np.column_stack([np.ones(len(y))] * fit_intercept + [X[:, list(best)]])
    fitted = columns @ np.linalg.lstsq(root[:, None] * columns, root * y, rcond=None)[0]
    np.testing.assert_allclose(model.predict(X), fitted, rtol=1e-8, atol=1e-8)


def test_every_size_has_its_best_subset_and_its_numbers():
    """Catalogue A-46, S-01..S-04."""
    X, y = planted(d=6)
    found = brute_force(X, y, np.ones(60), True)
    model = SubsetRegression().fit(X, y)
    assert [len(subset.columns) for subset in model.subsets_] == list(range(7))
    cp, bic, aic = (scores(found, 60, True, name, 6) for name in ("cp", "bic", "aic"))
    shift = 60 * (np.log(2 * np.pi) + 1)
    for size, subset in enumerate(model.subsets_):
        best = min((J for J in found if len(J) == size), key=lambda J: found[J][0])
        assert subset.columns == best
        np.testing.assert_allclose([subset.rss, subset.loo], found[best], rtol=1e-10)
        np.testing.assert_allclose(
            [subset.cp, subset.aic, subset.bic], [cp[best], aic[best] + shift, bic[best] + shift], rtol=1e-10
        )


@pytest.mark.parametrize("criterion", ["cp", "loo", "aic", "bic"])
def test_a_planted_model_is_within_the_chosen_one(criterion):
    """Catalogue A-46: n = 200, 3 of 8 features."""
    rng = np.random.default_rng(11)
    X = rng.normal(size=(200, 8))
    y = X[:, [1, 4, 6]] @ [1.0, -1.0, 0.5] + rng.normal(size=200)
    assert {1, 4, 6} <= set(SubsetRegression(criterion).fit(X, y).support_)


@pytest.mark.parametrize("search", ["exhaustive", "forward", "backward"])
@pytest.mark.parametrize("criterion", ["bic", "aic", "loo"])
def test_without_noise_the_smallest_exact_model_is_found(search, criterion):
    """Catalogue S-11: all supersets of the truth fit exactly too; the smaller is preferred."""
    X, y = planted(noise=0.0)
    model = SubsetRegression(criterion, search=search).fit(X, y)
    np.testing.assert_array_equal(model.support_, [1, 3])
    np.testing.assert_allclose(model.coef_, [0, 1, 0, -2, 0, 0], atol=1e-12)


@pytest.mark.parametrize("search", ["exhaustive", "forward", "backward"])
def test_a_duplicated_or_constant_column_is_left_out(search):
    """Catalogue S-11: it adds nothing, so the smaller model is preferred."""
    X, y = planted()
    wider = np.column_stack([X, X[:, 1], np.full(60, 3.0)])
    np.testing.assert_array_equal(
        SubsetRegression(search=search).fit(wider, y).support_, SubsetRegression(search=search).fit(X, y).support_
    )


def greedy(X, y, start, step):
    """Forward or backward by refitting everything, the definition itself."""

    def rss(J):
        columns = np.column_stack([np.ones(len(y)), X[:, sorted(J)]])
        return np.sum((y - columns @ np.linalg.lstsq(columns, y, rcond=None)[0]) ** 2)

    sequence = [frozenset(start)]
    while options := step(sequence[-1]):
        sequence.append(min(options, key=rss))
    return [tuple(sorted(J)) for J in sequence], [rss(J) for J in sequence]


def test_forward_and_backward_are_their_definitions():
    """Catalogue A-46."""
    X, y = planted(n=40, d=9, seed=5)
    everything = frozenset(range(9))
    problem = SubsetProblem(Design.of(X), y, True)
    for sequence, definition in (
        (forward_sequence(problem, 9), greedy(X, y, (), lambda J: [J | {j} for j in everything - J])),
        (backward_sequence(problem, 9)[::-1], greedy(X, y, everything, lambda J: [J - {j} for j in J])),
    ):
        assert [fit.columns for fit in sequence] == definition[0]
        np.testing.assert_allclose([fit.rss for fit in sequence], definition[1], rtol=1e-10)
        for fit in sequence:
            np.testing.assert_allclose(fit.loo, problem.judged(fit.columns).loo, rtol=1e-10)


def test_the_best_subset_is_never_worse_than_a_greedy_one():
    X, y = planted(n=30, d=12, seed=7)
    problem = SubsetProblem(Design.of(X), y, True)
    best = [fit.rss for fit in best_of_each_size(problem, 12)]
    for greedy_sequence in (forward_sequence(problem, 12), backward_sequence(problem, 12)):
        assert np.all(np.array(best) <= np.array([fit.rss for fit in greedy_sequence]) * (1 + 1e-12))


def test_twenty_columns_are_searched_exhaustively():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(50, 20))
    y = X[:, [2, 11, 17]].sum(axis=1) + 0.1 * rng.normal(size=50)
    np.testing.assert_array_equal(SubsetRegression().fit(X, y).subsets_[3].columns, [2, 11, 17])


def test_more_than_twenty_columns_go_forward_unless_asked_otherwise():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(60, 100))
    y = 3 * X[:, 40] - 2 * X[:, 70] + 0.1 * rng.normal(size=60)
    model = SubsetRegression(max_size=5).fit(X, y)
    assert {40, 70} <= set(model.support_)
    assert len(model.subsets_) == 6
    with pytest.raises(ValueError, match=r"2\*\*100 subsets, .* use search='forward', or Lasso"):
        SubsetRegression(search="exhaustive").fit(X, y)


def test_sparse_weighted_and_named_tables():
    X, y = planted()
    X[np.abs(X) < 1] = 0.0
    weight = np.random.default_rng(0).integers(0, 3, size=60)
    dense = SubsetRegression().fit(X, y, weight)
    repeated = SubsetRegression().fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    thin = SubsetRegression().fit(sparse.csc_matrix(X), y, weight)
    named = SubsetRegression().fit(pd.DataFrame(X, columns=list("abcdef")), y, weight)
    for other in (repeated, thin, named):
        np.testing.assert_array_equal(other.support_, dense.support_)
        np.testing.assert_allclose(other.coef_, dense.coef_, rtol=1e-9)
        np.testing.assert_allclose([s.bic for s in other.subsets_], [s.bic for s in dense.subsets_], rtol=1e-9)
    assert list(named.feature_names_in_) == list("abcdef")


def test_a_constant_target_needs_no_column():
    X, _ = planted()
    model = SubsetRegression().fit(X, np.full(60, 0.3))
    assert model.support_.size == 0
    assert model.intercept_ == pytest.approx(0.3)


@pytest.mark.parametrize(("coef", "support"), [((), ()), ((2.0,), (0,)), ((1.0, 0.0, -2.0), (0, 2))])
def test_a_fit_without_error_ends_the_search_at_the_smallest_subset(coef, support):
    """S-04, S-11: no subset is below zero and no smaller one reaches it, so none of the 2**18 is visited."""
    X = np.random.default_rng(0).normal(size=(50, 18))
    said = []
    with reporting(said.append, after=0.0, every=0.0):
        model = SubsetRegression("loo").fit(X, X[:, : len(coef)] @ np.array(coef))
    assert tuple(model.support_) == support
    assert said == []


def test_more_columns_than_rows_leave_a_residual_degree_of_freedom():
    X, y = planted(n=5, d=8)
    with pytest.warns(ChoiceWarning, match="as many as the rows allow"):
        model = SubsetRegression("aic").fit(X, y)
    assert max(len(subset.columns) for subset in model.subsets_) == 3
    assert all(np.isnan(subset.cp) for subset in model.subsets_)
    with pytest.raises(ValueError, match="give variance, or use criterion='bic' or 'loo'"):
        SubsetRegression("cp").fit(X, y)
    assert np.isfinite(SubsetRegression("cp", variance=1.0).fit(X, y).subsets_[0].cp)


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"criterion": "r2"}, "criterion must be one of 'bic', 'aic', 'cp', 'loo'; got 'r2'"),
        ({"search": "genetic"}, "search must be one of"),
        ({"max_size": -1}, "max_size must be a whole number >= 0"),
        ({"max_size": 2.5}, "max_size must be a whole number >= 0, got 2.5"),
        ({"variance": 0.0}, "variance must be finite and > 0, got 0.0; leave it None"),
    ],
)
def test_bad_settings_say_what_to_do(settings, reason):
    with pytest.raises(ValueError, match=reason):
        SubsetRegression(**settings).fit(*planted())


@pytest.mark.parametrize("criterion", ["bic", "loo"])
@pytest.mark.parametrize("search", ["exhaustive", "forward", "backward"])
def test_an_effect_of_a_millionth_of_the_signal_is_found(search, criterion):
    """Catalogue A-46: a hundred times the noise, though its square is what elimination loses of the total."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 6))
    y = X[:, 0] + X[:, 1] + 1e-6 * X[:, 5] + 1e-8 * rng.normal(size=100)
    model = SubsetRegression(criterion, search=search).fit(X, y)
    assert model.subsets_[3].columns == (0, 1, 5)
    np.testing.assert_array_equal(model.support_, [0, 1, 3, 5])


@pytest.mark.parametrize("criterion", ["bic", "aic", "cp", "loo"])
@pytest.mark.parametrize("factor", [2.0**480, 2.0**-480])
def test_the_unit_of_the_target_does_not_matter(criterion, factor):
    """Catalogue A-46: the same columns, and sums of squares in proportion."""
    rng = np.random.default_rng(6)
    X = rng.normal(size=(30, 4))
    y = X[:, 0] + rng.normal(size=30)
    plain, scaled = SubsetRegression(criterion).fit(X, y), SubsetRegression(criterion).fit(X, y * factor)
    np.testing.assert_array_equal(scaled.support_, plain.support_)
    for before, after in zip(plain.subsets_, scaled.subsets_, strict=True):
        assert after.columns == before.columns
        np.testing.assert_allclose(
            [after.rss / factor**2, after.loo / factor**2, after.cp / factor**2], [before.rss, before.loo, before.cp]
        )


@pytest.mark.parametrize("criterion", ["bic", "cp", "loo"])
@pytest.mark.parametrize("factor", [1e160, 1e-160, 1e-300])
def test_targets_whose_squares_leave_the_range_of_numbers_are_refused(criterion, factor):
    X, y = np.random.default_rng(6).normal(size=(30, 4)), np.arange(30.0)
    with pytest.raises(ValueError, match="squares leave the range of floating point numbers; rescale y"):
        SubsetRegression(criterion).fit(X, y * factor)


def test_columns_stored_twice_do_not_change_what_cp_chooses():
    """S-01: ten columns of rank five leave as many residual degrees of freedom as five."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(16, 5))
    y = X @ [1, 0.5, 0, 0, 0] + rng.normal(size=16)
    once, twice = SubsetRegression("cp").fit(X, y), SubsetRegression("cp").fit(np.c_[X, X], y)
    assert once.support_.tolist() == twice.support_.tolist() == [0, 2]
    assert twice.subsets_[0].cp == pytest.approx(once.subsets_[0].cp, rel=1e-10)


def test_standard_errors_after_the_choice_are_refused():
    rng = np.random.default_rng(1)
    model = SubsetRegression("aic").fit(rng.normal(size=(30, 4)), rng.normal(size=30))
    reason = "SubsetRegression chose its columns by criterion='aic' on these data, so classical"
    with pytest.raises(ValueError, match=reason):
        model.inference()
    assert f"No standard errors: {reason}" in " ".join(str(model.summary()).split())
    for name in ("inference", "summary"):
        with pytest.raises(NotFittedError):
            getattr(SubsetRegression(), name)()
