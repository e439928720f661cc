"""The comparison of copies: what it plants is what it says."""

import numpy as np

from benchmarks.copies import CHANGES, power, smote


def test_new_rows_lie_between_two_of_the_rarer_label_and_make_both_as_frequent():
    rng = np.random.default_rng(0)
    X, label = rng.normal(size=(80, 3)), np.arange(80) < 20
    more, labels, new = smote(rng, X, label, standardised=True)
    assert np.sum(labels == 1) == np.sum(labels == 0) == 60
    assert np.sum(new) == 40
    few = X[label]
    for row in more[new][:5]:
        a, b = row - few[:, None], few[None] - few[:, None]
        along = np.sum(a * b, axis=2) / np.maximum(np.sum(b * b, axis=2), 1e-300)
        off = np.linalg.norm(a - along[:, :, None] * b, axis=2)
        assert np.min(off[(along >= 0) & (along <= 1)]) < 1e-12


def test_changed_copies_of_a_continuous_table_are_found_and_unchanged_tables_are_left_alone():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(300, 6)), rng.normal(size=300)
    for change in CHANGES.values():
        assert power(X, y, change) == (1.0, 1.0)
    assert power(X, y, lambda rng, rows: rng.normal(size=rows.shape))[0] == 0.0
