"""Public conformance suites for losses, penalties and solvers, driven by Hypothesis."""

from surefit.testing.loss import check_loss
from surefit.testing.penalty import check_penalty
from surefit.testing.solver import check_solver

__all__ = ["check_loss", "check_penalty", "check_solver"]
