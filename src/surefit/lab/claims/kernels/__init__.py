"""Claims of the lab about kernels, their spaces, and what is fitted in them.

Out: ``CLAIM`` or ``CLAIMS`` of each file.  It is named after its first entry in the catalogue; its first line has all.

``t61.py`` (inner products), ``t62.py`` (62 and 67: reproducing property), ``t65.py`` (one function, written in two
ways), ``t66.py`` (what keeps a kernel a kernel), ``t68.py`` (representer theorem), ``t69.py`` and ``t70.py`` (kernel
ridge), ``t71.py`` (Mercer), ``t72.py`` (dual of ridge), ``t73.py`` and ``t74.py`` (support vectors).
"""
