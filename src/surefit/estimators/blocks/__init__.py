"""``fit_blocks``: models fitted to rows that do not fit into memory.

In: a source (see `surefit.data.blocks.source`), the name of its target, an executor.  Out: the model itself, fitted,
with ``blocks_``: what was read, in how many passes.

Read ``reading.py`` (a source, its passes and checkpoints), then ``linear.py`` and ``logistic.py``.
"""
