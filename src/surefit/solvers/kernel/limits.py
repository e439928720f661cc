"""Tuned numbers of the kernel solvers: they change which route a fit takes and how long, not what it promises.

The cases of ``benchmarks/cases/kernel_ridge.py`` and ``kernel_lowrank.py`` measure what they do.  Tests change them
here, as attributes of this module.
"""

# ---- landmarks ----

LANDMARKS = 1_000
"""Landmarks of a low-rank fit unless the user says how many."""

FEWEST_LANDMARKS = 10
"""Below this many landmarks an approximation is not worth its name."""

# ---- losses other than squares: which route ----

NEWTON_POINTS = 20_000
"""Points up to which ten factorisations take minutes at most."""

CHOICE_ALL = 1_000
"""Rows up to which ``lam`` is chosen by fits of all of them; beyond, on landmarks."""

# ---- kernel ridge: which route ----

CHOLESKY_POINTS = 2_000
"""Points up to which a float64 Cholesky factor is the fastest way."""

EIGEN_POINTS = 3_000
"""Points up to which all eigenvectors are affordable: seconds."""

EXACT_POINTS = 60_000
"""Points up to which an exact fit takes minutes at most."""

DIRECT_POINTS = 20_000
"""Points up to which a factorisation may come to the rescue of conjugate gradients."""

SMALL_STORE = 1e9
"""Bytes up to which the Gram matrix is stored in float32: it saves a sweep or two, at twice the memory of 16 bits."""

ROUNDING_SHARE = 0.02
"""Largest error of the stored matrix, as a share of ``n * lam``, with which refinement gains two digits a sweep."""

ITERATIONS_EXPECTED = 60
"""Conjugate gradient iterations of a typical fit, for counting operations."""

# ---- kernel ridge: refinement ----

SWEEPS = 30
"""Most sweeps of refinement."""

INNER_ITERATIONS = 300
"""Most iterations of conjugate gradients in a sweep."""

SINGLE_BASIS = 1e-6
"""Smallest ratio of ``n * lam`` to the trace of the matrix for which a float32 preconditioner is still definite."""

# ---- ridge on landmarks ----

SAMPLE = 4096
"""Fewest rows of the sample behind the preconditioner, and most rows that are solved directly."""

SAMPLE_RATIO = 14
"""Rows of the sample for each feature: with fourteen, about 13 iterations reach the precision of float32."""

SAMPLE_BLOCK = 1024
"""Rows of the sample that are multiplied at a time."""

LANDMARK_TOL = 1e-6
"""Error at which iterations end: distance to the minimiser over the distance from zero, both by predictions."""

LANDMARK_GAP = 1e-3
"""Gap, as a share of the objective, from which on the system is factorised instead: where landmarks nearly depend on
each other and lam is tiny, rounding decides whether iterations end with a gap that says anything."""

LANDMARK_FLOOR = 1e-5
"""Reduction of the error that one run of conjugate gradients on tiles in float32 can be trusted with."""

LANDMARK_ITERATIONS = 100
"""Most iterations of conjugate gradients on landmarks."""

# ---- Newton over functions ----

NEWTON_SMALL = 4000
"""Rows up to which a factorisation is not worth sharing between threads of BLAS."""

SETTLED = 1e-26
"""Newton stops when its decrement squared, twice the decrease still expected, is this share of the null objective."""

FEATURE_ROWS = 4096
"""Rows of features that are scaled at a time."""

SOFTMAX_ACCURACY = 1e-3
"""Error that conjugate gradients leave of a Newton step with several classes, as a share of its right-hand side."""

SOFTMAX_LAST_ACCURACY = 1e-2
"""What they may leave in any case, as a share of the squared decrement at which the search ends."""

SOFTMAX_ROUGH_ACCURACY = 0.1
"""The same where the minimum is only needed roughly."""

SOFTMAX_ROUGH_UNTIL = 1e-7
"""Squared Newton decrement, as a share of the null objective, down to which steps are rough: on 800 rows of digits with
lam from 1e-3 to 1e-7 that takes 0.57 to 0.64 of the time, with 1e-5 0.60 to 0.80, with 1e-3 0.73 to 0.87."""

SOFTMAX_LARGEST_SYSTEM = 2000
"""Largest side of a system of features and classes that is factorised at every step."""

SOFTMAX_LEAST_ROOT = 1e-3
"""Root of the smallest curvature of a row that the preconditioner assumes, times the kernel's size: values are divided
by it."""

SOFTMAX_PATIENCE = 8
"""Points for each iteration with one curvature for all classes before there are factors for each class, which cost as
much as one iteration for every five points."""

SOFTMAX_LEAST_PATIENCE = 10
"""Fewest of these iterations."""

SOFTMAX_MAX_PRODUCTS = 300
"""Iterations after which a direction is taken as it is: every iterate is one of descent."""
