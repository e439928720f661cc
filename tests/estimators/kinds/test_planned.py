"""`plan` before a fit and `explain` after it, on every model; the solver that was planned is the one that ran."""

import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import KFold

from surefit import (
    ERM,
    SVC,
    ElasticNet,
    KernelLogistic,
    KernelRidge,
    KernelRidgeClassifier,
    Lasso,
    LeastSquares,
    LogisticRegression,
    Ridge,
    RobustRegression,
)
from surefit.estimators.kinds.planned import n_folds
from surefit.kernels import Gaussian
from surefit.objective import L1, Huber
from tests.properties.models import IN_MEMORY, target_for

RNG = np.random.default_rng(3)
X = RNG.normal(size=(60, 3))
Y = X @ [1.0, -2.0, 0.5] + RNG.normal(size=60)
LABELS = np.where(Y + RNG.normal(size=60) > 0, "yes", "no")
THREE = np.array(["a", "b", "c"])[np.digitize(Y, [-1.0, 1.0])]
OTHERS = [
    (LeastSquares(solver="gradient"), Y),
    (Lasso(), Y),
    (ElasticNet(criterion="bic"), Y),
    (RobustRegression("absolute"), Y),
    (ERM(Huber(1.0), L1(), lam=0.1), Y),
    (LogisticRegression(), THREE),
    (KernelRidge([Gaussian(1.0), Gaussian(2.0)]), Y),
    (KernelRidge(Gaussian(2.0), 0.1, solver="nystroem", n_landmarks=20), Y),
    (SVC(Gaussian(2.0), 0.1), THREE),
]
"""Other solvers, and choices of ``lam`` and of a kernel."""
PLANNED = [one for one in IN_MEMORY if hasattr(one, "plan")]
MODELS = [*((one, target_for(one, Y, LABELS, THREE)) for one in PLANNED), *OTHERS]
each_model = pytest.mark.parametrize(("model", "y"), MODELS, ids=lambda one: repr(one) if hasattr(one, "fit") else "")


@each_model
def test_a_plan_has_a_solver_memory_seconds_and_a_reason(model, y):
    classes = len(np.unique(y)) if y.dtype.kind == "U" else 1
    plan = model.plan(X, n_outputs=classes)
    assert plan.memory_bytes > 0
    assert 0 < plan.seconds < 60
    assert plan.reason
    assert plan == model.plan(60, 3, n_outputs=classes) == model.plan((60, 3), n_outputs=classes)
    assert str(plan).startswith(f"{plan.solver}: ")
    larger = model.plan(6_000, 12, n_outputs=classes)
    assert larger.memory_bytes > plan.memory_bytes
    assert larger.work.operations > plan.work.operations


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@each_model
def test_explain_says_what_ran_and_why_and_how_it_ended(model, y):
    classes = len(np.unique(y)) if y.dtype.kind == "U" else 1
    planned = model.plan(X, n_outputs=classes)
    model = clone(model).fit(X, y)
    text = model.explain()
    name, rest = text.split(": ", 1)
    assert ";" in rest
    spectral = getattr(model, "selection_", None) is not None and isinstance(
        model, Ridge | KernelRidge | KernelRidgeClassifier
    )
    assert name.startswith(planned.solver) or spectral or name == "gradient descent"
    assert ("was chosen by" in text) == (getattr(model, "selection_", None) is not None)
    assert pickle.loads(pickle.dumps(model)).explain() == text


@each_model
def test_a_model_that_was_not_fitted_has_nothing_to_explain(model, y):
    with pytest.raises(NotFittedError):
        type(model)().explain()


def test_the_choice_of_lam_is_part_of_the_plan():
    for given, chosen in [
        (Ridge(0.1), Ridge()),
        (Lasso(0.1), Lasso()),
        (LogisticRegression(0.1), LogisticRegression()),
        (KernelRidge(None, 0.1), KernelRidge()),
        (KernelLogistic(None, 0.1), KernelLogistic()),
    ]:
        assert chosen.plan(500, 5).work.operations > given.plan(500, 5).work.operations
    assert Lasso(cv=10).plan(500, 5).work.operations > Lasso(cv=5).plan(500, 5).work.operations


def test_a_limit_of_memory_can_be_written_with_its_unit():
    assert KernelRidge(memory="1GB").plan(50_000, 10) == KernelRidge(memory=1e9).plan(50_000, 10)
    assert KernelRidge(memory="1GB").plan(50_000, 10).memory_bytes <= 1e9
    with pytest.raises(ValueError, match="memory must be a number of bytes > 0 or a text such as '1GB', got 'lots'"):
        KernelRidge(memory="lots").plan(10, 2)


def test_a_sparse_table_is_planned_by_its_entries():
    thin = sparse.random_array((5_000, 200), density=0.01, rng=RNG)
    assert Lasso(0.1).plan(thin).work.reads < Lasso(0.1).plan(5_000, 200).work.reads / 10


def test_what_is_no_table_is_refused():
    with pytest.raises(ValueError, match="a plan is for a table"):
        Ridge().plan(500)
    with pytest.raises(ValueError, match="n_outputs must be a whole number >= 1"):
        Ridge().plan(500, 5, n_outputs=0)
    with pytest.raises(TypeError, match="plan has no parameter 'n_classes'"):
        KernelLogistic().plan(500, 5, n_classes=3)


@pytest.mark.parametrize(("cv", "folds"), [(7, 7), (KFold(3), 3), ([(0, 1), (1, 0)], 2), (iter([]), 5)])
def test_folds_are_counted_before_they_are_drawn(cv, folds):
    assert n_folds(cv) == folds
