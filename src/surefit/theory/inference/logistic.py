"""Layer theory: maximum-likelihood inference for logistic regression.  In: a `LogisticFit`.  Out: errors, tests, AIC.

The model is ``P(class c | x) = softmax(b + W x)_c`` with independent rows; the first class is the reference, whose
scores are zero.  Parameters are ordered class by class, intercept first.  Weights say how much a row matters; they are
numbers of rows only where they are declared to be.  All are large-sample approximations at the maximum of the
likelihood; for penalised fits see `logistic_shrunken.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from scipy import linalg, special

from surefit.data.design import Design
from surefit.data.scores import class_probabilities
from surefit.page import listed
from surefit.solvers.logistic.problem import losses
from surefit.theory.fit.criteria import aic, bic
from surefit.theory.inference.linear import checked_choice
from surefit.theory.inference.sandwich import Block, scatter
from surefit.theory.inference.tables import CoefficientTable, checked_level

LogisticCovariance = Literal["classical", "robust", "hessian"]

DEPENDENT = 1e-12
"""A pivot of the information matrix at unit diagonal below this: its column follows from the others."""


@dataclass(frozen=True, eq=False)
class LogisticFit:
    """A maximum of the likelihood: data, and coefficients ``coef`` (width, d), ``intercept`` (width,) as published.

    ``width`` is 1 for two classes (second against first), else the number of classes.  ``lam > 0`` tells that the
    coefficients maximise the likelihood less ``n lam ||coef||**2``, or ``n lam ||units * coef||**2`` if there are
    ``units`` (d,).  Catalogue A-29, A-30.

    ``weight`` says how much a row matters, ``counts`` how many rows it stands for: one, unless they are given.  A
    common factor of the weights has no meaning.  ``balanced`` tells that the weights give all classes the same sum.
    """

    X: Any
    codes: np.ndarray
    coef: np.ndarray
    intercept: np.ndarray
    weight: np.ndarray
    fit_intercept: bool = True
    names: tuple[str, ...] | None = None
    classes: tuple[str, ...] | None = None
    target_name: str = "y"
    method: str = ""
    lam: float = 0.0
    counts: np.ndarray | None = None
    balanced: bool = False
    units: np.ndarray | None = None

    @cached_property
    def theta(self) -> np.ndarray:
        """Coefficients against the first class, ``(width or width - 1, p)``, intercept first."""
        V = np.column_stack([self.intercept, self.coef]) if self.fit_intercept else np.asarray(self.coef)
        return V if len(V) == 1 else V[1:] - V[0]

    @property
    def n_parameters(self) -> int:
        return self.theta.size

    @cached_property
    def n_rows(self) -> float:
        """How many rows there are; where they are counted, the sum of the counts."""
        return float(len(self.weight) if self.counts is None else self.counts.sum())

    @cached_property
    def scaled(self) -> np.ndarray:
        """The weights with the number of rows as their sum."""
        return self.weight * (self.n_rows / self.weight.sum())

    @cached_property
    def is_likelihood(self) -> bool:
        """Whether the weighted sum is the log-likelihood of the rows, so that classical theory holds for it."""
        return bool(np.allclose(self.scaled, 1.0 if self.counts is None else self.counts, rtol=1e-12, atol=0.0))

    @property
    def usual(self) -> LogisticCovariance:
        """The covariance of choice: classical where the weighted sum is a likelihood without a penalty."""
        return "classical" if self.is_likelihood and self.lam == 0.0 else "robust"

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns, that of the intercept first."""
        names = self.names or tuple(f"x{j}" for j in range(self.coef.shape[1]))
        return ("intercept", *names) if self.fit_intercept else tuple(names)

    @property
    def parameter_names(self) -> tuple[str, ...]:
        own = self.columns
        if len(self.coef) == 1:
            return own
        return tuple(f"{name} [{label}]" for label in self.labels[1:] for name in own)

    @property
    def labels(self) -> tuple[str, ...]:
        """Names of the classes, the reference first."""
        return self.classes or tuple(str(c) for c in range(max(2, len(self.coef))))

    @property
    def meaning(self) -> str:
        """Which class the log-odds are of, and against which."""
        return log_odds_of(self.labels)

    @cached_property
    def scores(self) -> np.ndarray:
        return np.asarray(self.X @ self.coef.T) + self.intercept

    @cached_property
    def log_likelihood(self) -> float:
        """``sum_i w_i log P(class_i | x_i)``, weights as `scaled`.  Catalogue T-80."""
        return -float(self.scaled @ losses(self.scores, self.codes))

    @cached_property
    def null_log_likelihood(self) -> float:
        """The same for the best constant probabilities, or equal ones without an intercept."""
        counts = np.bincount(self.codes, self.scaled)
        if not self.fit_intercept:
            return -self.n_rows * float(np.log(len(counts)))
        return float(special.xlogy(counts, counts / counts.sum()).sum())

    @property
    def covariance(self) -> np.ndarray:
        """The `usual` one; without weights the inverse of the Fisher information.  Catalogue T-78, T-81."""
        return self.covariance_as(self.usual)

    def covariance_as(self, kind: LogisticCovariance) -> np.ndarray:
        """``inv(H) M inv(H)`` with the Hessian ``H = I + 2 n lam P`` of the summed loss and its penalty.

        The estimate solves ``sum_i w_i s_i + 2 n lam P theta = 0`` (``s_i`` the gradient of row ``i``); to first order
        it moves by ``-inv(H)`` times the noise of the sum.  ``M`` is the covariance of that sum: ``robust``, ``sum
        (w_i**2 / k_i) (s_i - mean)(s_i - mean)'`` of the rows, each standing for ``k_i``; ``classical``, the Fisher
        information ``I = sum w_i (diag(q_i) - q_i q_i') x (a_i a_i')``, as if the fitted probabilities were true,
        which needs weights that are counts.  ``hessian`` takes ``M = H``: ``inv(H)``, at least the classical one since
        ``H >= I``, is the covariance of the posterior under a normal prior.  ``P`` has no intercept; for ``k`` classes
        against the first it is ``1 - 1/k`` on the diagonal and ``-1/k`` beside it, because ``||W||**2`` is smallest
        where the coefficients of the classes sum to zero.  Catalogue A-29, T-78.

        Formed for centred columns at unit size, where it is well conditioned if it ever is, and turned back exactly.
        """
        checked_choice("covariance", kind, LogisticCovariance)
        if kind != "robust" and not self.is_likelihood:
            raise ValueError(
                f"covariance={kind!r} takes each weight for so many rows, and these weights are not declared to be "
                "counts; use covariance='robust', or weights_are_counts=True if sample_weight counts rows"
            )
        if kind == "hessian":
            return self.turned(self.inverse_hessian)
        meat = self.information if kind == "classical" else self.score_covariance
        return self.turned(self.inverse_hessian @ meat @ self.inverse_hessian)

    @cached_property
    def inverse_hessian(self) -> np.ndarray:
        """Inverse of the information plus ``2 n lam`` on the squares of the coefficients, for columns at unit size."""
        unit, width = self._origin[1], len(self.theta)
        between = np.eye(width) - (0.0 if len(self.coef) == 1 else 1.0 / len(self.coef))
        own = (1.0 / unit if self.units is None else self.units / unit) ** 2
        own = np.append(0.0, own) if self.fit_intercept else own
        square = 2 * self.n_rows * self.lam * np.kron(between, np.diag(own))
        return _inverted(self.information + square, self.columns)

    @cached_property
    def information(self) -> np.ndarray:
        """The Fisher information for centred columns at unit size."""
        p, width = self.theta.shape[1], len(self.theta)
        information = np.zeros((width, p, width, p))
        for A, q, _, weight in self.blocks():
            for a in range(width):
                for b in range(a + 1):
                    bend = q[:, a] * ((a == b) - q[:, b]) * weight
                    information[a, :, b] += A.T @ (bend[:, None] * A)
        for a in range(width):
            for b in range(a):
                information[b, :, a] = information[a, :, b]
        return information.reshape(width * p, width * p)

    @cached_property
    def score_covariance(self) -> np.ndarray:
        """The covariance of the weighted sum of the rows' gradients, for centred columns at unit size: see `scatter`.

        Where weights balance the classes, the sum over a class is a mean over it whatever the number of its rows, so
        gradients are centred class by class.
        """
        counts = np.ones(len(self.codes)) if self.counts is None else self.counts

        def gradients() -> Iterator[Block]:
            start = 0
            for A, q, codes, weight in self.blocks():
                miss = q - (codes[:, None] == np.arange(1, q.shape[1] + 1))
                scores = (miss[:, :, None] * A[:, None, :]).reshape(len(A), self.theta.size)
                yield scores, weight, counts[start : start + len(A)], codes if self.balanced else np.zeros_like(codes)
                start += len(A)

        return scatter(gradients(), self.theta.size, max(len(self.coef), 2) if self.balanced else 1)

    def turned(self, covariance: np.ndarray) -> np.ndarray:
        """A covariance for centred columns at unit size, turned back to the columns as given."""
        mean, unit = self._origin
        back = np.diag(np.append(1.0, 1 / unit)) if self.fit_intercept else np.diag(1 / unit)
        if self.fit_intercept:
            back[0, 1:] = -mean / unit
        turn = np.kron(np.eye(len(self.theta)), back)
        return turn @ covariance @ turn.T

    @cached_property
    def _origin(self) -> tuple[np.ndarray, np.ndarray]:
        """Means and sizes of the columns."""
        design, share = Design(self.X, self.scaled), self.scaled / self.n_rows
        mean = design.rmatvec(share) if self.fit_intercept else np.zeros(design.d)
        spread = np.sqrt(sum(share[rows] @ (design.dense_rows(rows) - mean) ** 2 for rows in design.row_slices()))
        return mean, np.where(spread > 0, spread, 1.0)

    def blocks(self) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]]:
        """Rows at unit size, probabilities of all classes but the first, classes and weights, a block at a time."""
        mean, unit = self._origin
        design, q = Design(self.X, self.scaled), class_probabilities(self.scores)
        q = q if q.shape[1] == 1 else q[:, 1:]
        for rows in design.row_slices():
            A = (design.dense_rows(rows) - mean) / unit
            A = np.column_stack([np.ones(len(A)), A]) if self.fit_intercept else A
            yield A, q[rows], self.codes[rows], self.scaled[rows]

    def reading_notes(self) -> list[str]:
        """How weights and a missing intercept are to be read, where there are any."""
        notes = []
        if not self.is_likelihood:
            notes.append(
                f"Weights say how much each of the {self.n_rows:g} rows matters, not how many rows it stands for: "
                "standard errors are robust, and the weighted likelihood has no test, AIC or BIC. Log-loss, "
                "probabilities and intercepts are those of the weighted rows. If sample_weight counts rows, say "
                "weights_are_counts=True."
            )
        elif not np.all(self.weight == 1.0) and self.counts is not None:
            notes.append("Sample weights are counts, as declared: a weight of k is k rows.")
        if not self.fit_intercept:
            notes.append("No intercept: the null model gives every class the same probability.")
        return notes


def log_odds_of(labels: Sequence[str]) -> str:
    """What the coefficients of a logistic fit are, in words; the first of ``labels`` is the reference.

    >>> log_odds_of(("benign", "malignant"))
    "Coefficients are log-odds of class 'malignant' against 'benign'."
    """
    if len(labels) == 2:
        return f"Coefficients are log-odds of class {labels[1]!r} against {labels[0]!r}."
    return f"Coefficients are log-odds of the class in brackets against {labels[0]!r}."


def _inverted(information: np.ndarray, names: tuple[str, ...]) -> np.ndarray:
    """The inverse of a positive definite matrix; a refusal that names all redundant columns where it is not."""
    unit = np.sqrt(np.maximum(np.diag(information), 0.0))
    if not np.all(unit > 0):
        found = {names[j % len(names)]: None for j in np.flatnonzero(~(unit > 0))}
        one = len(found) == 1
        raise ValueError(
            f"{listed(list(found))} {'does' if one else 'do'} not vary, so {'it has' if one else 'they have'} no "
            f"standard error; drop {'the column' if one else 'these columns'}"
        )
    scaled = information / unit / unit[:, None]
    _, pivots, rank, _ = linalg.lapack.dpstrf(scaled, lower=1, tol=DEPENDENT)
    if rank < len(scaled):
        found = {names[(j - 1) % len(names)]: None for j in sorted(pivots[rank:])}  # once, whatever the class
        raise ValueError(
            f"{listed(list(found))} can be written with the other columns, so single coefficients have no "
            f"standard errors; drop {'the column' if len(found) == 1 else 'these columns'}"
        )
    return linalg.inv(scaled) / unit / unit[:, None]


def refuse_penalised(fit: LogisticFit) -> None:
    """Tests compare with the law of a maximum of the likelihood; a penalty adds a bias that nobody knows."""
    if fit.lam > 0:
        raise ValueError(
            f"tests hold at the maximum of the likelihood, and lam={fit.lam:g} moves the coefficients away from it by "
            "an unknown bias; fit with lam=0, or use penalised_table for standard errors of the shrunken target"
        )


@dataclass(frozen=True)
class LogisticStatistics:
    """Numbers about the whole fit; ``likelihood_ratio`` compares with the constant model on ``df_model``."""

    n_rows: float
    n_parameters: int
    df_model: int
    log_likelihood: float
    null_log_likelihood: float
    deviance: float
    null_deviance: float
    likelihood_ratio: float
    p_value: float
    mcfadden_r2: float
    aic: float
    bic: float


def logistic_statistics(fit: LogisticFit) -> LogisticStatistics:
    """Deviance, likelihood-ratio test against the constant model, AIC and BIC.  Catalogue A-29, S-02.

    ``deviance = -2 log-likelihood``; the test compares ``null_deviance - deviance`` with chi2 on as many degrees of
    freedom as there are slopes.  With weights that are not counts, what rests on the law of a likelihood is nan.

    >>> X, codes = np.array([[0.0]] * 4 + [[1.0]] * 4), np.array([1, 0, 0, 0, 1, 1, 1, 0])
    >>> fit = LogisticFit(X, codes, np.array([[2 * np.log(3)]]), np.array([-np.log(3)]), np.ones(8))
    >>> round(logistic_statistics(fit).log_likelihood, 9)
    -4.498681157
    """
    refuse_penalised(fit)
    loglik, null, p = fit.log_likelihood, fit.null_log_likelihood, fit.n_parameters
    df = p - len(fit.theta) * bool(fit.fit_intercept)
    known = 1.0 if fit.is_likelihood else np.nan  # what rests on a likelihood where there is one
    ratio = max(2 * (loglik - null), 0.0) * known
    return LogisticStatistics(
        fit.n_rows, p, df, loglik, null, -2 * loglik, -2 * null, ratio,
        float(special.chdtrc(df, ratio)) if df else np.nan,
        1 - loglik / null, float(aic(loglik, p)) * known, float(bic(loglik, p, fit.n_rows)) * known,  # type: ignore[arg-type]
    )  # fmt: skip


def logistic_table(
    fit: LogisticFit, level: float = 0.95, covariance: LogisticCovariance | None = None
) -> CoefficientTable:
    """Wald tests and intervals of all coefficients: ``z = theta / se``, normal for large samples.  Catalogue A-29.

    ``covariance=None`` is the `usual` one of the fit.

    >>> X, codes = np.array([[0.0]] * 4 + [[1.0]] * 4), np.array([1, 0, 0, 0, 1, 1, 1, 0])
    >>> fit = LogisticFit(X, codes, np.array([[2 * np.log(3)]]), np.array([-np.log(3)]), np.ones(8))
    >>> logistic_table(fit).standard_error.round(6)
    array([1.154701, 1.632993])
    """
    checked_level(level)
    refuse_penalised(fit)
    covariance = covariance or fit.usual
    estimate, error = fit.theta.ravel(), np.sqrt(np.diag(fit.covariance_as(covariance)))
    reach = float(special.ndtri((1 + level) / 2)) * error
    ratio = estimate / error
    p_value = special.erfc(np.abs(ratio) / np.sqrt(2))
    left = int(fit.n_rows) - fit.n_parameters
    return CoefficientTable(
        fit.parameter_names, estimate, error, ratio, p_value, estimate - reach, estimate + reach, level, covariance,
        "normal", left, odds=True,
    )  # fmt: skip
