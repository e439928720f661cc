"""Layer estimators: online learners of blocks: one row after the other, as `partial_fit` takes them.

In: a learner with its settings and a source.  Out: the learner, after one pass in the order of the rows.  Rows are read
ahead by another thread; who learns is this one, so that the answer is that of `partial_fit` on all rows, to the bit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from surefit.data.blocks.block import Block, Codes
from surefit.data.blocks.layout import Label, Layout, together
from surefit.estimators.blocks.reading import OfBlocks, Reading, reading


class OnlineOfBlocks(OfBlocks):
    """What online learners gain."""

    def fit_blocks(self: Any, source: Any, target: str | None = None, **options: Any) -> Any:
        """Start anew and learn from rows that are read block by block, in their order, once; see ``docs/scale.md``.

        Columns of words become indicators, whose levels take a pass of their own to know.
        """
        for name, remedy in (("weight", "rows count once each"), ("checkpoint", "surefit.save keeps a learner")):
            if options.get(name) is not None:
                raise ValueError(f"an online learner takes no {name} in fit_blocks: {remedy}")
        if getattr(self, "passes", 1) != 1:
            raise ValueError("fit_blocks reads its rows once; leave passes at 1")
        with reading(self, source, target, **options) as read:
            _complete(read)
            self._restart()
            rows = 0
            for block in read.in_order("learning"):
                y = read.targets(self, block)
                _check(read.layout, block)
                self._learn(read.matrix(block), y)
                rows += len(block)
            classes = tuple(map(str, self.classes_)) if isinstance(read.first.target, Codes) else ()
            read.finish(self, rows, classes)
        return self


@dataclass(frozen=True)
class _Labels:
    """The columns that a block needs."""

    layout: Layout

    def __call__(self, block: Block) -> tuple[Label, ...]:
        return self.layout.covering(block).labels


def _complete(read: Reading) -> None:
    """A layout that knows all levels, where the source can be read again."""
    if read.layout.columns.words and not read.source.once:
        read.layout = read.layout.completed(read.run(_Labels(read.layout), together, "finding levels"))


def _check(layout: Layout, block: Block) -> None:
    """Refuse levels that came late in a source that can be read once."""
    new = set(layout.covering(block).labels) - set(layout.labels)
    if new:
        name, level = sorted(new, key=str)[0]
        raise ValueError(f"column {name!r} has the level {level!r} in {block.place}, which the first block lacks, and "
                         "this source can be read once; give files, or a table")  # fmt: skip
