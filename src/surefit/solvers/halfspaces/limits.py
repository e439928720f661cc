"""Tuned numbers of the search for the fewest mistakes: they change how its time is spent, never what is proven.

Tests change them here, as attributes of this module.
"""

SWEEPS_PER_SECOND = 4e6
"""Rows times planes swept in a second: all cells are visited if half of the time suffices for them."""

SEARCH = 0.9
"""Share of the time for the search; the rest is for the margin of the rows that are right."""

START_ROWS = 20_000
"""Rows of which a logistic fit tells how long one of all rows would take."""

ROUNDS = 20
"""Rounds without improvement after which the local search ends."""

BATCH = 1 << 17
"""Rows times planes that are swept at once; bounds the memory."""
