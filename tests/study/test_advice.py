"""Nothing is advised on what may be chance; the largest gain comes first."""

import numpy as np

from surefit.study.advice import advice_of
from surefit.study.checks.finding import tip
from surefit.study.contest.candidates import Entry
from surefit.study.contest.compete import Arena, Run
from surefit.study.contest.metrics import RMSE
from surefit.study.records.board import Ending
from surefit.study.records.winner import LearningCurve

Y = np.random.default_rng(0).normal(size=300)
ARENA = Arena(np.zeros((300, 1)), Y, None, [(np.arange(0), np.arange(300))])
CURVE = LearningCurve((50, 100), (1.2, 1.0), (0.1, 0.1), 0.9, "With twice the rows about 10 % lower.")


def run(name, noise, outside=False):
    answers = Y + noise * np.random.default_rng(len(name)).normal(size=300)
    return Run(Entry(name, name, 0, lambda X, y, w: None, outside=outside), Ending.FINISHED, "", answers, 1)


def test_a_better_black_box_is_the_first_advice():
    found = advice_of(ARENA, [run("ridge", 1.0), run("the box", 0.5, True)], "ridge", RMSE, CURVE, [])
    assert [one.title for one in found] == ["Another kind of model?", "More rows?"]
    assert "interactions that ridge lacks" in found[0].sentence
    assert 0.4 < found[0].gain < 0.6


def test_an_equal_or_worse_black_box_advises_nothing():
    equal = advice_of(ARENA, [run("ridge", 1.0), run("a box", 1.0, True)], "ridge", RMSE, None, [])
    assert "little to gain" in equal[0].sentence
    worse = advice_of(ARENA, [run("ridge", 1.0), run("a box", 3.0, True)], "ridge", RMSE, None, [])
    assert "nothing to gain" in worse[0].sentence


def test_outliers_and_logarithms():
    noticed = [tip("SF111", "", "", 0.0, "")]
    found = advice_of(ARENA, [run("ridge", 2.0), run("Huber regression", 1.0)], "ridge", RMSE, None, noticed)
    assert [one.title for one in found] == ["Outliers?", "The logarithm of the target?"]
