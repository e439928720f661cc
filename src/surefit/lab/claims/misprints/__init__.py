"""Claims of the lab about statements that were printed wrongly, each shown to fail.

Out: ``CLAIM`` or ``CLAIMS`` of each file.  It is named after its first entry in the catalogue; its first line has all.

``e016.py`` (online learning; 16 to 105), ``e023.py`` (kernels and costs; 23 to 69), ``e076.py`` (support vectors and
dimensions; 74 to 110).
"""
