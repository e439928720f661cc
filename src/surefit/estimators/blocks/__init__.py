"""``fit_blocks``: models fitted to rows that do not fit into memory.

In: a source (see `surefit.data.blocks.source`), the name of its target, an executor.  Out: the model itself, fitted,
with ``blocks_``: what was read, in how many passes.

Read ``reading.py`` (a source, its passes and checkpoints), ``linear.py``, then ``search.py`` (Newton steps, a pass
each) with ``logistic.py`` and ``risk.py`` (robust regression, any smooth loss), ``kernels.py`` (landmarks) and
``online.py`` (one row after the other).
"""
