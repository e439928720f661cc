"""`summary` of every linear model: coefficients by name, facts of the fit, and no standard errors without a theory."""

import numpy as np
import pandas as pd
import pytest

from surefit import SVC, SVR, Adaline, ElasticNet, Lasso, Perceptron, Ridge, SubsetRegression
from surefit.estimators.kinds.summarised import described, estimates, training_score
from surefit.kernels import Linear

RNG = np.random.default_rng(0)
FRAME = pd.DataFrame(RNG.normal(size=(80, 3)), columns=["age", "bmi", "bp"])
Y = pd.Series(FRAME["age"] + RNG.normal(size=80), name="years")
LABELS = np.where(Y > 0, "ill", "well")
WITHOUT = [
    (Lasso(0.1), Y), (ElasticNet(0.1), Y), (SubsetRegression(), Y), (SVR(Linear(), 0.1), Y),
    (SVC(Linear(), 0.1), LABELS),
    (Perceptron(max_epochs=5), LABELS), (Adaline(), LABELS),
]  # fmt: skip
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.mark.parametrize(("model", "y"), WITHOUT, ids=lambda one: repr(one) if hasattr(one, "fit") else "")
def test_the_foot_of_a_summary_has_the_words_with_which_inference_is_refused(model, y):
    model.fit(FRAME, y)
    assert not hasattr(model, "inference")
    with pytest.raises(ValueError) as refused:  # noqa: PT011 - any words, which are looked for below
        model.inference()
    foot = " ".join(str(model.summary()).rpartition("-----")[2].split())
    assert f"No standard errors: {refused.value}." in foot
    table = model.summary().table
    assert table.names == ("intercept", "age", "bmi", "bp")
    np.testing.assert_array_equal(table.estimate[1:], np.ravel(model.coef_))


def test_several_targets_stand_one_after_the_other():
    model = Ridge(0.1).fit(FRAME, np.column_stack([Y, -Y]))
    table = estimates(model, "none")
    assert table.names[:2] == ("intercept [y0]", "age [y0]")
    assert table.names[4] == "intercept [y1]"
    np.testing.assert_allclose(table.estimate[:4], -table.estimate[4:])


def test_the_facts_say_how_lam_was_chosen_and_how_many_rows_were_held_out():
    facts = dict(described(Lasso().fit(FRAME, Y, certify=0.25), "no reason").facts)
    assert facts["Rows"] == "60"
    assert facts["Rows held out"] == "20"
    assert facts["Chosen by"] == "cross-validation"
    assert "lam" in facts
    assert dict(described(Lasso(0.1).fit(FRAME, Y), "no reason").facts)["lam"] == "0.1, given"


def test_the_score_is_of_the_rows_as_they_were_and_of_no_others():
    rows, weight = FRAME.to_numpy(copy=True), RNG.uniform(0.5, 2.0, size=80)
    model = Ridge(0.1).fit(rows, Y, sample_weight=weight)
    assert training_score(model)[1] == pytest.approx(model.score(rows, Y, sample_weight=weight))
    rows[0, 0] += 1.0
    assert training_score(model) == ([], None)
    labelled = Perceptron(max_epochs=5).fit(FRAME, LABELS)
    assert training_score(labelled)[1] == pytest.approx(labelled.score(FRAME, LABELS))


def test_a_choice_at_the_end_of_its_grid_is_noted():
    with pytest.warns(UserWarning, match="smallest lam"):
        model = Lasso(lams=[2.0, 1.5, 1.0]).fit(FRAME, Y)
    assert "The smallest lam of the grid was chosen" in " ".join(str(model.summary()).split())
