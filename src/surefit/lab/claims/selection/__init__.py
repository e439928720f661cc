"""Claims of the lab about criteria, degrees of freedom, sample sizes.

Out: ``CLAIM`` or ``CLAIMS`` of each file.  It is named after its first entry in the catalogue; its first line has all.

``s01.py`` (Cp), ``s05.py`` (folds and leave-one-out), ``s06.py`` (tubes), ``s08.py`` (best ``lam``), ``s09.py``
(degrees of freedom), ``s11.py`` (ties), ``s12.py`` (how many rows), ``t75.py`` (optimism), ``t76.py`` (leave-one-out
without refitting), ``t77.py`` (AIC and Cp).
"""
