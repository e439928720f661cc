"""Layer lab: AIC and Cp for a known variance.  Catalogue T-77, S-02."""

from surefit.lab.claim import Claim, Kind
from surefit.theory.fit.criteria import aic, gaussian_log_likelihood, mallows_cp


def draw(rng, n, wrong=False):
    """``variance * AIC`` of two models differ as their Cp does."""
    variance, rss, dof = rng.uniform(0.5, 2.0), rng.uniform(5, 50, size=2), rng.integers(1, 10, size=2)
    information = [aic(gaussian_log_likelihood(r, n, variance), p) for r, p in zip(rss, dof, strict=True)]
    cp = mallows_cp(rss, dof, variance)
    return variance * (information[0] - information[1]) + 100, cp[0] - cp[1] + (100 if not wrong else 101)


def named(entry, title, statement):
    return Claim(
        id=entry,
        title=title,
        statement=statement,
        assumptions=("Gaussian noise of known variance",),
        kind=Kind.EXACT,
        draw=draw,
        mistake="a constant that depends on the model",
        settings={"n": 20},
    )


CLAIMS = (
    named("T-77", "AIC is Cp for a known variance", "-2 s^2 (loglik - p) = RSS + 2 p s^2 + constant"),
    named("S-02", "AIC", "-2 loglik + 2 p"),
)
