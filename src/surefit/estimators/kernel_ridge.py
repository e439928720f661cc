"""Layer estimators: `KernelRidge`, exact when possible, of low rank when not, with ``lam`` by exact leave-one-out."""

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import RegressorMixin

from surefit.data.design import Design
from surefit.data.tables import validate_data
from surefit.estimators.blocks.kernels import KernelRidgeOfBlocks
from surefit.estimators.kinds.kernel_squares import KernelSquares
from surefit.guarantee.certifiable import certifiable
from surefit.guarantee.factored import landmark_features
from surefit.guarantee.intervals import PredictsIntervals
from surefit.guarantee.stored_intervals import StoredIntervals, StoredTargets
from surefit.guarantee.theorems.regressors import kernel_ball
from surefit.guarantee.theorems.training_rows import TrainingSet
from surefit.selection.folds import CV
from surefit.solvers.kernel.limits import LANDMARKS
from surefit.theory.certificates.training_set import Designated


class KernelRidge(KernelRidgeOfBlocks, PredictsIntervals, RegressorMixin, KernelSquares):
    """Minimise ``mean((y - f(x))**2) + lam * ||f||**2`` over the functions of a kernel.  Catalogue A-12, A-13, A-06.

    ``f(x) = sum_i dual_coef_[i] * k(x_i, x) + intercept_``.  scikit-learn's ``alpha`` is ``n * lam``.

    Parameters
    ----------
    kernel : a `Kernel`; ``None``: ``Gaussian("median")``; a word: ``"gaussian"`` or ``"rbf"``, ``"laplace"``,
        ``"matern"`` (each with the median distance), ``"linear"`` or ``"polynomial"``.  A list of them: that with
        the smallest criterion, each at its best ``lam``.
    lam : penalty, ``>= 0``.  ``None``: chosen from ``lams`` by ``criterion`` (above 3,000 points that of a low-rank
        approximation, which ``selection_.chosen_by`` then says).
    lams : grid to choose from; ``None``: 50 values over the kernel's spectrum, from where nothing is left of ``f`` down
        to where rounding decides; a choice at the lower end warns if the error still falls there.
    criterion : ``"loo"``: the mean squared exact leave-one-out error, for all ``lam`` from one eigendecomposition;
        ``"cv"``: the mean squared error on held-out folds, for rows that come in groups.
    cv : number of shuffled folds (equal rows stay together), or a scikit-learn splitter, or an iterable of splits.
    select : ``"min"``: the minimiser of the criterion; ``"one_se"``: the largest ``lam`` within one standard error.
    fit_intercept : add an offset ``b`` that is not penalised; without it ``f`` is pulled towards zero, not the mean.
    solver : ``"exact"``, ``"nystroem"`` (landmarks drawn from the rows), ``"partial cholesky"`` (landmarks chosen where
        the earlier ones explain least), or ``"auto"``: exact if memory allows and it takes minutes at most.
    n_landmarks : rank of the low-rank methods.
    max_residual : relative residual of the linear system, in float64, at which an iterative exact fit stops.
    memory : bytes the fit may take beside the data; ``None``: half of the machine's.  Landmarks are cut to fit.
    random_state : seed of the folds, of the landmarks and of the rows that ``certify`` holds out.

    Equal rows count as one point of their total weight: leave-one-out leaves a point out with all its copies, and
    neither copies nor the scale of the weights changes the choice.

    Attributes
    ----------
    dual_coef_ : (m,) or (m, k), the weights of ``points_``, which are the training rows, or the landmarks.
    intercept_, lam_, kernel_ (settled for the data), plan_, solution_ : gap, residual, method.  A low-rank fit has the
        status ``LOW_RANK`` and an infinite gap: it is not known how far the whole kernel's minimum lies below.
    selection_ : the `Selection`, or None if one kernel and ``lam`` were given.  lam_path_, criterion_path_,
        criterion_se_, lam_min_, lam_1se_ : its grid, the error on it with its standard error, both choices.

    >>> from surefit.kernels import Linear
    >>> model = KernelRidge(Linear(), lam=1 / 3).fit([[1.0], [2.0], [3.0]], [1.0, 3.0, 5.0])
    >>> float(model.predict([[1.0]])[0].round(9))                         # ridge with its slope 2 shrunken to 4 / 3
    1.666666667
    >>> print(KernelRidge().plan(20_000, 10).solver)
    conjugate gradients
    """

    def __init__(  # noqa: PLR0913 - the hyper-parameters of scikit-learn estimators are arguments
        self,
        kernel: Any = None,
        lam: float | None = None,
        *,
        lams: Any = None,
        criterion: str = "loo",
        cv: Any = CV,
        select: str = "min",
        fit_intercept: bool = True,
        solver: str = "auto",
        n_landmarks: int = LANDMARKS,
        max_residual: float = 1e-8,
        memory: float | None = None,
        random_state: Any = 0,
    ):
        self.kernel = kernel
        self.lam = lam
        self.lams = lams
        self.criterion = criterion
        self.cv = cv
        self.select = select
        self.fit_intercept = fit_intercept
        self.solver = solver
        self.n_landmarks = n_landmarks
        self.max_residual = max_residual
        self.memory = memory
        self.random_state = random_state

    @certifiable
    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, certify: float | None = None) -> "KernelRidge":
        """Fit to ``X`` (n, d), dense (or sparse, if the kernel takes it), and ``y`` (n,) or (n, k)."""
        self._check_settings()
        X, y = validate_data(self, X, y, multi_output=True, y_numeric=True, **self._accepted())
        design = Design.of(X.astype(np.float64, copy=False), sample_weight)
        targets = np.asarray(y, dtype=np.float64).reshape(len(y), -1)
        folds = self._folds(design, targets)
        self._minimise(design.counted(), targets[design.weight > 0], folds, y.ndim == 1)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """``f(x)`` for the rows of ``X``, in tiles: shape ``(n,)``, or ``(n, k)`` for ``k`` targets."""
        return self._scores(X)

    def _new_rows(self, X: Any) -> Any:
        return self._checked_rows(X).astype(np.float64, copy=False)

    def _left_out_rows(self) -> Any:
        self._revive()
        return super()._left_out_rows()

    def _features(self) -> Callable[[Any], Any] | None:
        return landmark_features(self.kernel_, self.points_)

    def _intervals_to_store(self) -> StoredIntervals | StoredTargets | None:
        return self._targets_to_store() or super()._intervals_to_store()

    def _designated(self, rows: TrainingSet) -> Designated:
        each, violated = self._among_kernels(rows)
        return kernel_ball(each, self._function(), 2, violated)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags
