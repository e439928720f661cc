"""A linear model answers from its stored numbers as its estimator would, and is built for everything else."""

import subprocess
import sys

import numpy as np
import pytest

import surefit
from surefit.store.deferred import Deferred, load_soon
from surefit.store.refusal import ModelFileError
from tests.store.hostile import changed, parts_of, whole_file

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 4))
Y = X @ [1.0, -2.0, 0.0, 0.5] + 0.1 * RNG.normal(size=60)


@pytest.mark.parametrize(
    "model",
    [
        surefit.Ridge(0.1),
        surefit.Lasso(0.05),
        surefit.ElasticNet(0.05),
        surefit.LeastSquares(),
        surefit.RobustRegression(lam=0.1),
    ],
    ids=lambda model: type(model).__name__,
)
def test_numbers_are_those_of_the_estimator_to_the_last_bit(model, tmp_path):
    path = tmp_path / "model"
    surefit.save(model.fit(X, Y), path)
    found = load_soon(path)
    assert isinstance(found, Deferred)
    assert np.array_equal(found.predict(X), surefit.load(path).predict(X))


@pytest.mark.parametrize("k", [2, 3])
def test_labels_and_probabilities_are_those_of_the_estimator(k, tmp_path):
    labels = np.array(["no", "perhaps", "yes"])[np.digitize(Y, [-0.5, 0.5][: k - 1])]
    model = surefit.LogisticRegression(0.01).fit(X, labels)
    surefit.save(model, tmp_path / "model")
    found = load_soon(tmp_path / "model")
    assert np.array_equal(found.predict_proba(X), model.predict_proba(X))
    assert found.predict(X).tolist() == model.predict(X).tolist()
    assert found.classes_.tolist() == model.classes_.tolist()


def test_what_is_not_stored_as_numbers_comes_from_the_estimator(tmp_path):
    model = surefit.Ridge(0.1).fit(X, Y)
    surefit.save(model, tmp_path / "model")
    found = load_soon(tmp_path / "model")
    assert found.lam_ == 0.1
    assert type(found.whole) is surefit.Ridge
    assert found.certificate(X[:40] + 1.0, Y[:40]).bound == model.certificate(X[:40] + 1.0, Y[:40]).bound
    with pytest.raises(AttributeError, match="nothing_of_the_kind"):
        found.nothing_of_the_kind  # noqa: B018


@pytest.mark.parametrize(
    "model", [surefit.KernelRidge(surefit.kernels.Gaussian(1.0), lam=0.1), surefit.LogisticRegression(0.1)]
)
def test_other_models_are_loaded_as_ever(model, tmp_path):
    """A kernel model, and a linear one that was never fitted."""
    surefit.save(model.fit(X, Y) if isinstance(model, surefit.KernelRidge) else model, tmp_path / "model")
    assert type(load_soon(tmp_path / "model")) is type(model)


def test_numbers_that_do_not_belong_together_are_refused(tmp_path):
    model = surefit.Ridge(0.1).fit(X, Y)
    parts = parts_of(whole_file(model, tmp_path))
    path = tmp_path / "changed"
    path.write_bytes(changed(parts, ["model", "holds", "intercept_"], [1.0, 2.0]))
    with pytest.raises(ModelFileError, match="do not fit together"):
        load_soon(path)
    path.write_bytes(whole_file(model, tmp_path))
    with pytest.raises(ModelFileError, match="4 coefficients for 3 features"):
        load_soon(path).predict(X[:, :3])


def test_nothing_slow_is_imported_for_a_prediction(tmp_path):
    surefit.save(surefit.Lasso(0.05).fit(X, Y), tmp_path / "model")
    script = (
        "import sys, numpy as np\n"
        "from surefit.store.deferred import load_soon\n"
        "print(load_soon(sys.argv[1]).predict(np.ones((1, 4))).shape)\n"
        "print([name for name in ('sklearn', 'scipy', 'pandas') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script, str(tmp_path / "model")], capture_output=True, text=True)
    assert done.stdout.split("\n")[:2] == ["(1,)", "[]"], done.stderr
