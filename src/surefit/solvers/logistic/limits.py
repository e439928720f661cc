"""Tuned numbers of logistic regression: they change which solver runs and how long, not what its gap promises.

The cases of ``benchmarks/cases/logistic.py`` measure what they do.  Tests change them here, as attributes of this
module.
"""

# ---- which solver ----

NEWTON_PARAMETERS = 1_000
"""Parameters up to which the whole Hessian is formed at every step."""

NEWTON_WORK = 2e8
"""Multiplications up to which it is; five times that for several classes, a hundred times without a penalty."""

GAP_ENTRIES = 4_000_000
"""Entries of the largest design for which an unpenalised fit gets a duality gap."""

# ---- passes over the rows ----

BLOCK_ENTRIES = 400_000
"""Entries of a block of rows: both products with a block find it in the cache the second time."""

WORTH_A_THREAD = 100_000
"""Entries of a design whose rows are shared between threads."""

# ---- coordinates ----

WORTH_A_COPY = 2_000_000
"""Entries up to which a dense design is copied into good coordinates without asking."""

COLUMN_SAMPLE = 300
"""Rows that speak for the columns of a large design."""

NEIGHBOURS = 64
"""Rows whose differences show whether a column has its range from a few outliers."""

# ---- Newton ----

NEWTON_SETTLED = 1e-26
"""Newton stops when its squared decrement, twice the decrease still expected, is this share of the objective."""

HALVINGS = 40
"""Most halvings of a step."""

# ---- L-BFGS ----

MEMORY = 20
"""Pairs of steps and gradient changes that are remembered."""

FIRST_LOOK = 6
"""Evaluations after which the pace of the first metric is judged."""

LONG = 15
"""A better metric is built if at that pace more evaluations than this are left."""

WIDEST = 8000
"""Columns up to which a metric is built at all: it is a matrix of that side."""

START_ROWS = (2_000, 10_000)
"""Rows of the samples on which a start is looked for, one after the other."""

START_STEPS = (4, 1)
"""Newton steps on each of these samples: more would fit the noise of the sample."""

WORTH_SINGLE = 2_000_000
"""Entries from which a copy of the rows in single precision pays."""

ENOUGH = 0.25
"""Share of the tolerance at which the iteration ends: what is still expected is only an estimate."""

TRIES = 25
"""Most evaluations of one line search."""

# ---- the metric ----

FEW_COLUMNS = 64
"""Columns up to which a quarter of the rows is sampled instead of an eighth: their Gram matrix costs little."""

RUN = 512
"""Neighbouring rows of a sample, which are read fastest."""

SPREAD_ROWS = 5000
"""Rows on which the covariance of the classes is measured."""

LOOK_ROWS = 256
"""Rows on which columns are compared to see whether they are correlated."""

ENTANGLED = 1.0
"""Mean over the columns of their summed squared correlations with all others from which a metric pays at once."""

# ---- prox-Newton, for an L1 part ----

PATIENCE = 25
"""Rounds in which the gap has not halved after which rounding is held to be the limit."""

MODEL_ROUNDS = 30
"""Model steps on one working set before all columns are looked at again."""

GRAM_LIMIT = 2500
"""Working columns of a sparse design up to which their Gram matrix is formed if sweeps do not suffice."""

SWEEPS = 1000
"""Most sweeps over sparse columns before all columns are looked at again."""

FEW_SWEEPS = 100
"""The least of these where a Gram matrix can take over: columns that depend on each other need its Newton steps."""

AHEAD = 2.0
"""Sweeps stop at this multiple of the tolerance: their estimate is of the point before the last, and cautious."""

TIGHTER = 0.3
"""Factor of what sweeps may leave, after a round in which they left too much."""

FINER = 0.1
"""Factor of what models may leave, after a round in which the gap has not halved.

The gap can lie far above the excess: it is as large as the slopes are wrong, the excess as large as their squares.
"""

FINEST = 1e-17
"""Share of the objective below which models are never asked to go."""

FEW_OF_ALL = 0.05
"""Share of the columns of a sparse design up to which it pays to pick them out for a product."""

NEAR = 0.2
"""Share of its threshold that a slope may lack for its column to join the working set."""

# ---- separation ----

CHEAP_PROGRAMME = 100_000
"""Entries of a design whose linear programme costs no more than a Newton step would."""

LARGE_PROGRAMME = 200_000
"""Entries from which a column that separates alone is answer enough: a linear programme would take long."""

DENSE_BOUNDARY = 20_000_000
"""Entries up to which the rows on a boundary are factorised."""
