"""How it is minimised: nine families of solvers, with their doors.

In: a design or a kernel, targets, a loss, a penalty, ``lam``.  Out: a `Solution` (``solution.py``): coefficients, a
status in the words that a user reads, and a gap never below the true excess.  Online learners give a state instead.
- ``linear``: least squares and ridge; ``least_squares.ridge``.
- ``lasso``: lasso and elastic net along a grid of ``lam``; ``solve.elastic_net_path``.
- ``any_loss``: any loss with any penalty; ``solve.minimise``.
- ``logistic``: logistic regression, two classes or more; ``solve.solve_logistic``.
- ``kernel``: kernel ridge, and smooth losses over a kernel; ``ridge.kernel_ridge``, ``newton.kernel_newton``.
- ``support_vectors``: the tubes of SVR and the hinge of SVC; ``solve.solve_by_points``.
- ``halfspaces``: perceptron, separability, largest margin, fewest mistakes; a door for each question.
- ``online``: one row, one prediction, one step; ``state.LinearState.learn_block``.
- ``blocks``: rows that are never in memory together; ``factor.Factorise``, ``newton.SumsAt``, ``risk.RiskAt``.

What all families may use: ``cost.py`` (plans), ``line_search.py``, ``damped_newton.py``, ``conjugate_gradients.py``,
``normal_equations.py`` (a Newton step), ``margin_programme.py`` (are classes separable?).  Tuned numbers are in the
``limits.py`` of a family.
"""
