"""Exact risks, biases and variances where the law of the data is known.

In: a law, or a design with true coefficients and noise.  Out: expected risks and their parts, without simulation.
A door for each question; nothing here is fitted to data.

Read ``risk.py`` (risks of any loss and how they decompose), ``finite_law.py`` (laws on finitely many points), then
``least_squares.py`` and ``ridge.py`` (fixed and random designs), ``conditioning.py`` (eigenvalues of a design),
``prior.py`` (a penalty as a prior), ``geometry.py`` (planes and margins), ``calculus.py`` (derivatives).
"""
