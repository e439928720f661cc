"""Claims of the lab about Rademacher complexity.

Out: ``CLAIM`` or ``CLAIMS`` of each file.  It is named after its first entry in the catalogue; its first line has all.

``t29.py`` (definition), ``t30.py`` (sums and hulls), ``t31.py`` (symmetrisation), ``t32.py`` (32 and 33: contraction),
``t34.py`` (powers of the error), ``t36.py`` (36 and 41: balls), ``t37.py`` (37 and 38: Euclidean ball), ``t39.py`` (39
and 40: Massart).
"""
