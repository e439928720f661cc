"""The compiled loops behind one door, and what each of them means in plain Python.

In: arrays of the right shape.  Out: answers, mostly written into arrays that the caller gives.  Door: ``door.py``,
which takes the compiled loops where they were built and their twins elsewhere.  The loops were compiled once for each
level of processors; ``levels.py`` chooses.

``twins/`` is the specification: a file for each family of loops, with the same arguments and steps.  ``doubled.py`` has
sums and products with their exact errors, ``splitmix.py`` the mixing of 64-bit numbers, ``limits.py`` the numbers on
which loops and callers must agree.
"""
