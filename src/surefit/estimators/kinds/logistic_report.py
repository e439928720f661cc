"""Layer estimators: what `LogisticRegression` says of its coefficients: `inference`, `summary`, and when it refuses."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, cast

import numpy as np
from sklearn.utils.validation import check_is_fitted

from surefit.estimators.kinds.linear import column_names
from surefit.estimators.kinds.summarised import Summarised, described, with_choice
from surefit.guarantee.fit_record import FitRecord
from surefit.names import hinted
from surefit.page import Fact
from surefit.selection.choice import FROM_THESE_ROWS
from surefit.solvers.logistic.separation import Separation
from surefit.solvers.solution import Solution, Status
from surefit.theory.inference.linear import checked_choice
from surefit.theory.inference.logistic import LogisticCovariance, LogisticFit, log_odds_of
from surefit.theory.inference.logistic_shrunken import summarise_penalised
from surefit.theory.inference.logistic_summary import LogisticSummary, summarise_logistic
from surefit.theory.inference.shrunken import after_lasso
from surefit.theory.inference.stored import StoredPages
from surefit.theory.inference.tables import CoefficientTable, ShrunkenTable, checked_level

SCORES = "Coefficients are scores of the class in brackets; differences of two of them are log-odds."

KEPT = tuple((kind, counts) for counts in (False, True) for kind in (None, "classical", "robust", "hessian"))
"""What a stored model can still be asked for: a covariance, and whether weights are counts."""


@dataclass(frozen=True)
class Training:
    """The rows that counted, as they were fitted: ``weight`` is ``given`` times the factors of the classes."""

    X: Any
    codes: np.ndarray
    weight: np.ndarray
    given: np.ndarray
    balanced: bool

    def counts(self) -> np.ndarray:
        """The weights that were given, as numbers of rows."""
        if not np.all(self.given == np.round(self.given)):
            raise ValueError("weights_are_counts=True needs whole numbers, and sample_weight has others; leave it out")
        return self.given


class ReportsLogistic(Summarised):
    """Inference of a fitted `LogisticRegression`, from its rows, or from the pages that travel with a stored model."""

    _fit_record: FitRecord
    _settings: tuple[bool, bool, bool, np.ndarray | None]
    lam_: float
    classes_: np.ndarray
    solution_: Solution
    separation_: Separation | None

    def logistic_fit(self, *, weights_are_counts: bool = False) -> LogisticFit:
        """The record from which all inference starts: see `surefit.theory.inference.logistic`.

        Refuses, saying why, where its theory does not hold: an L1 part, separated classes without a penalty, an
        iteration that did not reach the maximum, a model loaded without its data, data changed since the fit.
        """
        check_is_fitted(self, "coef_")
        fit_intercept, selects, _, units = self._settings
        if selects:
            raise ValueError(after_lasso("LogisticRegression with an L1 part", self.lam_, "LogisticRegression(lam=0)"))
        if self.separation_ is not None:
            raise ValueError(separation_text(self.separation_, column_names(self)))
        if self.solution_.status is not Status.CONVERGED:
            raise ValueError(f"standard errors hold at the maximum of the likelihood: {self.solution_.status.value}")
        record = self._fit_record
        rows = record.factored
        if rows is None:
            raise ValueError(
                "the training data do not travel with a stored model, only its inference() and summary() do; fit again"
            )
        record.refuse_changed("summary", (rows.X, self.classes_[rows.codes]))
        return LogisticFit(
            rows.X, rows.codes, self.solution_.coef.T, self.solution_.intercept, rows.weight, fit_intercept,
            column_names(self), tuple(map(str, self.classes_)), record.target_name, self.solution_.facts["method"],
            self.lam_, rows.counts() if weights_are_counts else None, rows.balanced, units,
        )  # fmt: skip

    @hinted
    def inference(
        self, *, covariance: Any = None, level: float = 0.95, weights_are_counts: bool = False
    ) -> CoefficientTable | ShrunkenTable:
        """Standard errors and intervals, intercept first, class by class.

        Without a penalty: Wald tests of maximum likelihood.  With squares: of the shrunken target, not of the truth,
        and no p values.  With an L1 part: refused, saying why.  ``covariance`` is ``"classical"``, ``"robust"`` or
        ``"hessian"``: see `LogisticFit.covariance_as`; ``None`` is robust with a penalty or with weights, otherwise
        classical.  Weights say how much a row matters; ``weights_are_counts`` is your word that ``sample_weight``
        says how many rows each stands for.  Class weights never do.
        """
        found = self._any_page(covariance, bool(weights_are_counts), level)
        return cast(CoefficientTable | ShrunkenTable, found.table)

    @hinted
    def summary(
        self, *, covariance: Any = None, level: float = 0.95, weights_are_counts: bool = False
    ) -> LogisticSummary:
        """The table of `inference` with the facts of the fit; the coefficients alone, and why, where it refuses."""
        check_is_fitted(self, "coef_")
        checked_level(level)
        checked_choice("covariance", covariance or "robust", LogisticCovariance)
        if weights_are_counts and self._fit_record.factored is not None:
            self._fit_record.factored.counts()
        try:
            return self._any_page(covariance, bool(weights_are_counts), level)
        except ValueError as refusal:
            labels = tuple(map(str, self.classes_))
            meaning = log_odds_of(labels) if len(labels) == 2 else SCORES
            return cast(LogisticSummary, described(self, str(refusal), (meaning,), LogisticSummary))

    def _any_page(self, covariance: Any, counts: bool, level: float) -> LogisticSummary:
        """The page of a model that has its rows, or the one that travels with a stored model."""
        check_is_fitted(self, "coef_")
        checked_level(level)
        if covariance is not None:
            checked_choice("covariance", covariance, LogisticCovariance)
        if self._fit_record.pages is not None:
            return cast(LogisticSummary, self._fit_record.pages.page((covariance, counts), level))
        return self._page(self.logistic_fit(weights_are_counts=counts), covariance, level)

    def _page(self, fit: LogisticFit, covariance: Any, level: float = 0.95) -> LogisticSummary:
        if fit.lam > 0:
            return with_choice(summarise_penalised(fit, covariance or "robust", level, self._choices()), self)
        return with_choice(summarise_logistic(fit, level, covariance), self)

    def _log_odds(self) -> bool:
        return len(self.classes_) == 2

    def _row_labels(self) -> tuple[str, ...]:
        return tuple(map(str, self.classes_))

    def _facts(self) -> list[Fact]:
        fact = ("Nonzero coefficients", f"{np.count_nonzero(self.coef_):,} of {self.coef_.size:,}")
        return [("Solved by", str(self.solution_.facts["method"])), *([fact] if self._settings[1] else [])]

    def _choices(self) -> tuple[str, ...]:
        lam = ("lam was chosen on the same rows",) if self._settings[2] else ()
        return lam if self._settings[3] is None else (*lam, FROM_THESE_ROWS)

    def _pages_to_store(self) -> StoredPages | None:
        rows = self._fit_record.factored
        if rows is None:
            return None
        n, d = rows.X.shape
        fit = cache(lambda counts: self.logistic_fit(weights_are_counts=counts))
        page = lambda covariance, counts: self._page(fit(counts), covariance)
        return StoredPages.of(page, KEPT, 4.0 * n * (d * max(len(self.classes_) - 1, 1)) ** 2)


def separation_text(separation: Separation, names: tuple[str, ...]) -> str:
    """Which columns separate the classes, what follows, and what to do."""
    size = separation.reach
    order = np.argsort(-size, kind="stable")
    leading = [repr(names[j]) for j in order if size[j] > 1e-6 * size.max()] if size.max() > 0 else []
    shown = ", ".join(leading[:5]) + (", ..." if len(leading) > 5 else "")
    how = "separated" if separation.kind == "separable" else "separated but for rows on the boundary"
    return (
        f"the classes are {how} by a combination of {shown or 'the intercepts'}: the likelihood grows along "
        "separation_ without end, so it has no maximum, and coefficients have no standard errors; use lam > 0, or drop "
        "the columns that give the answer away"
    )
