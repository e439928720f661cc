"""Layer lab: figures of kernels, tubes, losses, balls and online bounds.  Catalogue F-06..F-09, F-16, F-17."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.datasets import make_moons

from surefit.estimators.kernel_logistic import KernelLogistic
from surefit.estimators.logistic import LogisticRegression
from surefit.estimators.svr import SVR
from surefit.kernels import Gaussian, median_distance
from surefit.lab.figures.figure import COOL, INK, PALE, WARM, Data, LabFigure
from surefit.theory.bounds.online import best_widrow_hoff_bound


def _moons_data(rng: np.random.Generator) -> dict[str, Any]:
    X, y = make_moons(150, noise=0.2, random_state=int(rng.integers(1000)))
    kernel = Gaussian(median_distance(X) / 2)
    model = KernelLogistic(kernel, lam=1e-3).fit(X, y)
    a, b = np.meshgrid(np.linspace(-1.8, 2.8, 60), np.linspace(-1.4, 1.8, 60))
    p = model.predict_proba(np.column_stack([a.ravel(), b.ravel()]))[:, 1].reshape(a.shape)
    straight = LogisticRegression(1e-3).fit(X, y).score(X, y)
    return {"X": X, "y": y, "a": a, "b": b, "p": p, "curved": model.score(X, y), "straight": straight}


def _draw_moons(figure: Any, data: Data) -> None:
    axes = figure.subplots()
    shade = axes.contourf(data["a"], data["b"], data["p"], levels=10, cmap="Greys", alpha=0.5)
    axes.contour(data["a"], data["b"], data["p"], levels=[0.5], colors=INK)
    for label, marker, colour in ((0, "s", COOL), (1, "o", WARM)):
        axes.plot(*data["X"][data["y"] == label].T, marker, color=colour, ms=3)
    figure.colorbar(shade, label="probability of class 1")
    axes.set(xlabel="x1", ylabel="x2")


def _tube_data(rng: np.random.Generator) -> dict[str, Any]:
    x = np.sort(rng.uniform(0, 6, size=50))
    y = np.sin(x) + 0.25 * rng.normal(size=50)
    model = SVR(Gaussian(1.0), lam=1e-3, epsilon=0.3).fit(x[:, None], y)
    grid = np.linspace(0, 6, 200)
    held = np.isin(np.arange(50), model.support_)
    return {"x": x, "y": y, "grid": grid, "f": model.predict(grid[:, None]), "held": held}


def _draw_tube(figure: Any, data: Data) -> None:
    axes = figure.subplots()
    axes.plot(data["grid"], data["f"], color=INK)
    for side in (-0.3, 0.3):
        axes.plot(data["grid"], data["f"] + side, "--", color=PALE)
    axes.plot(data["x"][~data["held"]], data["y"][~data["held"]], "o", color=COOL, ms=3, label="inside the tube")
    axes.plot(data["x"][data["held"]], data["y"][data["held"]], "s", color=WARM, ms=4, label="support vectors")
    axes.set(xlabel="x", ylabel="y")
    axes.legend()


def _loss_data(rng: np.random.Generator) -> dict[str, Any]:
    u, c = np.linspace(-2.5, 2.5, 300), 1.0
    tube = np.maximum(np.abs(u) - 0.5, 0)
    huber = np.where(np.abs(u) <= c, u**2, 2 * c * np.abs(u) - c**2)
    return {"u": u, "loss": np.array([tube, tube**2, huber, u**2])}


def _draw_loss(figure: Any, data: Data) -> None:
    axes = figure.subplots()
    names = ("tube", "quadratic tube", "Huber", "squared")
    for name, dash, loss, colour in zip(
        names, ("-", "--", "-.", ":"), data["loss"], (INK, COOL, WARM, PALE), strict=True
    ):
        axes.plot(data["u"], loss, ls=dash, color=colour, label=name, lw=1.8)
    axes.set(xlabel="error y - f(x)", ylabel="loss", ylim=(-0.1, 4))
    axes.legend()


def _ball_data(rng: np.random.Generator) -> dict[str, Any]:
    A, best = np.array([[1.0, 0.5], [0.5, 1.5]]), np.array([1.6, 0.1])
    turn = np.linspace(0, 2 * np.pi, 100_001)
    circle = np.column_stack([np.cos(turn), np.sin(turn)])
    diamond = circle / np.abs(circle).sum(axis=1)[:, None]
    risk = lambda W: np.einsum("ij,jk,ik->i", W - best, A, W - best)
    a, b = np.meshgrid(np.linspace(-1.5, 3, 80), np.linspace(-1.5, 2, 80))
    value = risk(np.column_stack([a.ravel(), b.ravel()])).reshape(a.shape)
    corner = diamond[risk(diamond).argmin()]
    return {"a": a, "b": b, "risk": value, "best": best, "l1": np.round(corner, 6), "l2": circle[risk(circle).argmin()]}


def _draw_ball(figure: Any, data: Data) -> None:
    axes = figure.subplots()
    axes.contour(data["a"], data["b"], data["risk"], levels=9, colors=PALE, linewidths=0.8)
    turn = np.linspace(0, 2 * np.pi, 200)
    axes.plot([1, 0, -1, 0, 1], [0, 1, 0, -1, 0], "-", color=WARM, label="L1 ball")
    axes.plot(np.cos(turn), np.sin(turn), "--", color=COOL, label="L2 ball")
    axes.plot(*data["l1"], "s", color=WARM)
    axes.plot(*data["l2"], "o", color=COOL)
    axes.plot(*data["best"], "x", color=INK)
    axes.set(xlabel="w1", ylabel="w2", aspect="equal")
    axes.legend()


def _online_data(rng: np.random.Generator) -> dict[str, Any]:
    """Mean losses of Widrow-Hoff on noisy rows, and the bound with the best vector in hindsight, at several times."""
    X = rng.normal(size=(4000, 4))
    X /= np.maximum(np.linalg.norm(X, axis=1), 1.0)[:, None]
    y = X @ [1.0, -1.0, 0.5, 0.0] + 0.3 * rng.normal(size=4000)
    step, w, losses = 0.05, np.zeros(4), []
    for x, target in zip(X, y, strict=True):
        losses.append((w @ x - target) ** 2)
        w = w - step * (w @ x - target) * x
    times = np.unique(np.geomspace(20, 4000, 30).astype(int))
    mean = np.cumsum(losses)[times - 1] / times
    bound = [best_widrow_hoff_bound(X[:t], y[:t], step).value / t for t in times]
    best = [np.mean((y[:t] - X[:t] @ np.linalg.lstsq(X[:t], y[:t], rcond=None)[0]) ** 2) for t in times]
    return {"t": times, "mean": mean, "bound": bound, "best": best}


def _draw_online(figure: Any, data: Data) -> None:
    axes = figure.subplots()
    axes.loglog(data["t"], data["bound"], "--", color=WARM, label="bound")
    axes.loglog(data["t"], data["mean"], "o-", color=INK, ms=3, label="Widrow-Hoff")
    axes.loglog(data["t"], data["best"], ":", color=COOL, label="best vector in hindsight")
    axes.set(xlabel="rows", ylabel="mean squared loss")
    axes.legend()


def _bandwidth_data(rng: np.random.Generator) -> dict[str, Any]:
    X = np.sort(rng.normal(size=(30, 2)), axis=0)
    widths = median_distance(X) * np.array([0.02, 1.0, 50.0])
    return {"K": np.array([Gaussian(float(w)).gram(X) for w in widths]), "width": widths}


def _draw_bandwidth(figure: Any, data: Data) -> None:
    titles = ("too small: identity", "median distance", "too large: all ones")
    for axes, K, title in zip(figure.subplots(1, 3), data["K"], titles, strict=True):
        shown = axes.imshow(K, vmin=0, vmax=1, cmap="Greys")
        axes.set(title=title, xticks=[], yticks=[])
        axes.grid(False)
    figure.colorbar(shown, ax=figure.axes, shrink=0.6)


FIGURES = (
    LabFigure(
        "F-06",
        "Kernel logistic regression on two moons",
        _moons_data,
        _draw_moons,
        lambda d: f"Training accuracy {float(d['curved']):.2f}, of a straight boundary {float(d['straight']):.2f}.",
    ),
    LabFigure(
        "F-07",
        "The tube of support-vector regression",
        _tube_data,
        _draw_tube,
        lambda d: f"epsilon = 0.3; {int(d['held'].sum())} of {len(d['x'])} rows are support vectors, on or outside it.",
    ),
    LabFigure(
        "F-08",
        "Losses for regression",
        _loss_data,
        _draw_loss,
        lambda d: "Tube of half-width 0.5, Huber with threshold 1. At an error of 2: 1.5, 2.25, 3 and 4.",
    ),
    LabFigure(
        "F-09",
        "Why the L1 ball gives zeros",
        _ball_data,
        _draw_ball,
        lambda d: (
            f"Best point of the L1 ball ({d['l1'][0]:.2f}, {d['l1'][1]:.2f}), a corner; "
            f"of the L2 ball ({d['l2'][0]:.2f}, {d['l2'][1]:.2f})."
        ),
    ),
    LabFigure(
        "F-16",
        "Widrow-Hoff beside its bound",
        _online_data,
        _draw_online,
        lambda d: (
            f"After {d['t'][-1]:,} rows: mean loss {d['mean'][-1]:.4f}, bound {d['bound'][-1]:.4f}, "
            f"best vector {d['best'][-1]:.4f}."
        ),
    ),
    LabFigure(
        "F-17",
        "Gram matrices and the bandwidth",
        _bandwidth_data,
        _draw_bandwidth,
        lambda d: (
            "Mean off the diagonal "
            + ", ".join(f"{(K.sum() - len(K)) / (K.size - len(K)):.2f}" for K in d["K"])
            + " at a fiftieth of, once and fifty times the median distance."
        ),
    ),
)
