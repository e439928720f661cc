"""Layer executors: a Dask cluster, through its ``distributed.Client``.

In: a function and a part.  Out: a future of the cluster.  Tasks are pure: one that is lost with its worker, or run
twice, gives the same result.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from surefit.data.blocks.source import Part

RETRIES = 5
"""How often the cluster does a task again whose worker died."""

AHEAD = 2
"""Tasks under way for each thread of the cluster."""


class DaskClient:
    """The workers of a ``distributed.Client``."""

    apart = True

    def __init__(self, client: Any):
        self.client = client
        self.width = max(AHEAD * sum(client.nthreads().values()), AHEAD)

    def submit(self, function: Callable[[Part], Any], part: Part) -> Any:
        """Begin ``function(part)`` on a worker; a part that Dask itself computes stays in the cluster."""
        delayed = getattr(part, "delayed", None)
        if delayed is not None:
            blocks = self.client.compute(delayed, retries=RETRIES)
            return self.client.submit(_of_blocks, function, blocks, pure=False, retries=RETRIES)
        return self.client.submit(function, part, pure=False, retries=RETRIES)


class _Blocks:
    """Blocks that have been computed, as a part."""

    def __init__(self, found: Any):
        self.found = found

    def blocks(self) -> Any:
        return iter(self.found)


def _of_blocks(function: Callable[[Part], Any], blocks: Any) -> Any:
    return function(_Blocks(blocks))
