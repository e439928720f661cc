"""Full conformal sets of labels: against n + 1 refits for every new row and every label."""

import numpy as np
import pytest

import surefit.theory.intervals.full_class_sets as module
from surefit.data.design import Design
from surefit.kernels import Gaussian
from surefit.solvers.kernel.system import KernelSystem
from surefit.solvers.linear.factor import spectral_factor
from surefit.theory.intervals.class_sets import full_class_wanted
from surefit.theory.intervals.full_class_sets import full_class_sets
from surefit.theory.intervals.response import KernelResponse, LinearResponse


def kernel(X, intercept, n_lam):
    n = len(X)
    return KernelResponse(KernelSystem(Gaussian(1.0), X, np.ones(n), intercept), np.zeros(n), n_lam / n)


def linear(X, intercept, n_lam):
    return LinearResponse(spectral_factor(Design.of(X), intercept, n_lam), np.zeros(len(X)), n_lam / len(X))


def by_refits(make, X, label, new, wanted):
    """Which labels of one new row are not strange among left-out predictions of the fit to all ``n + 1`` rows."""
    K, found = label.max() + 1, []
    for k in range(K):
        rows, labels = np.vstack([X, new]), np.append(label, k)
        Y, scores = np.eye(K)[labels], []
        for i in range(len(rows)):
            keep = np.arange(len(rows)) != i
            values = (make(rows[keep]).at(rows[[i]]).gain @ Y[keep])[0]
            strange = -np.inf if values[labels[i]] >= values.max() else 1 - values[labels[i]]
            scores.append(np.inf if np.sum(labels == labels[i]) == 1 else strange)
        found.append(np.sum(np.array(scores[:-1]) >= scores[-1] - 1e-11) >= wanted)
    return found


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("response", [kernel, linear])
def test_sets_equal_those_of_refits(response, intercept):
    rng = np.random.default_rng(0)
    X, new = rng.normal(size=(25, 2)), rng.normal(size=(6, 2))
    label = (X[:, 0] + 0.7 * rng.normal(size=25) > 0) * 1 + (X[:, 1] + rng.normal(size=25) > 0.8)
    make = lambda rows: response(rows, intercept, 1.0)
    found = full_class_sets(make(X), (X, label), new, np.arange(3), 0.7)
    wanted = full_class_wanted(25, 0.7)
    assert found.member.tolist() == [by_refits(make, X, label, row, wanted) for row in new]
    assert np.any(found.size > 1)


def test_a_label_of_one_row_alone_is_the_strangest_and_many_of_them_are_refused():
    rng = np.random.default_rng(3)
    X, new = rng.normal(size=(25, 2)), rng.normal(size=(6, 2))
    label = np.r_[0, 1, np.repeat([2, 3], [12, 11])]
    make = lambda rows: kernel(rows, True, 1.0)
    found = full_class_sets(make(X), (X, label), new, np.arange(4), 0.8)
    assert found.member.tolist() == [by_refits(make, X, label, row, full_class_wanted(25, 0.8)) for row in new]
    with pytest.raises(ValueError, match=r"2 labels occur in one training row only.*put rare labels together"):
        full_class_sets(make(X), (X, label), new, np.arange(4), 0.9)


def misses_with_new_labels(R):
    """How often the set of a new row lacks its label if one row in ten has a label of its own, always new."""
    missed = 0
    for seed in range(R):
        rng = np.random.default_rng(seed)
        X, names = rng.normal(size=(41, 2)), rng.integers(0, 2, 41)
        names = np.where(rng.random(41) < 0.1, 10 + np.arange(41), names)
        classes, label = np.unique(names[:-1], return_inverse=True)
        try:
            found = full_class_sets(kernel(X[:-1], True, 1e-4), (X[:-1], label), X[-1:], classes, 0.8)
        except ValueError:  # refused: no set, and no miss
            continue
        missed += not found.contains(names[-1:])[0]
    return missed


@pytest.mark.verify
def test_labels_that_no_training_row_has_are_among_the_misses_that_are_promised(protocol, monkeypatch):
    """A right promise is accused with probability below 1e-4; it is broken if lone labels count as any other."""
    R = protocol.of(600)
    assert misses_with_new_labels(R) <= protocol.allowed(R, 0.2)
    monkeypatch.setattr(module, "_alone", lambda label, wanted: np.zeros(len(label), dtype=bool))
    assert misses_with_new_labels(R) > protocol.allowed(R, 0.2)


def test_the_label_that_would_be_predicted_is_always_in():
    rng = np.random.default_rng(1)
    X, new = rng.normal(size=(60, 2)), rng.normal(size=(100, 2))
    label = rng.integers(0, 3, 60)
    response = kernel(X, True, 0.6)
    found = full_class_sets(response, (X, label), new, np.arange(3), 0.2)
    predicted = (response.at(new).gain @ np.eye(3)[label]).argmax(axis=1)
    assert np.all(found.contains(predicted))


def test_too_few_rows_are_refused_and_no_new_rows_give_no_sets():
    X, label = np.arange(6.0)[:, None], np.array([0, 0, 0, 1, 1, 1])
    with pytest.raises(ValueError, match="6 rows are too few"):
        full_class_sets(kernel(X, True, 0.6), (X, label), X, np.arange(2), 0.9)
    assert len(full_class_sets(kernel(X, True, 0.6), (X, label), X[:0], np.arange(2), 0.5)) == 0
