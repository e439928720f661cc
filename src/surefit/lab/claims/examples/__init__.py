"""Claims of the lab about small examples with numbers.

Out: ``CLAIM`` or ``CLAIMS`` of each file.  It is named after its first entry in the catalogue; its first line has all.

``x02.py`` (2 to 5, 8 to 10), ``x06.py`` (6 and 7: thresholds on four rows), ``x11.py`` (11 to 17: designs, kernels by
hand, planes and a limit).
"""
