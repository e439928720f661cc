"""Tuned numbers of the solvers for any loss: they change which solver runs and how long, not what its gap promises.

``benchmarks/cases/user_loss.py`` measures what they do.  Tests change them here, as attributes of this module.
"""

# ---- which solver ----

SYSTEM_LIMIT = 4000
"""Largest side of a linear system that is factorised at every step."""

DENSE_LIMIT = 20_000_000
"""Entries of the largest matrix that is formed for the gap of an unpenalised fit on a sparse design."""

# ---- Newton and prox-Newton ----

NEWTON_SETTLED = 1e-28
"""Newton stops when its squared decrement, twice the decrease still expected, is this share of the null objective."""

NEAR = 1e-6
"""Newton stops at this share on the way from a wide softened loss to a narrow one."""

NARROWING = 30.0
"""Factor by which a softened loss is narrowed on that way."""

LATE = 1e-4
"""Prox-Newton looks at the duality gap once a step lowers the objective by less than this share of it."""

MODEL_SWEEPS = 200
"""Most rounds of coordinate descent on one second-order model."""

HALVINGS = 40
"""Most halvings of a prox-Newton step."""

# ---- the method of multipliers ----

EASY_STEPS = 12
"""The envelopes narrow after a round of at most this many Newton steps: a narrow envelope needs fewer rounds."""

HARD_STEPS = 40
"""The envelopes widen after a round of at least this many: too few rows are left on a narrow one to say where to go."""

NARROWEST = 1e-6
"""Smallest width of an envelope, as a share of the first."""

SMOOTHED_STEPS = 3000
"""Proximal steps in one round, for penalties that only have a prox."""

# ---- a search on few columns ----

FIRST_COLUMNS = 50
"""Columns that work first, and that may join after a look at all columns; as many as have a coefficient if more."""

LOOKS = 30
"""Looks at all columns after which no working column is sent away again."""

MOST_COLUMNS = 0.5
"""Share of the columns from which on all of them work."""

NEAR_COLUMN = 0.9
"""A column may join if its slope has this share of its threshold."""

# ---- gradient methods ----

CHECK_EVERY = 20
"""Iterations between two looks at the duality gap."""

GROWTH = 1.5
"""Factor by which a step may be longer than the one before it."""

LBFGS_MEMORY = 20
"""Pairs of steps and gradient changes that stand in for the Hessian."""

BATCH = 32
"""Rows of a step of the solver that is known by the name ``"stochastic"``."""

DECAY = 0.25
"""How fast its steps fall where the loss has kinks; elsewhere they keep their length, and the mean settles them.

On 18 problems (squared, Huber, logistic, absolute, hinge and pinball losses; 200 to 2,000 rows) after 100 epochs:
without decay the kinked losses stop up to ten times as far from the minimum, with it the smooth ones a hundred times.
"""

CALM_ROWS = 4
"""Rows of a step from which on it may be as long as the curvature allows: fewer are too noisy."""

# ---- balancing a dual point ----

CORRECTIONS = 8
"""Most corrections by which a dual point is balanced inside its domain."""
