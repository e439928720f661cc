"""The compiled elastic-net loop and its plain-Python twin find the same point.  Catalogue A-22."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from surefit.compiled import door
from surefit.compiled.twins import coordinate

_native = pytest.importorskip("surefit._native", reason="compares with the compiled loops, which are not here")


def run(loop, A, t, threshold, ridge, positive, stop):
    gram, moment = A.T @ A, A.T @ t
    k = len(moment)
    coef, corr = np.zeros(k), moment.copy()
    answer = loop(
        gram, moment, float(t @ t), threshold, ridge, positive, stop, coef, corr,
        np.empty((k, k)), np.empty(k, dtype=np.int64), 0,
    )  # fmt: skip
    return coef, corr, answer


@given(
    seed=st.integers(0, 10_000),
    shape=st.sampled_from([(1, 1), (8, 3), (6, 12), (30, 30)]),
    level=st.sampled_from([0.5, 0.1, 0.01]),
    elastic=st.booleans(),
    positive=st.booleans(),
)
def test_the_twins_agree(seed, shape, level, elastic, positive):
    rng = np.random.default_rng(seed)
    A, t = rng.normal(size=shape), rng.normal(size=shape[0])
    top = np.max(np.abs(A.T @ t))
    threshold = level * top * rng.uniform(0.5, 1.5, shape[1])
    ridge = rng.uniform(0, 1, shape[1]) if elastic else np.zeros(shape[1])
    stop = (1e-10 * float(t @ t), 500)
    found = [run(loop, A, t, threshold, ridge, positive, stop) for loop in _loops()]
    for coef, corr, (gap, _, _) in found:
        assert gap <= stop[0]
        np.testing.assert_allclose(corr, A.T @ (t - A @ coef), atol=1e-10 * top)
    np.testing.assert_allclose(found[0][0] @ A.T, found[1][0] @ A.T, atol=2e-5 * np.linalg.norm(t))


def _loops():
    return door.gram_descent, coordinate.gram_descent


@pytest.mark.parametrize("loop", _loops())
def test_dependent_columns_do_not_stop_the_newton_steps(loop):
    rng = np.random.default_rng(1)
    A = rng.normal(size=(20, 4))
    A = np.hstack([A, A, np.zeros((20, 1))])
    t = rng.normal(size=20)
    coef, _, (gap, _, _) = run(loop, A, t, np.full(9, 0.1), np.zeros(9), False, (1e-9, 2000))
    assert gap <= 1e-9
    assert coef[8] == 0.0


@pytest.mark.parametrize("loop", _loops())
@pytest.mark.parametrize("positive", [False, True])
@pytest.mark.parametrize("ridge", [0.0, 1e-9])
def test_columns_that_hardly_differ_join_one_at_a_time(loop, positive, ridge):
    """Sixty powers on a short interval, from zero in one go: thousands of sweeps would not do."""
    rng = np.random.default_rng(4)
    A = rng.uniform(0, 1, 200)[:, None] ** np.arange(1, 61)
    t = np.sin(30 * A[:, 0]) + rng.normal(size=200)
    threshold = np.full(60, 1e-3 * np.max(np.abs(A.T @ t)))
    stop = (1e-8 * float(t @ t), 1000)
    coef, corr, (gap, rounds, _) = run(loop, A, t, threshold, np.full(60, ridge), positive, stop)
    assert gap <= stop[0]
    assert rounds < 200
    np.testing.assert_allclose(corr, A.T @ (t - A @ coef), atol=1e-8 * np.linalg.norm(t))


@pytest.mark.parametrize("loop", _loops())
def test_a_gap_that_rounding_forbids_ends_the_search(loop):
    rng = np.random.default_rng(5)
    A, t = rng.normal(size=(50, 10)), rng.normal(size=50)
    _, _, (gap, rounds, _) = run(loop, A, t, np.full(10, 0.1), np.zeros(10), False, (-1.0, 1000))
    assert gap <= 1e-13 * float(t @ t)
    assert rounds < 100


@pytest.mark.parametrize("loop", _loops())
def test_unpenalised_coordinates_solve_least_squares(loop):
    rng = np.random.default_rng(2)
    A, t = rng.normal(size=(20, 4)), rng.normal(size=20)
    coef, corr, _ = run(loop, A, t, np.zeros(4), np.zeros(4), False, (1e-14, 100))
    np.testing.assert_allclose(coef, np.linalg.lstsq(A, t, rcond=None)[0], atol=1e-7)
    np.testing.assert_allclose(corr, 0.0, atol=1e-6)


def test_the_factor_follows_a_support_that_grows_and_shrinks():
    """Down the path and up again with one factor: the same points as from scratch."""
    rng = np.random.default_rng(3)
    A, t = rng.normal(size=(40, 25)), rng.normal(size=40)
    gram, moment, k = A.T @ A, A.T @ t, 25
    coef, corr, n_factor = np.zeros(k), moment.copy(), 0
    factor, order = np.empty((k, k)), np.empty(k, dtype=np.int64)
    down = np.max(np.abs(moment)) * np.logspace(-0.1, -2, 12)
    for level in [*down, *down[::-1]]:
        threshold, stop = np.full(k, level), (1e-13 * float(t @ t), 100)
        _, _, n_factor = door.gram_descent(
            gram, moment, float(t @ t), threshold, np.zeros(k), False, stop, coef, corr, factor, order, n_factor
        )
        alone, _, _ = run(coordinate.gram_descent, A, t, threshold, np.zeros(k), False, stop)
        np.testing.assert_allclose(coef, alone, atol=1e-6)


@pytest.mark.parametrize("broken", ["moment", "factor", "order"])
def test_the_door_refuses_shapes_that_do_not_fit(broken):
    arrays = {
        "moment": np.zeros(3), "factor": np.zeros((3, 3)), "order": np.zeros(3, dtype=np.int64), "n_factor": 0,
    }  # fmt: skip
    arrays |= {"moment": np.zeros(2)} if broken == "moment" else {}
    arrays |= {"factor": np.zeros((2, 2))} if broken == "factor" else {}
    arrays |= {"order": np.full(3, 7, dtype=np.int64), "n_factor": 1} if broken == "order" else {}
    with pytest.raises(ValueError, match="native loop"):
        _native.gram_descent(
            np.eye(3), arrays["moment"], 1.0, np.ones(3), np.zeros(3), False, (1e-6, 10), np.zeros(3), np.zeros(3),
            arrays["factor"], arrays["order"], arrays["n_factor"],
        )  # fmt: skip


@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("width", [1, 4, 8, 13])
def test_products_with_sparse_columns_equal_the_dense_ones(index, threads, width):
    rng = np.random.default_rng(width)
    X = sparse.random_array((40, 25), density=0.2, rng=rng, format="csc")
    R = rng.normal(size=(40, width))
    for loop in (door.column_products, coordinate.column_products):
        out = np.empty((25, width))
        loop(X.indptr.astype(index), X.indices.astype(index), X.data, R, threads, out)
        np.testing.assert_allclose(out, X.toarray().T @ R, atol=1e-13)


def test_sparse_columns_that_point_outside_are_refused():
    starts, rows = np.array([0, 1], dtype=np.int32), np.array([5], dtype=np.int32)
    with pytest.raises(ValueError, match="a row that is not there"):
        _native.column_products(starts, rows, np.ones(1), np.ones((3, 2)), 1, np.empty((1, 2)))


@pytest.mark.parametrize("positive", [False, True])
@pytest.mark.parametrize("loop", [door.column_descent, coordinate.column_descent])
def test_descent_on_sparse_columns_equals_descent_on_their_gram_matrix(loop, positive):
    rng = np.random.default_rng(8)
    X = sparse.random_array((50, 30), density=0.3, rng=rng, format="csc")
    y, weight = rng.normal(size=50), rng.integers(1, 4, 50).astype(float)
    total = float(weight.sum())
    shift = np.asarray(X.T @ weight) / total
    A = np.sqrt(weight)[:, None] * (X.toarray() - shift)
    raw = y - weight @ y / total
    threshold, ridge = rng.uniform(0.1, 1.0, 30), rng.uniform(0, 1, 30)
    coef, residual = np.zeros(30), raw.copy()
    left, _ = loop(
        X.indptr, X.indices, X.data, X.data * weight[X.indices], shift, np.sum(A**2, axis=0), threshold, ridge, total,
        positive, (1e-20, 10_000), coef, residual, float(weight @ raw),
    )  # fmt: skip
    t = np.sqrt(weight) * raw
    dense, _, _ = run(coordinate.gram_descent, A, t, threshold, ridge, positive, (1e-14, 500))
    np.testing.assert_allclose(coef, dense, atol=1e-6)
    np.testing.assert_allclose(residual, raw - X @ coef, atol=1e-12)
    assert left == pytest.approx(weight @ residual, abs=1e-9)


@pytest.mark.parametrize("loop", [_native.gram_descent, coordinate.gram_descent])
def test_free_coordinates_held_at_zero_by_their_sign_count_as_solved(loop):
    """A coordinate that must be ``>= 0`` and would rather be negative has nothing to gain."""
    none = np.zeros(2)
    coef, _, (gap, rounds, _) = run(loop, np.eye(2), np.array([1.0, -1.0]), none, none, True, (1e-12, 50))
    np.testing.assert_allclose(coef, [1.0, 0.0])
    assert gap <= 1e-12
    assert rounds <= 2
