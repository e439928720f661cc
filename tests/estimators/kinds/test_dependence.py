"""Columns that depend on each other are named, whichever factorisation found them."""

import numpy as np
import pandas as pd
import pytest

from surefit import LeastSquares, RankDeficientWarning, Ridge
from surefit.data.design import Design
from surefit.estimators.kinds.dependence import redundant_in
from surefit.solvers.linear.least_squares import least_squares

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 4))
X[:, 2] = X[:, 0] - 2.0 * X[:, 1]
Y = RNG.normal(size=40)


@pytest.mark.parametrize(("rows", "least"), [(X, 1), (X[:3], 1)], ids=["tall", "wide"])
def test_without_the_redundant_columns_the_others_span_as_much(rows, least):
    fit = least_squares(Design.of(rows), Y[: len(rows), None], True)
    found = redundant_in(fit)
    centred = rows - rows.mean(axis=0)
    rank = np.linalg.matrix_rank(centred)
    assert len(found) == rows.shape[1] - rank >= least
    assert np.linalg.matrix_rank(np.delete(centred, found, axis=1)) == rank


def test_independent_columns_are_not_blamed():
    assert len(redundant_in(least_squares(Design.of(X[:, [0, 1, 3]]), Y[:, None], True))) == 0


@pytest.mark.parametrize("model", [LeastSquares(), Ridge(0)], ids=repr)
def test_the_warning_names_the_column_that_follows_from_the_others(model):
    frame = pd.DataFrame(X, columns=["income", "rent", "left", "age"])
    with pytest.warns(RankDeficientWarning, match="rank 3 of 4: 'left' can be written with the others"):
        model.fit(frame, Y)


def test_columns_that_do_not_vary_are_called_so():
    y = np.arange(20.0)
    with pytest.warns(RankDeficientWarning, match="rank 0 of 1: 'x0' does not vary"):
        LeastSquares().fit(np.ones((20, 1)), y)
    with pytest.warns(RankDeficientWarning, match="rank 0 of 2: 'x0', 'x1' do not vary"):
        LeastSquares().fit(np.ones((20, 2)), y)
