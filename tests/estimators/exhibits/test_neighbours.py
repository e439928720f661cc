"""Nearest neighbours: the ends of the story, ties, weights, and scikit-learn where there are no ties."""

import tracemalloc

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

from surefit import NearestNeighbourClassifier, NearestNeighbourRegressor
from surefit.progress import reporting

X1, Y1 = np.array([[0.0], [1], [2], [3]]), np.array([1.0, 3, 2, 5])


def test_two_neighbours_of_the_printed_point():
    """A-42: FX1, k = 2 at 1.4: (3 + 2) / 2 = 2.5."""
    assert NearestNeighbourRegressor(2).fit(X1, Y1).predict([[1.4]]).tolist() == [2.5]


def test_one_neighbour_interpolates_and_all_give_the_mean():
    """A-42: the two ends of overfitting."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((30, 3)), rng.standard_normal(30)
    np.testing.assert_array_equal(NearestNeighbourRegressor(1).fit(X, y).predict(X), y)
    np.testing.assert_allclose(NearestNeighbourRegressor(30).fit(X, y).predict(X), y.mean())
    labels = (y > 0.5).astype(int)
    assert NearestNeighbourClassifier(1).fit(X, labels).score(X, labels) == 1
    assert set(NearestNeighbourClassifier(30).fit(X, labels).predict(X)) == {0}


@pytest.mark.parametrize("d", [2, 20])
def test_equals_scikit_learn_where_distances_differ(d):
    rng = np.random.default_rng(1)
    X, y, Z = rng.standard_normal((200, d)), rng.standard_normal(200), rng.standard_normal((50, d))
    ours, theirs = NearestNeighbourRegressor(7).fit(X, y), KNeighborsRegressor(7).fit(X, y)
    np.testing.assert_allclose(ours.predict(Z), theirs.predict(Z), rtol=1e-12)
    labels = np.digitize(y, [-0.5, 0.5])
    ours, theirs = NearestNeighbourClassifier(7).fit(X, labels), KNeighborsClassifier(7).fit(X, labels)
    np.testing.assert_allclose(ours.predict_proba(Z), theirs.predict_proba(Z), atol=1e-12)


def test_rows_at_the_same_distance_share_what_is_left():
    """A-42, ties: at 1.5 the two nearest are 1 and 2, then 0 and 3; k = 3 takes half of each of the latter."""
    weights = NearestNeighbourRegressor(3).fit(X1, Y1).neighbour_weights([[1.5]]).toarray()
    np.testing.assert_allclose(weights, [[1 / 6, 1 / 3, 1 / 3, 1 / 6]])
    assert NearestNeighbourRegressor(1).fit(X1, Y1).predict([[1.5]])[0] == 2.5
    many = np.zeros((500, 1))
    assert NearestNeighbourRegressor(1).fit(many, np.arange(500.0)).predict([[7.0]])[0] == pytest.approx(249.5)


def test_the_order_of_the_rows_does_not_matter():
    rng = np.random.default_rng(2)
    X, y, Z = rng.integers(0, 4, (60, 2)), rng.standard_normal(60), rng.integers(0, 4, (20, 2))
    order = rng.permutation(60)
    one, other = NearestNeighbourRegressor(5).fit(X, y), NearestNeighbourRegressor(5).fit(X[order], y[order])
    np.testing.assert_allclose(one.predict(Z), other.predict(Z), rtol=1e-12)


def test_integer_weights_are_repetitions():
    rng = np.random.default_rng(3)
    X, y, weight = rng.integers(0, 5, (30, 2)), rng.standard_normal(30), rng.integers(0, 4, 30)
    once = NearestNeighbourRegressor(4).fit(X, y, weight)
    again = NearestNeighbourRegressor(4).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    np.testing.assert_allclose(once.predict(X), again.predict(X), rtol=1e-12)


def test_light_rows_make_the_search_go_further():
    light = NearestNeighbourRegressor(2).fit(X1, Y1, sample_weight=np.full(4, 0.5))
    np.testing.assert_allclose(light.predict([[9.0]]), Y1.mean())


def test_equal_votes_go_to_the_first_class():
    assert NearestNeighbourClassifier(2).fit(X1, ["b", "a", "b", "a"]).predict([[0.5]]).tolist() == ["a"]


@pytest.mark.parametrize(("k", "message"), [(5, "exceeds the total weight"), (0, "whole number >= 1"), (1.5, "whole")])
def test_impossible_numbers_of_neighbours_are_refused(k, message):
    """A-42: k > n."""
    with pytest.raises(ValueError, match=message):
        NearestNeighbourRegressor(k).fit(X1, Y1)


def test_long_searches_report_progress():
    said = []
    with reporting(said.append, after=0.0, every=0.0):
        NearestNeighbourRegressor(1).fit(X1, Y1).predict(np.zeros((3000, 1)))
    assert [one.step for one in said] == [0, 1024, 2048]


@pytest.mark.parametrize("scale", [1e-200, 1e-5, 1e5, 1e200])
def test_units_do_not_change_who_is_near(scale):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 2))
    y = (X[:, 0] > 0).astype(int)
    for model in (NearestNeighbourRegressor(), NearestNeighbourClassifier()):
        near = model.fit(X, y).predict(X + 0.1)
        np.testing.assert_array_equal(model.fit(X * scale, y).predict((X + 0.1) * scale), near)


def test_many_copies_of_few_points_take_little_memory():
    """A column of zeros and ones has two points, however many rows."""
    X = np.arange(20_000)[:, None] % 2 * 1.0
    y = np.arange(20_000) % 4 == 1
    tracemalloc.start()
    share = NearestNeighbourClassifier(5).fit(X, y).predict_proba(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    np.testing.assert_allclose(share[:2], [[1.0, 0.0], [0.5, 0.5]])
    assert peak < 50e6


def test_the_averaging_matrix_gives_the_predictions():
    rng = np.random.default_rng(1)
    X, y = rng.integers(0, 4, (50, 2)).astype(float), rng.standard_normal(50)
    weight = rng.uniform(0.5, 2.0, 50)
    model = NearestNeighbourRegressor(3).fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(model.neighbour_weights(X) @ y, model.predict(X), atol=1e-12)
