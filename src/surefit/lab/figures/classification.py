"""Layer lab: figures of thresholds, losses, planes and shattering.  Catalogue F-02..F-04, F-10, F-12..F-14."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from scipy.stats import norm

from surefit.lab.figures.figure import COOL, INK, PALE, WARM, Data, LabFigure
from surefit.solvers.halfspaces.perceptron import perceptron

MARKERS = ("o", "s")


def _threshold_data(rng: np.random.Generator) -> dict[str, Any]:
    a, x = np.linspace(-6, 6, 601), np.array([-4.0, -1, 3, 4])
    labels = np.array([[0, 0, 1, 1], [0, 1, 0, 1]])
    risk = ((x >= a[:, None])[None] != labels[:, None]).mean(axis=2)
    return {"a": a, "x": x, "labels": labels, "risk": risk}


def _draw_threshold(figure: Any, data: Data) -> None:
    for axes, labels, risk, title in zip(
        figure.subplots(1, 2, sharey=True), data["labels"], data["risk"], ("separable", "mixed"), strict=True
    ):
        axes.plot(data["a"], risk, "-", color=INK, drawstyle="steps-post")
        for x, label in zip(data["x"], labels, strict=True):
            axes.plot(x, -0.06, MARKERS[label], color=(COOL, WARM)[label], clip_on=False)
        axes.set(xlabel="threshold a", title=title, ylim=(-0.1, 0.6))
    figure.axes[0].set_ylabel("empirical risk of 1[x >= a]")


def _truth_data(rng: np.random.Generator) -> dict[str, Any]:
    x, a = np.linspace(-3.5, 3.5, 400), np.linspace(-3, 3, 200)
    return {"x": x, "density": norm.pdf(x), "a": a, "risk": np.abs(norm.cdf(a) - 0.5)}


def _draw_truth(figure: Any, data: Data) -> None:
    left, right = figure.subplots(1, 2)
    left.plot(data["x"], data["density"], color=INK)
    between = (data["x"] >= 0) & (data["x"] <= 1)
    left.fill_between(data["x"][between], data["density"][between], color=WARM, alpha=0.5, hatch="//")
    left.set(xlabel="x", ylabel="density of X", title="where f_1 errs")
    right.plot(data["a"], data["risk"], color=INK)
    right.plot(1, norm.cdf(1) - 0.5, "o", color=WARM)
    right.set(xlabel="threshold a", ylabel="risk of 1[x >= a]")


def _memory_data(rng: np.random.Generator) -> dict[str, Any]:
    return {"x": np.sort(rng.normal(size=25))}


def _draw_memory(figure: Any, data: Data) -> None:
    axes = figure.subplots()
    positive = data["x"] >= 0
    axes.vlines(data["x"][positive], 0, 1, color=WARM, lw=1)
    axes.plot(data["x"][positive], np.ones(positive.sum()), "o", color=WARM, ms=4, label="rows of class 1")
    axes.plot(data["x"][~positive], np.zeros((~positive).sum()), "s", color=COOL, ms=4, label="rows of class 0")
    axes.plot([-2.6, 2.6], [0, 0], color=INK)
    axes.set(xlabel="x", ylabel="answer")
    axes.legend()


def _loss_data(rng: np.random.Generator) -> dict[str, Any]:
    m = np.linspace(-2.2, 2.2, 400)
    losses = [m <= 0, np.maximum(-m, 0), (1 - m) ** 2, np.log1p(np.exp(-m)), np.maximum(1 - m, 0)]
    return {"margin": m, "loss": np.array(losses, dtype=float)}


def _draw_loss(figure: Any, data: Data) -> None:
    axes = figure.subplots()
    names, dashes = (
        ("0-1", "perceptron", "squared", "logistic", "hinge"),
        ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1))),
    )
    for name, dash, loss, colour in zip(names, dashes, data["loss"], (INK, COOL, PALE, WARM, "#4f772d"), strict=True):
        axes.plot(data["margin"], loss, ls=dash, color=colour, label=name, lw=1.8)
    axes.set(xlabel="margin t f(x)", ylabel="loss", ylim=(-0.1, 4))
    axes.legend()


def _sigmoid_data(rng: np.random.Generator) -> dict[str, Any]:
    z = np.linspace(-6, 6, 300)
    a, b = np.meshgrid(np.linspace(-3, 3, 80), np.linspace(-3, 3, 80))
    return {"z": z, "g": 1 / (1 + np.exp(-z)), "a": a, "b": b, "p": 1 / (1 + np.exp(-(a + 2 * b - 0.5)))}


def _draw_sigmoid(figure: Any, data: Data) -> None:
    left, right = figure.subplots(1, 2)
    left.plot(data["z"], data["g"], color=INK, label="g")
    left.plot(data["z"], data["g"] * (1 - data["g"]), "--", color=WARM, label="g' = g (1 - g)")
    left.set(xlabel="w'x + b")
    left.legend()
    levels = right.contour(
        data["a"], data["b"], data["p"], levels=[0.1, 0.3, 0.5, 0.7, 0.9], colors=INK, linewidths=0.9
    )
    right.clabel(levels, fontsize=7)
    right.set(xlabel="x1", ylabel="x2")


def _shatter_data(rng: np.random.Generator) -> dict[str, Any]:
    return {"z": np.array([1.0, 2.0]), "t": np.array([0.4, 0.7]), "x": np.linspace(0.5, 2.5, 50)}


def _draw_shatter(figure: Any, data: Data) -> None:
    (z1, z2), (t1, t2) = data["z"], data["t"]
    for axes, (above1, above2) in zip(
        figure.subplots(1, 4, sharey=True), itertools.product((False, True), repeat=2), strict=True
    ):
        ends = t1 + (0.25 if above1 else -0.25), t2 + (0.25 if above2 else -0.25)
        axes.plot(data["x"], ends[0] + (ends[1] - ends[0]) * (data["x"] - z1) / (z2 - z1), color=INK)
        axes.plot(data["z"], data["t"], "o", color=WARM)
        axes.set(title=f"{int(above1)}{int(above2)}", xlabel="z", ylim=(-0.3, 1.4))
    figure.axes[0].set_ylabel("g(z), levels t")


def _update_data(rng: np.random.Generator) -> dict[str, Any]:
    X = rng.normal(size=(40, 2)) * [1.3, 0.5]
    labels = np.where(X @ [0.3, 1.0] > 0, 1, -1)
    X = X + 0.04 * labels[:, None] * np.array([0.3, 1.0])
    steps, w = [np.zeros(2)], np.zeros(2)
    for _ in range(50):
        for x, t in zip(X, labels, strict=True):
            if t * (w @ x) <= 0:
                w = w + t * x
                steps.append(w)
    count = perceptron(X, labels, max_epochs=100).mistakes.sum()
    return {"X": X, "labels": labels, "steps": np.array(steps), "count": count}


def _draw_update(figure: Any, data: Data) -> None:
    axes = figure.subplots()
    for label, marker, colour in ((-1, "s", COOL), (1, "o", WARM)):
        axes.plot(*data["X"][data["labels"] == label].T, marker, color=colour, ms=4)
    ends = np.array([-3.0, 3.0])
    for k, w in enumerate(data["steps"][1:]):
        last = k == len(data["steps"]) - 2
        direction = np.array([-w[1], w[0]]) / np.linalg.norm(w)
        axes.plot(*(ends[:, None] * direction).T, "-" if last else ":", color=INK, lw=1.8 if last else 0.8)
    axes.set(xlabel="x1", ylabel="x2", xlim=(-3, 3), ylim=(-3, 3), aspect="equal")


FIGURES = (
    LabFigure(
        "F-02",
        "Empirical risk of thresholds",
        _threshold_data,
        _draw_threshold,
        lambda d: (
            f"Smallest risk {d['risk'][0].min():.2f} on (-1, 3] left, {d['risk'][1].min():.2f} on two pieces right."
        ),
    ),
    LabFigure(
        "F-03",
        "A threshold beside the truth",
        _truth_data,
        _draw_truth,
        lambda d: f"X is standard normal, Y = 1[X >= 0]. The risk of f_1 is the hatched area, {norm.cdf(1) - 0.5:.4f}.",
    ),
    LabFigure(
        "F-04",
        "Knowing rows by heart",
        _memory_data,
        _draw_memory,
        lambda d: f"{len(d['x'])} rows, training error 0, risk 1/2: it answers 0 wherever it has seen nothing.",
    ),
    LabFigure(
        "F-10",
        "Losses for classification",
        _loss_data,
        _draw_loss,
        lambda d: "At margin -2: 0-1 loss 1, perceptron 2, squared 9, logistic 2.127, hinge 3.",
    ),
    LabFigure(
        "F-12",
        "The sigmoid and a linear boundary",
        _sigmoid_data,
        _draw_sigmoid,
        lambda d: (
            f"g rises from {d['g'][0]:.4f} to {d['g'][-1]:.4f}; its slope is at most 1/4; right: P = 1/2 on a line."
        ),
    ),
    LabFigure(
        "F-13",
        "Two points shattered by lines",
        _shatter_data,
        _draw_shatter,
        lambda d: (
            f"All four patterns above and below the levels {d['t'][0]} and {d['t'][1]}: pseudo-dimension at least 2."
        ),
    ),
    LabFigure(
        "F-14",
        "Updates of the perceptron",
        _update_data,
        _draw_update,
        lambda d: f"{int(d['count'])} updates until the solid line separates the classes.",
    ),
)
