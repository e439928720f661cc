"""glum: generalised linear models by iteratively reweighted least squares."""

from benchmarks.problems import Answer, Problem

name = "glum"
packages = ("glum",)
convention = "mean deviance halved and ||w||**2 / 2: alpha = 2 lam"
own_process = True


def fit(problem: Problem) -> Answer:
    from glum import GeneralizedLinearRegressor

    model = GeneralizedLinearRegressor(
        family="binomial", alpha=2 * problem.lam, l1_ratio=0, fit_intercept=problem.fit_intercept, gradient_tol=1e-6,
        solver="irls-ls",
    )  # fmt: skip
    model.fit(problem.X, problem.y.astype(float))
    return Answer(model.coef_, model.intercept_)
