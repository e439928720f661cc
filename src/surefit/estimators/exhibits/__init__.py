"""Models that exist to show something: memory without learning, votes of neighbours, the rule of known probabilities.

In: tables.  Out: fitted models as in the folder above.  ``memoriser.py`` predicts what it has seen, ``neighbours.py``
what the nearest rows say, ``plug_in.py`` the class of least expected cost, ``threshold.py`` by a number for a column.
"""
