"""Public conformance suites for losses, penalties, kernels, solvers, bounds and certificates.

In: an object of yours.  Out: nothing, or an error with a counterexample.  Doors: the functions below, ``check_...``.

Read ``drive.py`` (how counterexamples are sought and reported), then a file for each kind: ``loss.py``, ``penalty.py``,
``kernel.py``, ``solver.py``, ``certificate.py`` (bounds too), ``guaranteed.py`` (what a model says about its future).
"""

from surefit.testing.certificate import check_bound, check_certificate
from surefit.testing.guaranteed import check_certified_model
from surefit.testing.kernel import check_kernel
from surefit.testing.loss import check_loss
from surefit.testing.penalty import check_penalty
from surefit.testing.solver import check_solver

__all__ = [
    "check_bound",
    "check_certificate",
    "check_certified_model",
    "check_kernel",
    "check_loss",
    "check_penalty",
    "check_solver",
]
