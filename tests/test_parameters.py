"""Losses and penalties are values: they print, compare, hash and copy by their parameters."""

import copy
import pickle

import numpy as np
import pytest
from sklearn.base import BaseEstimator, clone

from surefit import ElasticNet as ElasticNetModel
from surefit import KernelLogistic, KernelRidge, Lasso, LogisticRegression, Ridge, lasso_path
from surefit.objective import L1, ElasticNet, EpsilonInsensitive, Huber, PNorm, Power, Squared
from surefit.parameters import (
    all_numbers,
    checked_grid,
    finite_matrix,
    finite_vector,
    non_negative,
    positive,
    whole,
    within,
)

THINGS = [Squared(), Huber(0.5), Power(1.5), EpsilonInsensitive(0.2), L1(), ElasticNet(0.3), PNorm(3.0)]


@pytest.mark.parametrize("thing", THINGS, ids=repr)
def test_copies_are_equal_and_print_alike(thing):
    for twin in (copy.deepcopy(thing), pickle.loads(pickle.dumps(thing))):
        assert twin == thing
        assert hash(twin) == hash(thing)
        assert repr(twin) == repr(thing)


def test_repr_is_the_call_that_makes_the_object():
    assert repr(Huber(0.5)) == "Huber(threshold=0.5)"
    assert eval(repr(ElasticNet(0.3))) == ElasticNet(0.3)


def test_different_parameters_or_classes_are_not_equal():
    assert Huber(0.5) != Huber(1.0)
    assert Power(2.0) != Squared()
    assert len({Huber(0.5), Huber(0.5), Huber(1.0)}) == 2


class Holder(BaseEstimator):
    def __init__(self, loss=None):
        self.loss = loss


def test_scikit_learn_clones_and_prints_an_estimator_that_holds_a_loss():
    twin = clone(Holder(Huber(0.7)))
    assert twin.loss == Huber(0.7)
    assert repr(twin) == "Holder(loss=Huber(threshold=0.7))"


@pytest.mark.parametrize("value", [-1.0, float("nan"), float("inf")])
def test_checks_refuse_what_is_no_size_and_end_with_the_remedy(value):
    with pytest.raises(ValueError, match=r"got .*; do this"):
        non_negative("lam", value, "do this")
    with pytest.raises(ValueError, match=r"got .*; do this"):
        positive("lam", value, "do this")


def test_zero_is_non_negative_but_not_positive():
    assert non_negative("lam", 0, "") == 0.0
    with pytest.raises(ValueError, match="lam must be finite and > 0, got 0; do this"):
        positive("lam", 0, "do this")


@pytest.mark.parametrize("lams", [[], [0.1, -1.0], [np.nan], [np.inf], 0.5, "12", [[0.1], [0.2]], [0.1, "much"], None])
def test_a_grid_that_is_no_list_of_sizes_is_refused_with_one_message(lams):
    for zero, sign in ((True, ">="), (False, ">")):
        with pytest.raises(
            ValueError, match=rf"^lams must be a list of finite numbers {sign} 0, got .*; leave it None"
        ):
            checked_grid(lams, zero=zero)


def test_a_grid_keeps_its_order_and_may_be_any_iterable():
    for lams in ([3, 1, 2], (3, 1, 2), np.array([3, 1, 2]), iter([3, 1, 2])):
        np.testing.assert_array_equal(checked_grid(lams), [3.0, 1.0, 2.0])


def test_zero_is_in_a_grid_only_where_it_is_allowed():
    np.testing.assert_array_equal(checked_grid([0.0]), [0.0])
    with pytest.raises(ValueError, match=r"> 0, got \[0.0\]"):
        checked_grid([0.0], zero=False)


@pytest.mark.parametrize("model", [Ridge, Lasso, ElasticNetModel, KernelRidge, LogisticRegression, KernelLogistic])
@pytest.mark.parametrize("lams", [[0.1, -1.0], "12", 0.5, []])
def test_every_estimator_refuses_a_bad_grid_with_the_same_words(model, lams):
    X, y = np.arange(12.0)[:, None], np.arange(12) % 2
    with pytest.raises(ValueError, match=r"^lams must be a list of finite numbers >=? 0, got .*; leave it None"):
        model(lams=lams).fit(X, y)


def test_a_path_refuses_a_bad_grid_with_the_same_words():
    with pytest.raises(ValueError, match=r"^lams must be a list of finite numbers >= 0, got 0.5; leave it None"):
        lasso_path(np.arange(4.0)[:, None], np.arange(4.0), lams=0.5)


@pytest.mark.parametrize("value", [None, "a", "1", b"1", [1.0, 2.0], 1j, object()])
def test_what_is_no_number_is_refused_by_every_check(value):
    for check in (
        lambda: positive("size", value, "do this"),
        lambda: non_negative("size", value, "do this"),
        lambda: whole("size", value, "do this"),
        lambda: within("size", value, (0, 2), "do this"),
    ):
        with pytest.raises(ValueError, match=r"^size must be a (number|whole number >= 1), got .*; do this$"):
            check()


def test_whole_numbers_are_kept_exactly_and_have_a_least_one():
    assert whole("n", 10**17 + 1, "") == 10**17 + 1
    assert whole("n", np.uint8(3), "") == whole("n", 3.0, "") == 3
    assert whole("n", 0, "", least=0) == 0
    for value in (0, -(10**400), 10**400, 0.5, float("nan"), float("inf")):
        with pytest.raises(ValueError, match=r"^n must be a whole number >= 1, got .*; do this$"):
            whole("n", value, "do this")


def test_an_interval_contains_its_ends():
    assert within("c", -1, (-1, 1), "") == -1.0
    for value in (1.01, -2, float("nan"), float("inf")):
        with pytest.raises(ValueError, match=r"^c must be in \[-1, 1\], got .*; do this$"):
            within("c", value, (-1, 1), "do this")


@pytest.mark.parametrize("values", [None, "12", [None], [np.nan], [[1.0], [1.0, 2.0]], ["a"], np.inf])
def test_arrays_hold_finite_numbers_only(values):
    for check in (all_numbers, finite_vector, finite_matrix):
        with pytest.raises(ValueError, match=r"^x must be finite numbers, got .*; do this$"):
            check("x", values, "do this")


def test_shapes_are_asked_for_by_name():
    assert all_numbers("x", 3, "").shape == ()
    for check, values in ((finite_vector, 3.0), (finite_vector, []), (finite_matrix, [1.0]), (finite_matrix, [[]])):
        with pytest.raises(ValueError, match=r"^x must be a (vector|matrix) .*got shape .*; do this$"):
            check("x", values, "do this")
