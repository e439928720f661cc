"""Claims of the lab about shattering and pseudo-dimension.

Out: ``CLAIM`` or ``CLAIMS`` of each file.  It is named after its first entry in the catalogue; its first line has all.

``t43.py`` (shattering), ``t44.py`` (non-decreasing maps), ``t45.py`` (45 to 47: vector spaces, hyperplanes,
polynomials).
"""
