"""Ours against the peers: speed at equal optimality, and correct digits on the NIST reference problems.

Not part of the installed package.  ``python -m benchmarks.run`` and ``python -m benchmarks.nist`` from the project's
root are the two ways in; README.md in this folder says how to add a problem, a peer or a case.
"""

import os

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # idle threads of one contender must not spin beside another
