"""Results of studies to report on: a regression, a classification, one of awkward names, one with nothing known."""

import math
from dataclasses import replace
from functools import cache

import numpy as np
from sklearn.datasets import load_breast_cancer, load_diabetes

from surefit import LogisticRegression, Ridge
from surefit.study.record import StudyResult
from surefit.study.records.board import Candidate, CoefficientPath, Curve, Ending, Leaderboard, Metric
from surefit.study.records.data import ColumnFacts, DataFacts, Machine
from surefit.study.records.noticed import Advice, Check, Checks
from surefit.study.records.winner import (
    ClassSets,
    Coefficient,
    Coefficients,
    HoldoutPoints,
    Importance,
    Intervals,
    LearningCurve,
    Reliability,
    Threshold,
)

NAMES = ("age", "sex", "bmi", "blood pressure", "s1", "s2", "s3", "s4", "s5", "s6")
RMSE = Metric(
    "root mean squared error", "progression", "Typical distance between prediction and truth, large ones count more."
)
LOG_LOSS = Metric(
    "log loss", "nats", "How surprised the probabilities are by what happens; 0 would be certainty that is right."
)
MACHINE = Machine(
    (("python", "3.11.7"), ("surefit", "0.1.0"), ("numpy", "2.4.6"), ("scikit-learn", "1.8.0")),
    "surefit fit diabetes.csv --target progression --seed 0",
    0,
    "2026-11-17T06:09:00Z",
    11.4,
    math.inf,
    'target = "progression"\n\n[columns]\nage = "number"\nsex = "category"\n',
)
CHECKS = Checks(
    (
        Check(
            "SF105",
            "issue",
            "the same entity in both parts",
            "12 rows of the hold-out equal training rows.",
            "12 equal rows, p < 0.001",
            12.0,
            0.001,
            "Name the column that says which rows belong together: --group.",
            ("patient",),
            "docs/checks.md#sf105",
        ),
        Check(
            "SF108",
            "tip",
            "lam at the edge of its grid",
            "The smallest penalty of the grid was chosen.",
            "lam = 0.001 is the first of 100",
            0.001,
            math.nan,
            "Let the grid reach further.",
            (),
            "docs/checks.md#sf108",
        ),
    ),
    (
        ("SF101", "no column is an identifier"),
        ("SF102", "no column gives the target away"),
        ("SF110", "classes are balanced"),
    ),
    ("SF112",),
)


def candidates(base, step, names):
    found = [
        Candidate(
            name,
            "Ridge",
            Ending.FINISHED,
            "",
            f"lam = {0.01 * (k + 1):.2f} by exact leave-one-out",
            base + step * k,
            0.9 * step,
            (base, base + step),
            {"mean absolute error": 0.8 * (base + step * k)},
            1 + (k > 2),
            1.0 if k == 0 else 0.4 / (k + 1),
            k,
            10.0 + k,
            0.2 * (k + 1) ** 2,
            1e-9,
        )
        for k, name in enumerate(names)
    ]
    found.append(
        Candidate(
            "constant",
            "DummyRegressor",
            Ending.FINISHED,
            "",
            "",
            base + 9 * step,
            step,
            rank=3,
            p_value=1e-9,
            seconds=0.01,
            n_parameters=1,
        )
    )
    found.append(
        Candidate(
            "HistGradientBoosting (scikit-learn)",
            "HistGradientBoosting",
            Ending.FINISHED,
            score=base + 2.5 * step,
            standard_error=step,
            outside=True,
            seconds=3.1,
            holdout_score=base + 3 * step,
        )
    )
    found.append(
        Candidate("kernel ridge (Matern)", "KernelRidge", Ending.SKIPPED, "it would have overrun the budget of 2 min")
    )
    found.append(
        Candidate(
            "support vectors",
            "SVR",
            Ending.STOPPED,
            "the budget was spent",
            score=base + 6 * step,
            standard_error=2 * step,
            rank=2,
            p_value=0.004,
            seconds=30,
            gap=0.02,
        )
    )
    return found


@cache
def regression() -> StudyResult:
    X, y = load_diabetes(return_X_y=True)
    model = Ridge().fit(X[:350], y[:350])
    certificate = model.certificate(X[350:], y[350:])
    lams = np.logspace(0, -5, 40)
    path = np.array([Ridge(lam).fit(X[:350], y[:350]).coef_ * X.std(axis=0) for lam in lams]).T
    order = np.argsort(-np.abs(path[:, -1]))
    curve = Curve(
        "exact leave-one-out mean squared error",
        tuple(lams),
        tuple(3000 + 900 * (np.log10(lams) + 3) ** 2 / 9),
        (math.nan,) * 40,
        float(lams[24]),
    )
    paths = CoefficientPath(
        tuple(lams), tuple(NAMES[k] for k in order), tuple(map(tuple, path[order])), float(lams[24])
    )
    listed = candidates(54.0, 0.4, ["ridge", "lasso", "kernel ridge (Gaussian)", "least squares", "robust"])
    listed[0] = replace(listed[0], curve=curve, path=paths, holdout_score=55.21)
    board = Leaderboard(
        RMSE,
        tuple(listed),
        10,
        0.05,
        "Largest paired difference, sign flips of whole folds.",
        "ridge",
        "Ridge shares rank 1 with two others and is the simplest of them.",
    )
    table = [Coefficient("intercept", "", 152.1, math.nan)] + [
        Coefficient(
            NAMES[k],
            NAMES[k],
            float(model.coef_[k]),
            float(path[k, 24]),
            "",
            60.0,
            float(model.coef_[k]) - 118,
            float(model.coef_[k]) + 118,
        )
        for k in order
    ]
    columns = [
        ColumnFacts(name, "number", "95 % of the cells are numbers", 3 * (name == "s6"), 200, 1, -0.1, 0.0, 0.2)
        for name in NAMES
    ]
    columns.append(ColumnFacts("clinic", "category", "it has 4 levels", 0, 4, 4, examples=("north", "south", "east")))
    columns.append(
        ColumnFacts("patient", "left out", "every cell is different", 0, 442, 0, examples=("p-001", "p-002"))
    )
    predicted = model.predict(X[350:])
    return StudyResult(
        title="progression from diabetes.csv",
        headline="A ridge regression predicts progression; at least 90 % of new patients are predicted to within 99.4.",
        data=DataFacts(
            "diabetes.csv",
            "CSV, UTF-8, comma",
            442,
            0,
            350,
            92,
            "A fifth of the rows was drawn at random and set aside.",
            "progression",
            "regression",
            "The target has 214 different numbers.",
            14,
            0.0012,
            (),
            tuple(np.quantile(y, [0, 0.25, 0.5, 0.75, 1])),
            fingerprint="9f2c51d0",
        ),
        columns=tuple(columns),
        leaderboard=board,
        certificate=certificate,
        coefficients=Coefficients(
            tuple(table), "Standard errors (HC3) are of the shrunken target, not of the truth: no p values.", 350
        ),
        importances=tuple(Importance(NAMES[k], 8.0 * 0.6**j, 0.4) for j, k in enumerate(order)),
        intervals=Intervals(
            0.9,
            0.05,
            "With 95 % confidence at least 90 % of new targets lie in their interval.",
            "split conformal",
            103.2,
            ("rows are exchangeable",),
        ),
        class_sets=None,
        reliability=(),
        threshold=None,
        holdout=HoldoutPoints(tuple(y[350:]), tuple(predicted)),
        checks=CHECKS,
        learning_curve=LearningCurve(
            (40, 80, 160, 350),
            (61.2, 57.0, 55.1, 54.0),
            (1.4, 1.0, 0.7, 0.5),
            53.3,
            "Twice the rows would bring about 1 %.",
        ),
        advice=(
            Advice("another column", "The errors are even: what is missing is not in these columns.", math.nan),
            Advice("more rows", "Twice the rows would lower the error a little.", 0.012),
        ),
        machine=MACHINE,
    )


@cache
def classification() -> StudyResult:
    X, y = load_breast_cancer(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    names = np.array(["malignant", "benign"])
    model = LogisticRegression(0.01).fit(X[:400], names[y[:400]])
    certificate = model.certificate(X[400:], names[y[400:]])
    listed = candidates(0.08, 0.004, ["logistic regression", "kernel logistic"])
    listed[0] = replace(listed[0], holdout_score=0.0712)
    board = Leaderboard(
        LOG_LOSS, tuple(listed), 5, 0.05, "Paired test.", "logistic regression", "It is the simplest of rank 1."
    )
    bins = (0.03, 0.18, 0.42, 0.66, 0.97)
    called = model.predict(X[400:])
    confusion = tuple(tuple(int(np.sum((names[y[400:]] == a) & (called == b))) for b in names) for a in names)
    first = regression()
    return replace(
        first,
        title="diagnosis from cancer.csv",
        headline="A logistic regression calls the diagnosis; it errs on at most 6.1 % of new rows.",
        data=replace(
            first.data,
            target="diagnosis",
            task="classification",
            classes=(("malignant", 212), ("benign", 357)),
            target_quantiles=(),
            n_rows=569,
            n_training=400,
            n_holdout=169,
        ),
        leaderboard=board,
        certificate=certificate,
        intervals=None,
        class_sets=ClassSets(
            0.95,
            "The true class lies in its set with probability at least 95 %.",
            "split conformal",
            1.04,
            0.96,
            0.11,
            ("rows are exchangeable",),
        ),
        reliability=(
            Reliability(
                "malignant",
                bins,
                (0.02, 0.21, 0.4, 0.7, 0.98),
                (60, 12, 6, 9, 82),
                (0.0, 0.05, 0.04, 0.3, 0.91),
                (0.09, 0.48, 0.78, 0.93, 1.0),
            ),
        ),
        threshold=Threshold(
            "malignant",
            "recall",
            0.95,
            0.05,
            0.31,
            "At least 95 % of malignant rows are called, with 95 % confidence.",
            0.41,
            0.93,
        ),
        holdout=HoldoutPoints(tuple(y[400:].astype(float)), tuple((called == "benign").astype(float)), confusion),
    )


HOSTILE = '<script>alert("x")</script>'


@cache
def hostile() -> StudyResult:
    """The regression with names that try to be more than names."""
    first = regression()
    nasty = (
        HOSTILE,
        "]]>",
        "</style><b>",
        "a|b`c*d",
        "\x00\ud800\u202eevil",
        "x" * 5000,
        "'\"&<>",
        "--><svg onload=alert(1)>",
    )
    columns = tuple(ColumnFacts(name, name, name, 1, 2, 3, examples=nasty) for name in nasty)
    winner = replace(first.winner, name=HOSTILE, settings=HOSTILE, family=HOSTILE)
    path = replace(first.winner.path, names=(*nasty, *nasty)[:10])
    board = replace(
        first.leaderboard,
        candidates=(replace(winner, path=path), *first.leaderboard.candidates[1:]),
        winner=HOSTILE,
        why=HOSTILE,
        test=HOSTILE,
        metric=replace(RMSE, name=HOSTILE, units=HOSTILE),
    )
    checks = replace(
        CHECKS, found=tuple(replace(one, columns=nasty, title=HOSTILE, page=HOSTILE) for one in CHECKS.found)
    )
    return replace(
        first,
        title=HOSTILE,
        headline=HOSTILE,
        columns=columns,
        leaderboard=board,
        checks=checks,
        data=replace(first.data, target=HOSTILE, source=HOSTILE, group=HOSTILE),
        importances=tuple(Importance(name, 1.0, 0.1) for name in nasty),
        machine=replace(MACHINE, command=f"surefit fit '{HOSTILE}' ``` --target x", config=HOSTILE),
    )


@cache
def unknown() -> StudyResult:
    """A study in which nothing was found out: every number that may be missing is."""
    first = regression()
    nan = math.nan
    lone = Candidate("constant", "DummyRegressor", Ending.FAILED, "it failed")
    return replace(
        first,
        coefficients=None,
        importances=(),
        intervals=None,
        learning_curve=None,
        advice=(),
        columns=(),
        leaderboard=replace(first.leaderboard, candidates=(lone,), winner="constant"),
        checks=Checks((), ()),
        holdout=HoldoutPoints((nan, nan), (nan, math.inf)),
        data=replace(first.data, n_training=1, n_holdout=1),
    )
