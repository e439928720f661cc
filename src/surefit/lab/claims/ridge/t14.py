"""Layer lab: the mean of ridge coefficients.  Catalogue T-14."""

from surefit.estimators.ridge import Ridge
from surefit.lab.claim import Claim, Kind
from surefit.theory.risk.ridge import mean_ridge_coefficients


def draw(rng, n, d, lam, wrong=False):
    """Coefficients from noiseless responses, which are their mean, beside the formula."""
    X, theta = rng.normal(size=(n, d)), rng.normal(size=d)
    fitted = Ridge(lam, fit_intercept=False).fit(X, X @ theta).coef_
    return fitted, mean_ridge_coefficients(X, theta, lam / n if wrong else lam)[0]


CLAIM = Claim(
    id="T-14",
    title="Mean of ridge coefficients",
    statement="E w_lam = (S + lam I)^-1 S w*",
    assumptions=("the mean is linear", "noise has mean zero"),
    kind=Kind.EXACT,
    draw=draw,
    mistake="lam / n in place of lam",
    settings={"n": 15, "d": 4, "lam": 0.7},
)
