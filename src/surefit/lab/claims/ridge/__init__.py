"""Claims of the lab about ridge regression.

Out: ``CLAIM`` or ``CLAIMS`` of each file.  It is named after its first entry in the catalogue; its first line has all.

``t13.py`` (eigenvalues), ``t14.py`` (mean), ``t15.py`` (bias and variance), ``t16.py`` (the best ``lam``), ``t17.py``
(a trace), ``t22.py`` (penalised and constrained), ``t85.py`` (stability).
"""
