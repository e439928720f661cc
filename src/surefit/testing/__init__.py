"""Public conformance suites for losses, penalties, kernels and solvers, most of them driven by Hypothesis."""

from surefit.testing.kernel import check_kernel
from surefit.testing.loss import check_loss
from surefit.testing.penalty import check_penalty
from surefit.testing.solver import check_solver

__all__ = ["check_kernel", "check_loss", "check_penalty", "check_solver"]
