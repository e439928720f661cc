"""Claims of the lab about bounds for what algorithms return.

Out: ``CLAIM`` or ``CLAIMS`` of each file.  It is named after its first entry in the catalogue; its first line has all.

``t35.py`` (a class of one function), ``t42.py`` (minimising over a ball), ``t48.py`` (pseudo-dimension), ``t49.py`` (49
to 51: balls of a kernel and of columns).
"""
