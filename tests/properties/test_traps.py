"""Traps that real tables set: raw units, copied rows, coin flips, class weights, missing compilers.

Each section holds what a default must do where it once went wrong without a word.  Data are small and seeded, and
resemble real tables: columns in dollars, counts and shares side by side.
"""

# ---- Choice of lam on raw columns ----


# ---- Intercepts, and choices that are worse than a constant ----


# ---- Copied rows ----


# ---- Weights in inference ----


# ---- Stored and copied models ----


# ---- Cost of defaults ----


# ---- Progress ----


def test_a_long_fit_says_on_the_terminal_what_it_chooses_and_leaves_nothing(monkeypatch):
    import io
    import time

    import numpy as np

    from surefit import KernelERM, terminal

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

    from surefit import KernelRidge, Lasso, Ridge

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

    from surefit import KernelRidge, LeastSquares, Ridge

    for model in (Ridge, LeastSquares, KernelRidge):
        with pytest.raises(ValueError, match="fit_intercept must be True or False, got 'no'"):
            model(fit_intercept="no").fit(np.eye(3), np.arange(3.0))


def test_modules_are_there_after_one_import_which_loads_no_plots():
    import subprocess
    import sys

    code = (
        "import sys, surefit; assert not {'matplotlib', 'hypothesis', 'surefit.testing'} & set(sys.modules);"
        "surefit.kernels.Gaussian, surefit.display.PathDisplay, surefit.objective.Huber, surefit.features.Polynomial;"
        "surefit.progress.off, surefit.theory.shattering, surefit.data.simulate, surefit.testing.check_loss;"
        "assert {'kernels', 'theory', 'display', 'testing', 'progress'} <= set(dir(surefit))"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


# ---- Tables and displays ----


# ---- One lam costs no more than the path ----


# ---- Gaps at tiny lam ----


# ---- Statuses and extreme units ----


# ---- scikit-learn's own expectations ----


# ---- Forks and parallel jobs ----


# ---- Without a compiler ----


# ---- The same hold-out on every machine ----
