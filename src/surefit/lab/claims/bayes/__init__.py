"""Claims of the lab about risks, and the predictors that no other beats.

Out: ``CLAIM`` or ``CLAIMS`` of each file.  It is named after its first entry in the catalogue; its first line has all.

``r01.py`` (1 to 4: risks of a fixed predictor), ``r05.py`` (5 to 8: how an excess risk splits), ``t01.py`` (tower
property), then Bayes predictors: ``t02.py`` (at every point), ``t03.py`` (error rate), ``t04.py`` (squared loss).
"""
