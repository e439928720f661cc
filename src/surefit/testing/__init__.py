"""Public conformance suites for losses, penalties, kernels, solvers, bounds and certificates."""

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
