"""Without the compiled loops everything still works, with one clear warning."""

import os
import subprocess
import sys

import pytest

WITHOUT_COMPILER = """
import os, sys, warnings
if "SUREFIT_PLAIN" not in os.environ:
    sys.modules["surefit._native"] = None          # what an install without a compiler looks like
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    import surefit
    import numpy as np
    x = np.arange(21.0)
    X = np.stack([x**k for k in range(1, 6)], axis=1)
    y = 1 + X.sum(axis=1)
    model = surefit.LeastSquares().fit(X, y)
    again = surefit.LeastSquares(solver="stochastic").fit(X[:, :1] / 20, y / y.max())
said = [str(w.message) for w in caught if "compiled loops" in str(w.message)]
assert len(said) == 1 and ("SUREFIT_PLAIN" if "SUREFIT_PLAIN" in os.environ else "C++17 compiler") in said[0], said
assert surefit.compiled.door.gram_descent.__module__ == "surefit.compiled.twins.coordinate"
np.testing.assert_allclose(model.coef_, 1, rtol=1e-14)
np.testing.assert_allclose(model.intercept_, 1, rtol=1e-12)
assert again.solution_.gap < 1e-2
"""


@pytest.mark.parametrize("asked", [{}, {"SUREFIT_PLAIN": "1"}], ids=["no compiler", "asked for"])
def test_the_twins_take_over_with_exactly_one_warning(asked):
    others = {name: value for name, value in os.environ.items() if name != "SUREFIT_PLAIN"}
    subprocess.run([sys.executable, "-c", WITHOUT_COMPILER], check=True, env=others | asked)


def test_the_import_succeeds_and_speaks_where_warnings_are_errors():
    words = [sys.executable, "-W", "error::RuntimeWarning", "-c", "import surefit.compiled.door"]
    ran = subprocess.run(words, check=True, env=os.environ | {"SUREFIT_PLAIN": "1"}, capture_output=True, text=True)
    assert ran.stderr.startswith("the compiled loops of surefit are left out because SUREFIT_PLAIN is set")


SHORT_OF_MEMORY = """
import re, resource
import numpy as np
import surefit
from surefit.kernels.fold import fold

C, A, Y, weight = np.ones((64, 1 << 18)), np.ones((1 << 18, 1)), np.ones((64, 1)), np.ones(64)
expected = fold(C, A, Y, weight, threads=1)
outcomes = set()
for spare in range(0, 96, 2):
    used = int(re.search(r"VmSize:\\s+(\\d+)", open("/proc/self/status").read())[1]) << 10
    resource.setrlimit(resource.RLIMIT_AS, (used + (spare << 20), resource.RLIM_INFINITY))
    try:
        np.testing.assert_array_equal(fold(C, A, Y, weight, threads=8), expected)
        outcomes.add("done")
    except MemoryError:
        outcomes.add("refused")
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
assert outcomes == {"done", "refused"}, outcomes
"""


@pytest.mark.compiled
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux limits the memory of a process this way")
def test_threads_without_memory_raise_an_error_and_missing_threads_are_done_without():
    """From memory for nothing to memory for all: the work is done, by however many threads, or refused."""
    subprocess.run([sys.executable, "-c", SHORT_OF_MEMORY], check=True)


AT_THE_END = """
import threading, time
import numpy as np
from surefit.compiled.door import dense_prints

X, odd, total = np.ones((2000, 50)), np.ones(50, dtype=np.uint64), np.zeros(2000, dtype=np.uint64)

def go_on():
    while True:
        dense_prints(X, odd, 1, total)

threading.Thread(target=go_on, daemon=True).start()
time.sleep(0.3)
"""


@pytest.mark.compiled
def test_a_process_may_end_while_a_daemon_thread_is_in_a_loop():
    """The thread was ended where it asked for the GIL, and with it the process, by an error."""
    for _ in range(3):
        subprocess.run([sys.executable, "-c", AT_THE_END], check=True)
