"""Layer lab: a figure of the lectures, computed once and drawn from what was kept.

In: a function that computes arrays from a seed, one that draws them, and a caption with numbers.  Out: a `LabFigure`.
Lines differ in dashes and markers, not in colour alone, so that they can be told apart in black and white.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

Data = Mapping[str, np.ndarray]

STYLE: Any = {
    "axes.grid": True,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "figure.dpi": 110,
    "figure.figsize": (6.4, 4.0),
    "font.size": 10,
    "grid.alpha": 0.3,
    "legend.frameon": False,
    "savefig.bbox": "tight",
    "svg.hashsalt": "surefit",
}
"""One style for all figures."""
INK, WARM, COOL, PALE = "#1b1b1b", "#b5482a", "#2a6f97", "#9aa5b1"


@dataclass(frozen=True)
class LabFigure:
    """One figure: what it shows, how it is computed and drawn."""

    id: str
    title: str
    compute: Callable[[np.random.Generator], dict[str, Any]]
    draw: Callable[[Any, Data], None]
    """``draw(figure, data)`` on a matplotlib figure."""
    caption: Callable[[Data], str]

    def data(self, folder: str | Path | None = None, seed: int = 0) -> dict[str, np.ndarray]:
        """The arrays behind the figure: from ``folder`` if they were kept there, else computed, and kept."""
        path = None if folder is None else Path(folder) / f"{self.id}.npz"
        if path is not None and path.exists():
            with np.load(path, allow_pickle=False) as kept:
                if int(kept["seed"]) == seed:
                    return {name: kept[name] for name in kept.files if name != "seed"}
        made = {name: np.asarray(value) for name, value in self.compute(np.random.default_rng(seed)).items()}
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("wb") as file:
                whole: dict[str, Any] = {"seed": seed, **made}
                np.savez_compressed(file, **whole)
        return made

    def plot(self, folder: str | Path | None = None, seed: int = 0) -> Any:
        """A matplotlib figure with its caption below."""
        import matplotlib as mpl
        from matplotlib.figure import Figure

        data = self.data(folder, seed)
        with mpl.rc_context(STYLE):
            figure = Figure(layout="constrained")
            self.draw(figure, data)
            figure.suptitle(self.title, fontsize=11)
            figure.supxlabel(_wrapped(f"{self.id}: {self.caption(data)}"), fontsize=8, x=0.02, ha="left")
        return figure

    def save(self, folder: str | Path, kind: str = "svg", seed: int = 0) -> Path:
        """Write the figure to ``folder``, and its numbers beside it; returns the path of the picture."""
        import matplotlib as mpl

        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{self.id}.{kind}"
        with mpl.rc_context(STYLE):
            self.plot(folder, seed).savefig(path, metadata={"Date": None} if kind == "svg" else None)
        (folder / f"{self.id}.caption.json").write_text(
            json.dumps({"id": self.id, "title": self.title, "caption": self.caption(self.data(folder, seed))}, indent=1)
        )
        return path


def _wrapped(text: str, width: int = 110) -> str:
    from textwrap import fill

    return fill(text, width)
