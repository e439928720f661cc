"""Inference of `LogisticRegression` is about the data of the fit.  Catalogue A-29."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from surefit import LogisticRegression


def sample():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((80, 2))
    return X, np.where(X[:, 0] + rng.logistic(size=80) > 0, "yes", "no")


@pytest.mark.parametrize("lam", [0.0, 0.1])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_a_summary_notices_that_the_data_have_changed(lam, form):
    X, y = sample()
    X = form(X)
    model = LogisticRegression(lam=lam).fit(X, y)
    model.summary()
    X *= 10.0
    for ask in (model.inference, model.logistic_fit):
        with pytest.raises(ValueError, match="changed in place since the fit"):
            ask()
    text = str(model.summary())
    assert "No standard errors: X or y has been changed in place since the fit" in text
    assert "Accuracy" not in text  # on other rows than it was fitted to


def test_weights_and_labels_are_kept_as_they_were():
    X, y = sample()
    weight = np.random.default_rng(1).integers(0, 4, 80).astype(float)
    for given in (weight, weight + 1.0):
        labels, counts = y.copy(), given.copy()
        model = LogisticRegression(lam=0).fit(X, labels, counts)
        before = model.inference().standard_error
        labels[:], counts[:] = "no", 7.0
        np.testing.assert_array_equal(model.inference().standard_error, before)


@pytest.mark.parametrize(
    "form",
    [
        lambda X: X.astype(np.float32),
        lambda X: pd.DataFrame(X, columns=["a", "b"]),
        lambda X: pd.DataFrame({"a": X[:, 0] > 0, "b": np.round(X[:, 1]).astype("int8")}),
        lambda X: X.tolist(),
        lambda X: X.astype(object),
        lambda X: np.asfortranarray(X),
        lambda X: X.astype(">f8"),
        lambda X: sparse.coo_matrix(X),
    ],
)
@pytest.mark.parametrize("labels", [lambda y: y, lambda y: pd.Series(y, dtype="category"), lambda y: y == "yes"])
def test_data_that_have_not_changed_are_recognised_in_any_form(form, labels):
    X, y = sample()
    model = LogisticRegression(lam=0.01).fit(form(X), labels(y), np.arange(80) % 3)
    assert np.all(model.inference().standard_error > 0)
    assert np.all(LogisticRegression(lam=0.01).fit(form(X), labels(y)).inference().standard_error > 0)


def test_copies_of_the_fit_may_be_summarised_whatever_happens_to_the_original():
    X, y = sample()
    single, held = X.astype(np.float32), X.copy()
    copied, divided = LogisticRegression(lam=0).fit(single, y), LogisticRegression(lam=0).fit(held, y, certify=0.2)
    before = copied.inference().standard_error, divided.inference().standard_error
    single *= 10
    held *= 10
    np.testing.assert_array_equal(copied.inference().standard_error, before[0])
    np.testing.assert_array_equal(divided.inference().standard_error, before[1])
