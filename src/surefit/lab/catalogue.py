"""Layer lab: which entries of the catalogue the lab answers for, and why some of them cannot be tried."""

ENTRIES = tuple(
    f"{kind}-{number:02d}"
    for kind, numbers in (
        ("R", range(1, 13)),
        ("T", range(1, 86)),
        ("S", range(1, 13)),
        ("C", range(1, 11)),
        ("X", range(2, 18)),
    )
    for number in numbers
)
"""Decompositions, theorems, criteria, complexities and worked examples."""

UNTRIED = {
    "T-58": "that a problem is NP-complete is proved by a reduction, not by an experiment",
    "T-59": "that no polynomial algorithm approximates it is a statement about all algorithms",
    "T-63": "continuity of evaluations in a space of functions is a statement about limits in that space",
    "T-64": "uniqueness of the reproducing kernel is proved, there is nothing to observe",
}
"""Entries with a documentation page in place of a claim, and the reason."""
