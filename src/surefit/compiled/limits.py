"""Below all layers: numbers on which a compiled loop, its twin and its callers must agree."""

SMALLEST_PIVOT = 1e-10
"""A squared pivot of at most this share of the column's own square means that the column depends on those before it.

``native/growing_factor.hpp`` has the same number, as ``kSmallestPivot``.
"""
