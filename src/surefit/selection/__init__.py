"""Which ``lam``, which kernel: grids, folds, criteria and the choice."""
