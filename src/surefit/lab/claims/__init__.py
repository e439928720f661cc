"""Every claim of the lab, in a folder for each part of the theory; a file is named after its first entry.

In: nothing.  Out: `Claim` records.  Doors: `every_claim` finds them all, `named` one by its number in the catalogue.
A file defines ``CLAIM``, a `Claim`, or ``CLAIMS``, a few that share their experiment.

In the order of the theory: ``bayes``, ``least_squares``, ``ridge``, ``deviation``, ``rademacher``, ``dimension``,
``algorithms`` (bounds for what is fitted), ``online``, ``kernels``, ``selection``, ``classification``; then ``costs``,
``examples`` and ``misprints``.  The map of each folder says which entries are in it.
"""

from __future__ import annotations

import re
from functools import cache
from importlib import import_module
from pkgutil import walk_packages

from surefit.lab.catalogue import UNTRIED
from surefit.lab.claim import Claim


@cache
def every_claim() -> tuple[Claim, ...]:
    """All claims, in the order of their numbers."""
    found: list[Claim] = []
    for module in walk_packages(__path__, f"{__name__}."):
        if not module.ispkg:
            members = vars(import_module(module.name))
            found += [members["CLAIM"]] if "CLAIM" in members else members.get("CLAIMS", ())
    return tuple(sorted(found, key=lambda claim: _order(claim.id)))


def named(name: str) -> Claim:
    """The claim with this number.

    >>> named("t-11").title
    'Expected excess risk of least squares in a fixed design'
    """
    for claim in every_claim():
        if claim.id.lower() == name.lower():
            return claim
    if name.upper() in UNTRIED:
        raise ValueError(
            f"{name.upper()} is not tried: {UNTRIED[name.upper()]}; docs/catalogue.md says where it is used"
        )
    raise ValueError(f"the lab has no claim {name!r}; `surefit lab list` shows those there are")


def _order(name: str) -> tuple[str, int, str]:
    kind, number, rest = re.match(r"([A-Z])-(\d+)(.*)", name).groups()  # type: ignore[union-attr]
    return kind, int(number), rest
