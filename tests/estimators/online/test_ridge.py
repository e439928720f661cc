"""`Ridge.partial_fit`: the batch answer at any moment, and what a stream does not keep."""

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from benchmarks.nist_data import read_set
from surefit import LeastSquares, Ridge
from surefit.store.file import load, save


def streamed(model, X, y, cuts, weight=None):
    start = 0
    for cut in [*cuts, len(y)]:
        block = slice(start, start + cut)
        if start < len(y):
            model.partial_fit(X[block], y[block], None if weight is None else weight[block])
        start += cut
    return model


def table(n=300, d=6, condition=1e4, seed=0):
    rng = np.random.default_rng(seed)
    U, _ = np.linalg.qr(rng.normal(size=(n, d)))
    V, _ = np.linalg.qr(rng.normal(size=(d, d)))
    X = np.sqrt(n) * (U * np.geomspace(1, 1 / condition, d)) @ V + rng.normal(size=d)
    return X, X @ rng.normal(size=d) + rng.normal(size=n)


@pytest.mark.parametrize("cuts", [[], [1] * 15, [3, 8], [7, 1, 4]])
def test_longley_is_the_batch_fit_for_every_partition(cuts):
    """A-02, A-09: to 1e-12 relative, with and without a penalty."""
    longley = read_set("Longley")
    for lam in (0.0, 1e-3):
        batch = Ridge(lam=lam).fit(longley.X, longley.y)
        found = streamed(Ridge(lam=lam), longley.X, longley.y, cuts)
        np.testing.assert_allclose(found.coef_, batch.coef_, rtol=1e-12)
        np.testing.assert_allclose(found.intercept_, batch.intercept_, rtol=1e-12)


@pytest.mark.parametrize("condition", [1.0, 1e2, 1e4])
@pytest.mark.parametrize("lam", [0.0, 1e-6])
def test_up_to_a_condition_of_ten_thousand_no_digit_is_lost(condition, lam):
    X, y = table(condition=condition)
    batch, found = Ridge(lam=lam).fit(X, y), streamed(Ridge(lam=lam), X, y, [13, 100, 1])
    np.testing.assert_allclose(found.coef_, batch.coef_, rtol=1e-12)
    assert found.solution_.facts["n"] == 300
    assert found.solution_.gap < 1e-20 * found.solution_.objective
    assert found.solution_.objective == pytest.approx(batch.solution_.objective, rel=1e-9)


def test_the_coefficients_are_there_after_every_block_and_change_with_it():
    X, y = table()
    model = Ridge(lam=0.1)
    for start, end in ((0, 5), (5, 20), (20, 300)):
        model.partial_fit(X[start:end], y[start:end])
        np.testing.assert_allclose(model.coef_, Ridge(lam=0.1).fit(X[:end], y[:end]).coef_, rtol=1e-10)
        check_is_fitted(model)
    np.testing.assert_allclose(model.predict(X), Ridge(lam=0.1).fit(X, y).predict(X))


@pytest.mark.parametrize("standardise", [False, True])
def test_weights_targets_frames_and_sparse_rows_are_as_in_fit(standardise):
    X, y = table()
    Y, weight = np.column_stack([y, X[:, 0] ** 2]), np.random.default_rng(0).integers(0, 4, 300).astype(float)
    options = {"lam": 0.05, "standardise": standardise}
    batch = Ridge(**options).fit(X, Y, weight)
    np.testing.assert_allclose(streamed(Ridge(**options), X, Y, [40, 3], weight).coef_, batch.coef_, rtol=1e-9)
    frame = pd.DataFrame(X, columns=list("abcdef"))
    model = Ridge(**options).partial_fit(frame[:100], y[:100]).partial_fit(frame[100:], y[100:])
    np.testing.assert_allclose(model.coef_, Ridge(**options).fit(frame, y).coef_, rtol=1e-9)
    assert model.feature_names_in_.tolist() == list("abcdef")
    thin = Ridge(**options).partial_fit(sparse.csr_matrix(X), y)
    np.testing.assert_allclose(thin.coef_, model.coef_, rtol=1e-12)
    single = Ridge(**options).partial_fit(X.astype(np.float32), y)
    assert single.coef_.dtype == np.float32


def test_forgetting_follows_a_stream_that_drifts():
    """The truth jumps after 2,000 rows: the model that forgets is near the new one, the other between the two."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(3000, 2))
    y = np.where(np.arange(3000) < 2000, X @ [1.0, 0.0], X @ [-1.0, 0.0]) + 0.1 * rng.normal(size=3000)
    keeps, forgets = (streamed(Ridge(lam=0.0, forget=f), X, y, [500] * 6) for f in (1.0, 0.99))
    assert abs(forgets.coef_[0] + 1) < 0.1
    assert keeps.coef_[0] > 0


def test_a_stored_model_goes_on_bit_for_bit(tmp_path):
    X, y = table()
    model = streamed(Ridge(lam=0.01), X[:150], y[:150], [50])
    save(model, tmp_path / "ridge.surefit")
    for stored in (load(tmp_path / "ridge.surefit"), pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(stored.coef_, model.coef_)
        again = pickle.loads(pickle.dumps(model)).partial_fit(X[150:], y[150:])
        np.testing.assert_array_equal(stored.partial_fit(X[150:], y[150:]).coef_, again.coef_)


def test_fit_and_stream_do_not_mix_silently():
    X, y = table()
    fitted = Ridge(lam=0.1).fit(X[:100], y[:100])
    gone = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_allclose(fitted.partial_fit(X[100:], y[100:]).coef_, Ridge(lam=0.1).fit(X, y).coef_, rtol=1e-12)
    with pytest.raises(ValueError, match="are not there any more"):
        gone.partial_fit(X, y)
    model = Ridge(lam=0.1).partial_fit(X, y)
    again = model.fit(X[:100], y[:100])
    np.testing.assert_array_equal(again.coef_, Ridge(lam=0.1).fit(X[:100], y[:100]).coef_)
    assert again.leave_one_out().residuals.shape == (100,)


def test_what_needs_the_rows_is_refused_and_the_rest_works():
    X, y = table()
    model = Ridge(lam=0.1).partial_fit(X[:200], y[:200])
    for refused in (model.inference, model.summary, model.leave_one_out, lambda: model.predict_interval(X)):
        with pytest.raises(ValueError, match="a stream keeps none; fit to rows in memory"):
            refused()
    with pytest.raises(ValueError, match="give X_test and y_test"):
        model.certificate()
    assert "held-out rows" in model.certificate(X[200:], y[200:]).statement
    assert model.score(X, y) == pytest.approx(LeastSquares().fit(X[:200], y[:200]).score(X, y), abs=0.05)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (Ridge(lam=0.1, forget=0.0), "forgets every row"),
        (Ridge(lam=0.1, forget=1.5), "forget must be in"),
        (Ridge(lam=0.1, standardise=True, fit_intercept=False), "needs fit_intercept=True"),
        (Ridge(lam=-1.0), "lam must be"),
    ],
)
def test_settings_that_a_stream_cannot_have_are_refused(model, message):
    with pytest.raises(ValueError, match=message):
        model.partial_fit([[1.0], [2.0]], [1.0, 2.0])


@pytest.mark.parametrize("model", [Ridge(), Ridge(radius=1.0)])
def test_without_lam_there_is_no_partial_fit(model):
    assert not hasattr(model, "partial_fit")
    with pytest.raises(AttributeError) as error:
        model.partial_fit([[1.0], [2.0]], [1.0, 2.0])
    assert "give lam" in str(error.value)


def test_a_block_with_nan_or_other_columns_changes_nothing():
    X, y = table()
    model = Ridge(lam=0.1).partial_fit(X, y)
    before = model.coef_
    broken = X.copy()
    broken[3, 2] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        model.partial_fit(broken, y)
    with pytest.raises(ValueError, match="features"):
        model.partial_fit(X[:, :3], y)
    with pytest.raises(ValueError, match="2 columns, the rows before had 1"):
        model.partial_fit(X, np.column_stack([y, y]))
    np.testing.assert_array_equal(model.coef_, before)


def test_a_number_that_swallows_all_others_is_refused_with_its_block(tmp_path):
    """1e20 among units; a column whose numbers are all so large is let in."""
    X, y = table(100)
    model = Ridge(lam=0.1).partial_fit(X[:50], y[:50])
    before = model.coef_
    save(model, tmp_path / "r.surefit")
    for one in (model, load(tmp_path / "r.surefit")):
        broken = X[50:].copy()
        broken[7, 2] = -1e20
        with pytest.raises(ValueError, match=r"row 7 of the block has 1e\+20 in column 2, beyond .*drop that row"):
            one.partial_fit(broken, y[50:])
        with pytest.raises(ValueError, match="in the target"):
            one.partial_fit(X[50:], np.full(50, 1e20))
        np.testing.assert_array_equal(one.coef_, before)
        one.partial_fit(broken, y[50:], (np.arange(50) != 7).astype(float))
    large = Ridge(lam=0.0).partial_fit(1e18 + 1e9 * X[:, :1], y)
    assert large.coef_[0] == pytest.approx(Ridge(lam=0.0).fit(1e18 + 1e9 * X[:, :1], y).coef_[0], rel=1e-6)


def test_a_first_row_that_swallows_all_others_is_found_when_the_next_comes():
    X, y = table(100)
    X[0, 3] = 1e20
    model = Ridge(lam=0.1)
    with pytest.raises(ValueError, match="row 0 of the block has"):
        model.partial_fit(X, y)
    model.partial_fit(X[:1], y[:1])
    with pytest.raises(ValueError, match=r"an earlier block has 1e\+20 in column 3, .*start a new model"):
        model.partial_fit(X[1:], y[1:])
    assert Ridge(lam=0.1).partial_fit(X[1:], y[1:]).solution_.facts["n"] == 99


def test_fit_refuses_to_forget_and_names_the_weights_that_do_the_same():
    X, y = table(100)
    with pytest.raises(ValueError, match=r"forget=0.97 is for partial_fit.*sample_weight=forget \*\* np.arange"):
        Ridge(lam=0.1, forget=0.97).fit(X, y)
    same = Ridge(lam=0.1).fit(X, y, 0.97 ** np.arange(100)[::-1])
    np.testing.assert_allclose(Ridge(lam=0.1, forget=0.97).partial_fit(X, y).coef_, same.coef_, rtol=1e-9)


def test_digits_in_text_are_refused_as_on_every_stream():
    model = Ridge(lam=0.1).partial_fit([[1.0], [2.0]], [1.0, 2.0])
    with pytest.raises(ValueError, match=r"row 1 of the block has '2.5' in column 'a', which is text"):
        Ridge(lam=0.1).partial_fit(pd.DataFrame({"a": [1.0, "2.5"]}), [1.0, 2.0])
    with pytest.raises(ValueError, match=r"row 0 of the block has '1' in the target"):
        model.partial_fit([[1.0], [2.0]], ["1", 2.0])
    assert model.solution_.facts["n"] == 2
