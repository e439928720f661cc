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
) + tuple(
    f"E-{number:03d}"
    for number in (15, 16, 17, 18, 19, 23, 29, 34, 52, 54, 61, 62, 69, 74, 76, 77, 80, 82, 84, 85, 95, 96, 105, 110)
)
"""Decompositions, theorems, criteria, complexities, worked examples, and misprints that are wrong as printed."""

UNTRIED = {
    "E-015": "the printed constant 2 cannot be derived, but no law is known that refutes it; the library uses 4",
    "T-58": "that a problem is NP-complete is proved by a reduction, not by an experiment",
    "T-59": "that no polynomial algorithm approximates it is a statement about all algorithms",
    "T-63": "continuity of evaluations in a space of functions is a statement about limits in that space",
    "T-64": "uniqueness of the reproducing kernel is proved, there is nothing to observe",
}
"""Entries with a documentation page in place of a claim, and the reason."""
