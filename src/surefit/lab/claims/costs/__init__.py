"""Claims of the lab about what algorithms cost, counted.

Out: ``CLAIM`` or ``CLAIMS`` of each file.  It is named after its first entry in the catalogue; its first line has all.

``c01.py`` (1, 4, 5, 8: multiplications), ``c02.py`` (2, 3, 9, 10: kernel values), ``c06.py`` (6 and 7: slow
perceptrons, labellings by planes).
"""
