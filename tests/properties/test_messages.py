"""What users read: progress on a terminal, errors with a remedy, tables and figures of every model."""

import re
import subprocess
import sys

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from surefit import (
    ERM,
    SVC,
    SVR,
    Adaline,
    ElasticNet,
    KernelERM,
    KernelRidge,
    Lasso,
    LeastSquares,
    LogisticRegression,
    Perceptron,
    Ridge,
    RobustRegression,
    SubsetRegression,
    lasso_homotopy,
    lasso_path,
)
from surefit.display import CriterionDisplay, ErrorCurveDisplay
from surefit.kernels import Linear

# ---- Progress ----


def test_a_long_fit_says_on_the_terminal_what_it_chooses_and_leaves_nothing(monkeypatch):
    import io
    import time

    import numpy as np

    from surefit import terminal

    stream = io.StringIO()
    monkeypatch.setattr(terminal, "SCREEN", terminal.Screen())
    monkeypatch.setattr(terminal, "AFTER", 0.0)
    monkeypatch.setattr(terminal, "TICK", 0.001)
    monkeypatch.setattr(terminal, "seen", lambda: True)
    monkeypatch.setattr(terminal, "new_line", lambda: terminal.Line(stream))
    X = np.random.default_rng(0).normal(size=(60, 2))
    end = time.monotonic() + 20
    while "fitting KernelERM, choosing lam: fold" not in stream.getvalue() and time.monotonic() < end:
        KernelERM().fit(X, X[:, 0])
    assert "fitting KernelERM, choosing lam: fold" in stream.getvalue()
    assert not stream.getvalue().rpartition("\r")[0].rpartition("\r")[2].strip()  # the last thing written is blank


def test_nothing_is_said_where_nobody_can_see_it(capfd):
    from surefit import progress, terminal

    with progress.working("a pipe"):
        assert terminal.SCREEN.title is None
    assert capfd.readouterr().err == ""


# ---- Messages ----


def test_names_of_other_libraries_are_answered_with_ours_and_the_factor():
    import pytest

    from surefit import Lasso, Ridge

    for model, factor in ((Ridge, "n * lam"), (Lasso, "lam / 2"), (KernelRidge, "n * lam")):
        with pytest.raises(TypeError) as caught:
            model(alpha=1.0)
        assert f"the penalty is lam, and scikit-learn's alpha is {factor}: lam=convert_lambda" in str(caught.value)


def test_a_list_a_word_and_a_truth_value_are_no_lam():
    import numpy as np
    import pytest

    from surefit import Ridge

    X = np.random.default_rng(0).normal(size=(20, 2))
    for lam, remedy in (([0.1, 1.0], "lams"), ("auto", "leave lam out"), (True, "leave lam out")):
        with pytest.raises(ValueError, match=f"lam must be a finite number, got .*; .*{remedy}"):
            Ridge(lam=lam).fit(X, X[:, 0])


def test_dates_are_refused_not_counted_in_nanoseconds():
    import numpy as np
    import pandas as pd
    import pytest

    from surefit import Ridge

    days = pd.DataFrame({"when": pd.date_range("2020", periods=20)})
    for table in (days, days.to_numpy()):
        with pytest.raises(ValueError, match=r"column .* holds dates; turn dates into numbers"):
            Ridge().fit(table, np.arange(20.0))


def test_a_word_for_fit_intercept_does_not_count_as_true():
    import numpy as np
    import pytest

    from surefit import LeastSquares, Ridge

    for model in (Ridge, LeastSquares, KernelRidge):
        with pytest.raises(ValueError, match="fit_intercept must be True or False, got 'no'"):
            model(fit_intercept="no").fit(np.eye(3), np.arange(3.0))


def test_modules_are_there_after_one_import_which_loads_no_plots():
    import sys

    code = (
        "import sys, surefit; assert not {'matplotlib', 'hypothesis', 'surefit.testing'} & set(sys.modules);"
        "surefit.kernels.Gaussian, surefit.display.PathDisplay, surefit.objective.Huber, surefit.features.Polynomial;"
        "surefit.progress.off, surefit.theory.bounds.shattering, surefit.data.simulate, surefit.testing.check_loss;"
        "assert {'kernels', 'theory', 'display', 'testing', 'progress'} <= set(dir(surefit))"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


# ---- Tables and displays ----


def houses(n=60, seed=5):
    """Prices in dollars from square feet, years and a share."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"sqft": rng.normal(2000, 400, n), "built": rng.integers(1950, 2020, n), "share": rng.random(n)})
    return X, pd.Series(150.0 * X["sqft"] + 20_000 * X["share"] + rng.normal(0, 30_000, n), name="price")


def linear_models():
    regressors = [LeastSquares(), Ridge(), Ridge(lam=0.1), Lasso(), Lasso(lam=0.1), ElasticNet(lam=0.1)]
    return [*regressors, SubsetRegression(), RobustRegression(), ERM(), SVR(Linear(), lam=1.0)]


@pytest.mark.parametrize("model", linear_models(), ids=repr)
def test_every_linear_regressor_prints_its_coefficients_by_name(model):
    X, y = houses()
    summary = model.fit((X - X.mean()) / X.std(), y).summary()
    text = str(summary)
    assert max(map(len, text.splitlines())) <= 80
    assert not re.search(r"\de\+0[3-9]", text)  # dollars are written as 34,570
    assert "R2 on training rows" in text
    assert summary.to_frame().index.tolist() == ["intercept", "sqft", "built", "share"]
    assert ("std_error" in summary.to_frame()) != ("No standard errors: " in text)
    np.testing.assert_allclose(summary.to_frame()["estimate"].iloc[1:], model.coef_, rtol=1e-6)


@pytest.mark.parametrize(
    "model",
    [
        LogisticRegression(lam=0),
        LogisticRegression(lam=0.1, l1_ratio=1),
        SVC(Linear()),
        Perceptron(weights="mean"),
        Adaline(),
    ],
    ids=repr,
)
def test_every_linear_classifier_prints_its_coefficients_and_says_which_class_they_are_of(model):
    X, y = houses()
    dear = np.where(y + np.random.default_rng(0).normal(0, 60_000, len(y)) > y.mean(), "dear", "cheap")
    text = str(model.fit((X - X.mean()) / X.std(), dear).summary())
    assert "Accuracy on training rows" in text
    assert "log-odds of class 'dear' against 'cheap'" in text or "Positive scores mean" in text
    assert max(map(len, text.splitlines())) <= 80


def test_everything_that_is_a_table_prints_renders_and_becomes_a_frame(monkeypatch):
    X, y = houses()
    X = X.rename(columns={"share": "<script>alert(1)</script>" + "x" * 60})
    model = LeastSquares().fit(X, y)
    paths = [
        lasso_path(X, y),
        lasso_homotopy(X, y),
        Ridge().fit(X, y).path_,
        LogisticRegression().fit(X, y > 3e5).path_,
    ]
    tables = [
        model.summary(),
        model.inference(),
        model.influence(),
        model.predict_interval(X),
        Ridge().fit(X, y).inference(),
    ]
    certificate = Ridge().fit(X[:30], y[:30]).certificate(X[30:], y[30:])
    for shown in (*tables, *paths, certificate):
        assert max(map(len, str(shown).splitlines())) <= 80
        assert "<script" not in shown._repr_html_()
        assert len(shown.to_frame()) > 0
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="pip install pandas"):
        certificate.to_frame()


def test_arguments_of_summary_and_inference_have_names():
    """The order of level and covariance once depended on the model."""
    X, y = houses()
    for model in (LeastSquares().fit(X, y), Ridge(lam=1.0).fit(X, y), LogisticRegression(lam=0.1).fit(X, y > 3e5)):
        for ask in (model.summary, model.inference):
            with pytest.raises(TypeError, match="positional"):
                ask(0.9)


def test_a_display_is_drawn_at_once():
    X, y = houses()
    _, ax = plt.subplots()
    assert CriterionDisplay.from_estimator(Ridge().fit(X, y), ax=ax).ax_ is ax
    assert "best constant" in ax.get_legend().get_texts()[-1].get_text()
    model = Ridge().fit(X[:40], y[:40])
    assert ErrorCurveDisplay.from_estimator(model, X[40:], y[40:]).constant is not None
    plt.close("all")
