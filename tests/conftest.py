"""Settings for the whole suite: reproducible examples, no timing in tests, no skipped scikit-learn checks.

The fixture ``protocol`` says how long simulations of guarantees are: short in the suite, at full length where
``make verify`` sets SUREFIT_VERIFY and selects the tests marked ``verify``.

The fixture ``plain`` says whether the plain-Python twins run, as in ``make plain``: sizes shrink where a twin is slow
by nature, and tests of the compiled loops themselves, marked ``compiled``, are skipped.
"""

import os
from dataclasses import dataclass

os.environ.setdefault("SCIPY_ARRAY_API", "1")  # scikit-learn skips one of its checks without it
os.environ.setdefault("MPLBACKEND", "Agg")  # figures need no screen
import pytest
from hypothesis import settings
from hypothesis.internal.conjecture import providers
from scipy.stats import binom

from surefit.compiled.door import native

settings.register_profile("surefit", deadline=None, derandomize=True)
settings.load_profile("surefit")
if hasattr(providers, "_get_local_constants"):
    # Hypothesis also tries the numbers that stand in the modules loaded so far.  Those depend on which tests a worker
    # ran before, and so on the clock: without them every run tries the same examples.
    providers._get_local_constants = lambda: providers._local_constants


@dataclass(frozen=True)
class Protocol:
    """How many samples a simulation draws, and how many of them a promise may miss by chance."""

    full: bool
    false_alarm: float = 1e-4

    @property
    def repeats(self) -> int:
        return 5000 if self.full else 2000

    @property
    def sizes(self) -> tuple[int, ...]:
        return (50, 200, 1000) if self.full else (50, 200)

    def of(self, quick: int, full: int = 5000) -> int:
        """The number of repetitions where each is a fit, too slow for ``repeats``."""
        return full if self.full else quick

    def allowed(self, repeats: int, delta: float = 0.05) -> int:
        """A promise kept with probability ``1 - delta`` is missed more often with probability below 1e-4."""
        return int(binom.ppf(1 - self.false_alarm, repeats, delta))


@pytest.fixture(scope="session")
def plain() -> bool:
    return native is None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    without = pytest.mark.skip(reason="tests the compiled loops themselves, which this run leaves out")
    for item in items:
        if native is None and item.get_closest_marker("compiled"):
            item.add_marker(without)


@pytest.fixture(scope="session")
def protocol() -> Protocol:
    return Protocol(os.environ.get("SUREFIT_VERIFY", "") == "full")
