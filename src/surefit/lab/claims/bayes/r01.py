"""Layer lab: risks of a fixed predictor, expected, empirical and Bayes.  Catalogue R-01, R-02, R-03, R-04."""

import numpy as np

from surefit.lab.claim import Claim, Kind
from surefit.theory.risk.finite_law import FiniteJoint


def sample(rng, n, wrong=False):
    """Empirical risks on 50 samples beside the expected risk, of a predictor of three points that errs more often than
    not: then no ratio exceeds two, and one minus the risk is too small for every law."""
    law = rng.dirichlet(np.ones(6)).reshape(3, 2)
    rule = rng.integers(0, 2, size=3)
    rule = rule if law[np.arange(3), 1 - rule].sum() > 0.5 else 1 - rule
    drawn = rng.choice(6, size=(50, n), p=law.ravel())
    losses = (drawn % 2 != rule[drawn // 2]).mean(axis=1)
    exact = law[np.arange(3), 1 - rule].sum()
    return losses, 1 - exact if wrong else exact


def bayes(rng, n, wrong=False):
    """The Bayes risk of the library beside the smallest risk of all eight classifiers of three points."""
    law = rng.dirichlet(np.ones(6)).reshape(3, 2)
    risks = [sum(law[i, 1 - (rule >> i & 1)] for i in range(3)) for rule in range(8)]
    joint = FiniteJoint(law, y=np.array([0.0, 1.0]))
    eta = law[:, 1] / law.sum(axis=1)
    least = law.sum(axis=1) @ (eta * (1 - eta) if wrong else np.minimum(eta, 1 - eta))
    assert joint.p_xy.shape == (3, 2)
    return min(risks), least


def excess(rng, n, wrong=False):
    """Risk less Bayes risk beside ``E |2 eta - 1|`` where the predictor differs from the Bayes one."""
    law = rng.dirichlet(np.ones(6)).reshape(3, 2)
    eta, share, rule = law[:, 1] / law.sum(axis=1), law.sum(axis=1), rng.integers(0, 2, size=3)
    risk = law[np.arange(3), 1 - rule].sum() - share @ np.minimum(eta, 1 - eta)
    differs = rule != (eta > 0.5)
    return 1 + risk, 1 + (share * (np.abs(eta - 0.5) if wrong else np.abs(2 * eta - 1)))[differs].sum() + 1e-3 * wrong


def named(entry, title, statement, kind, draw, mistake):
    return Claim(
        id=entry,
        title=title,
        statement=statement,
        assumptions=(),
        kind=kind,
        draw=draw,
        mistake=mistake,
        settings={"n": 40},
        tolerance=0.02 if kind is Kind.MEAN else 1e-9,
        largest=2.0,
    )


CLAIMS = (
    named("R-01", "Expected risk", "Risk(f) = E loss(Y, f(X))", Kind.MEAN, sample, "one minus the risk"),
    named("R-02", "Empirical risk is unbiased", "E Rhat(f) = Risk(f)", Kind.MEAN, sample, "one minus the risk"),
    named("R-03", "Bayes risk", "R* = E min(eta, 1 - eta)", Kind.EXACT, bayes, "eta (1 - eta), that of squared loss"),
    named("R-04", "Excess risk", "Risk - R* = E |2 eta - 1| 1[f != f*]", Kind.EXACT, excess, "half of it"),
)
