"""One record of a choice on every model that chooses: always set, and the old names read it."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import KFold

from surefit import (
    ElasticNet,
    KernelERM,
    KernelLogistic,
    KernelRidge,
    Lasso,
    LogisticRegression,
    Ridge,
    SubsetRegression,
)
from surefit.kernels import Gaussian, Laplace
from surefit.selection.choice import LamChoice
from surefit.selection.record import Selection

pytestmark = pytest.mark.filterwarnings("ignore:.*lam of its grid:surefit.warnings.ChoiceWarning")

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 4))
Y = X[:, 0] + 0.5 * X[:, 1] + 0.3 * RNG.normal(size=60)
LABELS = np.where(X[:, 0] + RNG.logistic(size=60) > 0, "yes", "no")
GRID = [10.0, 1.0, 0.1, 0.01]
OLD = ("lam_path_", "criterion_path_", "criterion_se_", "lam_min_", "lam_1se_")
REGRESSORS = [Ridge(), Lasso(), ElasticNet(), KernelRidge(), KernelERM()]
CLASSIFIERS = [LogisticRegression(), KernelLogistic()]
MODELS = [(model, Y) for model in REGRESSORS] + [(model, LABELS) for model in CLASSIFIERS]
every = pytest.mark.parametrize(("model", "y"), MODELS, ids=[type(model).__name__ for model, _ in MODELS])


@every
def test_the_old_names_read_the_record(model, y):
    fitted = clone(model).set_params(lams=GRID).fit(X, y)
    found = fitted.selection_
    np.testing.assert_array_equal(fitted.lam_path_, found.grid)
    np.testing.assert_array_equal(fitted.criterion_path_, found.curve)
    np.testing.assert_array_equal(fitted.criterion_se_, found.se)
    assert (fitted.lam_min_, fitted.lam_1se_, fitted.lam_) == (found.minimum, found.one_se, found.chosen)
    assert found.value == found.curve[found.grid.tolist().index(fitted.lam_)] == found.curve.min()
    assert found.constant > found.value


@every
def test_nothing_is_chosen_where_lam_is_given_and_nothing_stale_is_left(model, y):
    fitted = clone(model).set_params(lams=GRID).fit(X, y).set_params(lam=0.1, lams=None).fit(X, y)
    assert fitted.selection_ is None
    for name in (*OLD, "dof_path_", "path_"):
        assert not hasattr(fitted, name)
        with pytest.raises(AttributeError, match=f"has no {name}, because lam was not chosen; fit with lam=None"):
            getattr(fitted, name)


@every
def test_before_fit_there_is_no_record_and_the_error_says_so(model, y):
    with pytest.raises(AttributeError, match=r"is not fitted yet, so it has no lam_path_; call fit\(X, y\) first"):
        _ = clone(model).lam_path_


@every
def test_lam_and_a_grid_to_choose_it_from_are_not_given_together(model, y):
    with pytest.raises(ValueError, match=r"^give lam or lams, not both: lam is one penalty, lams is a grid to choose"):
        clone(model).set_params(lam=0.1, lams=GRID).fit(X, y)


def test_a_radius_decides_lam_alone():
    for given in ({"lam": 0.1}, {"lams": GRID}):
        with pytest.raises(ValueError, match=r"not both: .*radius decides it"):
            Ridge(radius=1.0, **given).fit(X, Y)


@every
def test_the_same_three_settings_choose_everywhere(model, y):
    """criterion="cv" with the same folds; one standard error is a simpler model of nearly the same criterion."""
    least, simple = (
        clone(model).set_params(lams=GRID, criterion="cv", cv=KFold(3), select=select).fit(X, y)
        for select in ("min", "one_se")
    )
    np.testing.assert_array_equal(least.criterion_path_, simple.criterion_path_)
    assert least.lam_ == least.lam_min_ <= simple.lam_ == simple.lam_1se_
    assert least.selection_.chosen_by == "cross-validation"
    assert simple.selection_.chosen_by == "cross-validation, one SE"
    reach = least.selection_.curve.min() + least.criterion_se_[least.criterion_path_.argmin()]
    assert simple.lam_ == least.lam_path_[least.criterion_path_ <= reach].max()


@every
def test_a_wrong_word_is_told_the_right_ones(model, y):
    with pytest.raises(ValueError, match=r"criterion must be one of .*'cv'.*; got 'vc'"):
        clone(model).set_params(criterion="vc").fit(X, y)
    with pytest.raises(ValueError, match="select must be one of 'min', 'one_se'; got 'best'"):
        clone(model).set_params(select="best").fit(X, y)


def test_a_criterion_without_a_standard_error_has_no_such_choice():
    with pytest.raises(ValueError, match="'bic' has none; use criterion='cv', or select='min'"):
        Lasso(criterion="bic", select="one_se").fit(X, Y)
    with pytest.raises(ValueError, match="no leave-one-out is exact for these losses"):
        KernelLogistic(criterion="loo").fit(X, LABELS)


@every
def test_the_record_travels_with_the_model(model, y):
    fitted = clone(model).set_params(lams=GRID).fit(X, y)
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.criterion_path_, fitted.criterion_path_)


def test_every_kernel_that_was_compared_is_in_the_record():
    kernels = [Gaussian(0.3), Gaussian(3.0), Laplace(2.0)]
    model = KernelRidge(kernels).fit(X, Y)
    alone = [KernelRidge(kernel).fit(X, Y).criterion_path_.min() for kernel in kernels]
    assert [kernel for kernel, _ in model.selection_.candidates] == kernels
    np.testing.assert_allclose([least for _, least in model.selection_.candidates], alone, rtol=1e-9)
    assert model.kernel_ == kernels[int(np.argmin(alone))]
    at_one = KernelRidge(kernels, lam=0.1).fit(X, Y)
    assert at_one.lam_path_.tolist() == [0.1]
    assert KernelRidge(kernels[0], lam=0.1).fit(X, Y).selection_ is None


def test_a_subset_chooses_a_number_of_columns():
    model = SubsetRegression("bic").fit(X, Y)
    found = model.selection_
    assert found.parameter == "columns"
    assert found.grid.tolist() == [0, 1, 2, 3, 4]
    np.testing.assert_array_equal(found.curve, [one.bic for one in model.subsets_])
    assert found.chosen == len(model.support_) == 2
    assert found.constant == found.curve[0]


def test_the_record_prints_and_becomes_a_frame():
    model = Ridge(lams=GRID).fit(X, Y)
    text = " ".join(str(model.selection_).split())
    assert "Chosen by exact leave-one-out" in text
    assert "Degrees of freedom" in text
    frame = model.selection_.to_frame()
    assert frame.index.name == "lam"
    np.testing.assert_array_equal(frame["criterion"], model.criterion_path_)
    np.testing.assert_array_equal(frame["dof"], model.dof_path_)
    assert "<table" in model.selection_._repr_html_()


def test_an_end_of_the_grid_is_called_so():
    nothing = np.full(3, np.nan)
    at = lambda curve: Selection.of(LamChoice(np.array([1.0, 2.0, 3.0]), np.array(curve), nothing), "cv", "min").end
    assert (at([1.0, 2.0, 3.0]), at([2.0, 1.0, 3.0]), at([3.0, 2.0, 1.0])) == ("smallest", None, "largest")
