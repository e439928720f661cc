"""Layer lab: figures of least squares, ridge and their risks.  Catalogue F-01, F-05, F-11, F-15."""

from __future__ import annotations

from typing import Any

import numpy as np

from surefit.lab.figures.figure import COOL, INK, PALE, WARM, Data, LabFigure
from surefit.theory.risk.least_squares import gaussian_design_excess
from surefit.theory.risk.ridge import oracle_lam, ridge_risk_curve


def _excess_data(rng: np.random.Generator) -> dict[str, Any]:
    """One simulation for each n, d = 10, and the random-design mean for n near d."""
    d, sizes = 10, np.unique(np.geomspace(20, 500, 25).astype(int))
    excess = []
    for n in sizes:
        X = rng.normal(size=(n, d))
        off = np.linalg.lstsq(X, rng.normal(size=n), rcond=None)[0]
        excess.append(np.mean((X @ off) ** 2))
    near = np.arange(d + 2, 60)
    means = [np.mean([np.trace(np.linalg.inv(Z.T @ Z)) for Z in rng.normal(size=(60, n, d))]) for n in near]
    formula = [gaussian_design_excess(int(n), d, 1.0) for n in near]
    return {"n": sizes, "excess": excess, "near": near, "means": means, "formula": formula}


def _draw_excess(figure: Any, data: Data) -> None:
    left, right = figure.subplots(1, 2)
    left.loglog(data["n"], data["excess"], "o", color=INK, ms=4, label="one simulation")
    left.loglog(data["n"], 10 / data["n"], "-", color=WARM, label="sigma^2 d / n")
    left.set(xlabel="n", ylabel="excess risk, fixed design")
    left.minorticks_off()
    left.set_xticks([20, 50, 100, 200, 500], ["20", "50", "100", "200", "500"])
    right.semilogy(data["near"], data["means"], "o", color=INK, ms=3, label="mean of 60")
    right.semilogy(data["near"], data["formula"], "-", color=WARM, label="d / (n - d - 1)")
    right.axvline(11, ls=":", color=PALE)
    right.set(xlabel="n", ylabel="excess risk, Gaussian design")
    left.legend()
    right.legend()


def _slope(data: Data) -> tuple[float, float]:
    """Slope of the logarithms and its standard error."""
    line, covariance = np.polyfit(np.log(data["n"]), np.log(data["excess"]), 1, cov=True)
    return float(line[0]), float(np.sqrt(covariance[0, 0]))


def _bowl_data(rng: np.random.Generator) -> dict[str, Any]:
    x = rng.uniform(-1, 1, size=40)
    y = 0.5 + 1.5 * x + 0.4 * rng.normal(size=40)
    X = np.column_stack([x, np.ones(40)])
    best = np.linalg.lstsq(X, y, rcond=None)[0]
    slope, offset = np.meshgrid(best[0] + np.linspace(-2, 2, 61), best[1] + np.linspace(-2, 2, 61))
    risk = ((y - slope[..., None] * x - offset[..., None]) ** 2).mean(axis=-1)
    return {"x": x, "y": y, "best": best, "slope": slope, "offset": offset, "risk": risk}


def _draw_bowl(figure: Any, data: Data) -> None:
    left, right = figure.subplots(1, 2)
    left.plot(data["x"], data["y"], "o", color=INK, ms=3)
    ends = np.array([-1.0, 1.0])
    left.plot(ends, data["best"][0] * ends + data["best"][1], "-", color=WARM)
    left.set(xlabel="x", ylabel="y")
    lines = right.contour(data["slope"], data["offset"], data["risk"], levels=8, colors=COOL, linewidths=0.9)
    right.clabel(lines, fontsize=7)
    right.plot(*data["best"], "x", color=WARM)
    right.set(xlabel="slope", ylabel="offset")


def _degree_data(rng: np.random.Generator) -> dict[str, Any]:
    """Polynomials of degree 0 to 10 on 200 samples of 30 points of a sine."""
    x, degrees, sigma = np.linspace(-1, 1, 30), np.arange(11), 0.5
    signal = np.sin(3 * x)
    training, fresh, errors = [], [], []
    for degree in degrees:
        H = (V := np.polynomial.legendre.legvander(x, degree)) @ np.linalg.pinv(V)
        y = signal[:, None] + sigma * rng.normal(size=(30, 200))
        again = signal[:, None] + sigma * rng.normal(size=(30, 200))
        training.append(np.mean((y - H @ y) ** 2))
        of_samples = np.mean((again - H @ y) ** 2, axis=0)
        fresh.append(of_samples.mean())
        errors.append(of_samples.std(ddof=1) / np.sqrt(200))
    return {"degree": degrees, "training": training, "fresh": fresh, "se": errors}


def _draw_degree(figure: Any, data: Data) -> None:
    axes = figure.subplots()
    axes.plot(data["degree"], data["training"], "o--", color=COOL, label="training error")
    axes.errorbar(data["degree"], data["fresh"], 2 * data["se"], fmt="s-", color=WARM, label="fresh error, -+ 2 s.e.")
    axes.axhline(0.25, ls=":", color=PALE, label="noise")
    axes.set(xlabel="degree of the polynomial", ylabel="mean squared error")
    axes.legend()


def _ridge_data(rng: np.random.Generator) -> dict[str, Any]:
    X, theta, lams = rng.normal(size=(30, 8)), rng.normal(size=8) / 2, np.geomspace(1e-3, 10, 120)
    curve = ridge_risk_curve(X, theta, 1.0, lams)
    return {
        "lam": lams,
        "bias": curve.squared_bias,
        "variance": curve.variance,
        "oracle": oracle_lam(X, theta, 1.0).lam,
        "half_bound": oracle_lam(X, theta, 1.0).sharp_bound,
        "at_oracle": ridge_risk_curve(X, theta, 1.0, oracle_lam(X, theta, 1.0).lam).excess[0],
    }


def _draw_ridge(figure: Any, data: Data) -> None:
    axes = figure.subplots()
    total = data["bias"] + data["variance"]
    axes.semilogx(data["lam"], data["bias"], "--", color=COOL, label="squared bias")
    axes.semilogx(data["lam"], data["variance"], "-.", color=PALE, label="variance")
    axes.semilogx(data["lam"], total, "-", color=INK, label="excess risk")
    axes.plot(data["lam"][total.argmin()], total.min(), "o", color=WARM, label="minimum")
    axes.axvline(float(data["oracle"]), ls=":", color=WARM, label="lam* of the bound")
    axes.set(xlabel="lam", ylabel="expected excess risk")
    axes.legend()


FIGURES = (
    LabFigure(
        "F-01",
        "Excess risk of least squares",
        _excess_data,
        _draw_excess,
        lambda d: (
            f"d = 10, sigma = 1. Slope of the logarithms {_slope(d)[0]:.2f} +- {_slope(d)[1]:.2f} (theory -1). On "
            f"Gaussian rows the risk is {d['formula'][0]:.0f} at n = {d['near'][0]} and infinite at n = 11 = d + 1."
        ),
    ),
    LabFigure(
        "F-05",
        "The best line and its quadratic risk",
        _bowl_data,
        _draw_bowl,
        lambda d: (
            f"Least squares: slope {d['best'][0]:.2f}, offset {d['best'][1]:.2f}, mean square {d['risk'].min():.3f}."
        ),
    ),
    LabFigure(
        "F-11",
        "Training and fresh error as the model grows",
        _degree_data,
        _draw_degree,
        lambda d: (
            f"200 samples of 30 points. Training errors fall from {d['training'][0]:.2f} to {d['training'][-1]:.2f}, "
            f"the fresh error has its minimum {d['fresh'].min():.3f} at degree {d['degree'][d['fresh'].argmin()]} "
            f"(standard error {d['se'][d['fresh'].argmin()]:.3f})."
        ),
    ),
    LabFigure(
        "F-15",
        "Bias and variance of ridge",
        _ridge_data,
        _draw_ridge,
        lambda d: (
            f"Smallest risk {(d['bias'] + d['variance']).min():.3f} at lam = "
            f"{d['lam'][(d['bias'] + d['variance']).argmin()]:.2f}; at lam* = {float(d['oracle']):.2f} it is "
            f"{float(d['at_oracle']):.3f}, below half of the printed bound, {float(d['half_bound']):.3f}."
        ),
    ),
)
