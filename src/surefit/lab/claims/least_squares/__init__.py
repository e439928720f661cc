"""Claims of the lab about least squares, at a fixed design and at a random one.

Out: ``CLAIM`` or ``CLAIMS`` of each file.  It is named after its first entry in the catalogue; its first line has all.

``t05.py`` to ``t07.py`` (projection, pseudoinverse, shortest solution), ``t08.py`` to ``t12.py`` (fixed design; the
tenth has gradients), ``t18.py`` to ``t20.py`` (random design), ``t21.py`` (push-through identity), ``t23.py`` (gradient
descent).
"""
