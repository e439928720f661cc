"""Who solves it: one rival per file, ours among them.

A peer is a module with

- ``name``: how tables call it; ``packages``: the distributions whose versions are recorded;
- ``convention``: one line, how its parameters follow from ours;
- adapter functions ``task(problem: Problem) -> Answer``, one for each way it can be used;
- optionally ``own_process = True``: it is then run in a process of its own (see ``benchmarks.own_process``) by
  ``interpreter``, by default this one.  Such a file must import its rival inside the adapters, since the harness
  imports the file too.

A contender is written ``"file:task"``, for instance ``"scikit_learn:ridge"``.
"""

import importlib
from collections.abc import Callable
from types import ModuleType

from benchmarks.problems import Answer, Problem

Adapter = Callable[[Problem], Answer]


def find_peer(contender: str) -> tuple[ModuleType, Adapter]:
    """The module and the adapter of ``"file:task"``; ``ModuleNotFoundError`` if the rival is not installed.

    >>> find_peer("numpy_lstsq:least_squares")[0].name
    'numpy lstsq'
    """
    file, _, task = contender.partition(":")
    peer = importlib.import_module(f"benchmarks.peers.{file}")
    adapter = getattr(peer, task, None)
    if adapter is None:
        raise ValueError(f"peer {file!r} has no adapter {task!r}; write it in benchmarks/peers/{file}.py")
    return peer, adapter
