"""Claims of the lab about learners that see one row at a time.

Out: ``CLAIM`` or ``CLAIMS`` of each file.  It is named after its first entry in the catalogue; its first line has all.

``t52.py`` (potential of Widrow-Hoff), ``t53.py`` (53 and 54: its total loss), ``t55.py`` (one update of the
perceptron), ``t56.py`` (56 and 57: how many updates), ``t60.py`` (separability).
"""
