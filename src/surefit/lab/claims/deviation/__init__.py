"""Claims of the lab about how far means stray from expectations.

Out: ``CLAIM`` or ``CLAIMS`` of each file.  It is named after its first entry in the catalogue; its first line has all.

``t24.py`` (Hoeffding), ``t25.py`` (a finite class), ``t26.py`` (one predictor), ``t27.py`` (McDiarmid), ``t28.py`` (one
row changes little).
"""
