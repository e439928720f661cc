"""Layer guarantee: rows divided, answers judged: the one way from held-out answers to a `Certificate`.

In: a fitted model, its `FitRecord`, and rows that it has not seen: given ones, or those that its fit held out.  Out: a
`Division` of rows before a fit, what the record says of them after it, and the `Certificate`.  Models of ours,
`certify` and `Certified` all come through here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from numbers import Real
from typing import Any

import numpy as np
from sklearn.utils import _safe_indexing, indexable
from sklearn.utils.validation import _num_samples, check_consistent_length

from surefit.data.design import checked_weight
from surefit.data.tables import explained, tell_of_labels
from surefit.guarantee.answers import (
    Answering,
    distances,
    losses_of,
    one_answer_each,
    one_target,
    unknown_labels,
)
from surefit.guarantee.declared import Judged, Values, is_measure, of_its_time, of_measure, of_unequal_rows
from surefit.guarantee.fit_record import FitRecord, GivenRows, HeldOutAnswers, Seen
from surefit.guarantee.holdouts.baseline import as_copies, cap_and_reach, of_labels, of_loss, of_numbers
from surefit.guarantee.inside import Memory, pair_of_training, remembered
from surefit.guarantee.sampling import PLAIN, Sampling, division_by
from surefit.guarantee.seen.alike import Alike
from surefit.guarantee.seen.division import Division, row_shuffle
from surefit.guarantee.seen.equal import Equalities
from surefit.guarantee.seen.prints import UNTOUCHED, column_names, equal_rows, in_order, row_prints
from surefit.guarantee.seen.rounded import NearRows
from surefit.objective.loss import Loss
from surefit.progress import silence
from surefit.theory.certificates.certificate import Assumption, Certificate, Standing, Verdict
from surefit.theory.certificates.compared import Baseline
from surefit.theory.certificates.holdout import (
    COVERAGE,
    Cautious,
    classifier_certificate,
    mean_certificate,
    regressor_certificate,
    weaker,
)
from surefit.theory.certificates.shuffle import Shuffle
from surefit.theory.certificates.unequal import Terms

ROWS_FOR_CAP = 500
"""Training rows whose residuals choose the cap of a fit: enough for a 99 % quantile, and no second fit's worth."""


def with_rows(
    record: FitRecord, model: Answering, rows: GivenRows, at_most: int | None = ROWS_FOR_CAP, keep: bool = True
) -> FitRecord:
    """``record`` with what the training rows of a fit say: their prints, the best constant, the cap on squared errors.

    The cap is four times the 99 % quantile of the squared training residuals, of ``at_most`` rows drawn with a fixed
    seed, but no less than the median squared distance from the mean: an interpolator's residuals lie.  It is infinite,
    and nothing is capped, where squares leave the range of floating point numbers.  Unless the rows are to be kept,
    their prints in single precision are taken now.
    """
    X, y = rows.X, np.asarray(rows.y)
    seen = Seen.of(X, rows.y) if record.seen is None else replace(record.seen, columns=column_names(X))
    if not keep and seen.near is None:
        seen = replace(seen, near=NearRows.of(X, rows.y, seen.prints))
    record = replace(record, seen=seen, rows=rows if keep else None)
    if y.ndim > 1 and y.shape[1] > 1:
        return record
    y = y.ravel()
    if model.labels:
        labels, counts = np.unique(y, return_counts=True)
        return replace(record, constant=labels.tolist()[np.argmax(counts)], cap=1.0)
    y, some = y.astype(np.float64), np.arange(len(y))
    if at_most is not None and len(y) > at_most:
        some = np.sort(np.random.default_rng(0).choice(len(y), at_most, replace=False))
        X = _safe_indexing(X, some)
    with silence(), np.errstate(over="ignore", invalid="ignore"):
        mean = float(y.mean())
        residual = y[some] - np.asarray(model.answers(X), dtype=np.float64).ravel()
        cap, reach = cap_and_reach(residual, y - mean)
        return replace(record, constant=mean, cap=cap, reach=reach)


def with_held_out(
    record: FitRecord,
    model: Answering,
    data: tuple[Any, Any],
    rows: Division,
    share: float,
    before_everything: bool,
    sampling: Sampling = PLAIN,
) -> FitRecord:
    """``record`` with the answers of the fitted model on the rows that its fit held out."""
    assert record.seen is not None
    X, y = _safe_indexing(data[0], rows.held_out), targets_of(_safe_indexing(data[1], rows.held_out))
    every = np.concatenate([rows.held_out, rows.training])
    X_all, y_all = (_safe_indexing(part, every) for part in data)
    found = Alike.of(X_all, y_all, rows.prints[every]).held_out(len(rows.held_out))
    kept = HeldOutAnswers(
        y,
        np.asarray(model.answers(X)),
        float(share),
        rows.draw,
        found,
        before_everything,
        model.kept_values(X),
        sampling,
    )
    return replace(record, held_out=kept)


def of_training(rows: Division, X: Any, y: Any) -> Seen:
    """What was seen of the rows that a division leaves to train on, from the prints that divided them."""
    prints = rows.prints[rows.training]
    return Seen.of(X, y, prints, NearRows.of_prints(rows.coarse[rows.training], prints))


@dataclass(frozen=True)
class Asked:
    """What a user asks of a certificate."""

    delta: float = 0.05
    n_models_fixed: int = 1
    loss: Loss | Callable[[np.ndarray, np.ndarray], np.ndarray] | str | None = None
    draws: bool = False
    """Whether equal rows are declared to be independent draws."""
    coverage: float = COVERAGE
    """Which quantile of a regressor's errors."""

    def refuse_coverage(self, cause: str) -> None:
        """Raise ``ValueError`` if another quantile was asked for where there is none."""
        if self.coverage != COVERAGE:
            raise ValueError(
                f"coverage={self.coverage!r} asks for a quantile of a regressor's held-out errors, {cause}"
            )


@dataclass(frozen=True)
class HeldOut:
    """Targets and answers on rows held out, which of them equal others, and what may be assumed of them."""

    targets: np.ndarray
    answers: np.ndarray
    found: Equalities
    assumptions: tuple[Assumption, ...]
    shuffle: Shuffle
    values: Values | None = None
    sampling: Sampling = PLAIN


def compared_with(
    memory: Memory | None, X: Any, y: np.ndarray, draws: bool
) -> tuple[Equalities, tuple[Assumption, ...]]:
    """Which rows equal others, and what may be said of it; an error if the memory shows that they were trained on."""
    if memory is not None:
        return memory.compared(X, y, draws)
    found = Alike.of(X, y, row_prints(X, y)).held_out(len(y), draws)
    unknown = Assumption(UNTOUCHED, Standing.DECLARED, "give training=(X, y) to have it checked")
    return found, (unknown, *equal_rows(found, draws))


def compared_rows(
    models: Sequence[Any], X: Any, y: np.ndarray, draws: bool, training: tuple[Any, Any] | None = None
) -> Equalities:
    """Which rows equal an earlier one, or one that a model remembers or was given; an error if they were used to fit.

    ``training``: rows and targets that the models were fitted to, where they do not remember them.
    """
    given = () if training is None else (Memory.of_rows(*pair_of_training(training, one_target)),)
    compared = [memory.compared(X, y, draws)[0] for memory in filter(None, given or map(remembered, models))]
    if not compared:
        return Alike.of(X, y, row_prints(X, y)).held_out(len(y), draws)
    found = compared[0]
    for other in compared[1:]:
        found = replace(found, first=found.first & other.first, known=found.known | other.known)
    return found


def certificate_on(
    model: Answering, X: Any, y: Any, memory: Memory | None, asked: Asked, sampling: Sampling = PLAIN
) -> Certificate:
    """From rows that are given: compared with the training rows if somebody remembers them, then answered."""
    tell_of_labels(X, y=y)
    y = targets_of(y, asked)
    with explained(X, y):
        check_consistent_length(X, y)
    found, assumptions = compared_with(memory, X, y, asked.draws)
    columns = None if memory is None or memory.record.seen is None else memory.record.seen.columns
    if model.labels:
        assumptions = (*assumptions, *unknown_labels(y, model.classes))
    shuffle = row_shuffle(in_order(X, columns), y)
    values = model.values_at(X) if is_measure(asked.loss) or sampling.time is not None else None
    held_out = HeldOut(y, np.asarray(model.answers(X)), found, assumptions, shuffle, values, sampling)
    return certificate_from(held_out, model.labels, None if memory is None else memory.baseline, asked)


def certificate_kept(model: Answering, record: FitRecord, asked: Asked) -> Certificate:
    """From the rows that a fit held out, whose answers the record keeps."""
    kept = record.held_out
    assert kept is not None
    y, assumptions = targets_of(kept.targets, asked), kept.assumptions(asked.draws)
    if model.labels:
        assumptions = (*assumptions, *unknown_labels(y, model.classes))
    held_out = HeldOut(y, kept.answers, kept.found, assumptions, kept.draw.shuffle, kept.values, kept.sampling)
    found = certificate_from(held_out, model.labels, record, asked)
    numbers = {"share_held_out": kept.share, "random_state": kept.draw.random_state}
    return replace(found, inputs={**found.inputs, **numbers})


def targets_of(y: Any, asked: Asked | None = None) -> np.ndarray:
    """One target per row; several columns only for a loss of all of them."""
    if not (np.ndim(y) == 2 and np.shape(y)[1] > 1):
        return one_target(y)
    if asked is not None and asked.loss is None:
        raise ValueError(
            f"y has {np.shape(y)[1]} columns, and a certificate is about one; fit one column at a time, or give a "
            "loss of all of them with values in [0, 1]"
        )
    return np.asarray(y)


def certificate_from(held_out: HeldOut, labels: bool, record: FitRecord | None, asked: Asked) -> Certificate:
    """The certificate of held-out answers, about the time of the rows where that is declared."""
    found = _under_every_reading(held_out, labels, record, asked)
    if held_out.sampling.time is None:
        return found
    return of_its_time(found, _judged(held_out, labels, asked), held_out.shuffle.seed)


def _under_every_reading(held_out: HeldOut, labels: bool, record: FitRecord | None, asked: Asked) -> Certificate:
    """With equal rows among those held out, what holds whether they are draws or copies; groups may repeat rows."""
    found = held_out.found
    whole = _certificate(held_out, labels, record, asked)
    if asked.draws or not found.any or held_out.sampling.groups is not None:
        return whole
    both = _weaker(whole, _certificate(held_out, labels, record, asked, copies=True), held_out, asked)
    inputs = {**both.inputs, "equal_a_training_row": found.shared, "equal_another": found.repeated}
    if not both.vacuous:
        said = both.statement
        if both.bound > whole.bound:
            said = f"{said.removesuffix('.')}; {_in_words(found)}.  Hold out rows that are new, and it is sharper."
        return replace(both, statement=said, inputs=inputs, further=(*both.further, _if_draws(whole)))
    return replace(both, statement=_none(found), inputs=inputs, further=(*both.further, _if_draws(whole)))


def _none(found: Equalities) -> str:
    """Why rows that may be copies leave no guarantee, and what to do."""
    if found.mixed:
        return (
            f"No guarantee: {found.mixed:,} rows lie exactly between two others, as oversampling makes them, so that "
            "rows held out have a part in rows trained on.  Hold rows out first, and oversample the others."
        )
    nearly = " exactly or nearly" if found.nearly else ""
    return (
        f"No guarantee: {found.shared:,} of the {len(found.first):,} held-out rows equal a training row{nearly} and "
        f"{found.repeated:,} more equal another held-out row; if these are copies, too little is known.  Hold out rows "
        "that are new.  Only if you know that rows repeat by nature and none is a copy, say equal_rows_are_draws=True: "
        "with copies among them, what it then promises is false."
    )


def _in_words(found: Equalities) -> str:
    """How rows that may be copies were counted."""
    known = f"{found.shared:,} that equal a training row count as errors"
    again = f"{found.repeated:,} that equal another held-out row do not count again"
    return " and ".join(text for text, number in ((known, found.shared), (again, found.repeated)) if number)


def _if_draws(whole: Certificate) -> Certificate:
    """What would hold if equal rows were independent draws; whether they are, only the user can know."""
    opening = whole.statement[0].lower() + whole.statement[1:]
    text = f"If equal rows are independent draws and no copies (only then say equal_rows_are_draws=True): {opening}"
    return replace(whole, statement=text, further=())


def _certificate(
    held_out: HeldOut, labels: bool, record: FitRecord | None, asked: Asked, copies: bool = False
) -> Certificate:
    """Exact for labels, of a quantile for numbers, betting for a given loss.

    If equal rows are ``copies``, each kind counts once; where it equals a training row, the model has seen it, so the
    loss on a new one is unknown: it counts as the largest there is, and that of the constant as none.
    """
    if is_measure(asked.loss) or held_out.sampling.counts_unequally:
        return _declared(held_out, labels, record, asked, copies)
    y = held_out.targets
    predicted = one_answer_each(held_out.answers, y, asked.loss is not None)
    delta, models, assumptions = asked.delta, asked.n_models_fixed, held_out.assumptions
    shuffle = held_out.shuffle

    def counted(losses: np.ndarray, unknown: float) -> Any:
        return Cautious(held_out.found.once(losses, unknown), losses) if copies else losses

    baseline = _baseline(held_out, predicted, labels, record, asked, copies)
    if asked.loss is not None:
        asked.refuse_coverage("and loss for a mean; leave one of them out")
        losses = counted(losses_of(asked.loss, y, predicted), 1.0)
        return mean_certificate(losses, delta, models, assumptions=assumptions, shuffle=shuffle, baseline=baseline)
    if labels:
        asked.refuse_coverage("and labels are right or wrong; leave it out")
        return classifier_certificate(counted(1.0 * (predicted != y), 1.0), delta, models, baseline, assumptions)
    errors = counted(distances(y, predicted), np.inf)
    return regressor_certificate(errors, delta, models, baseline, assumptions, shuffle, asked.coverage)


def _baseline(
    held_out: HeldOut, answers: np.ndarray, labels: bool, record: FitRecord | None, asked: Asked, copies: bool
) -> Baseline | None:
    """What these rows are compared with: a constant, judged as the model is."""
    y = held_out.targets
    if y.ndim > 1 or (asked.loss is not None and answers.shape != y.shape):
        return None
    found = (
        of_labels(y, record) if labels else of_numbers(y, answers, record, held_out.shuffle, held_out.sampling.groups)
    )
    if asked.loss is not None:
        found = of_loss(partial(losses_of, asked.loss), y, answers, found, labels)
    return as_copies(found, held_out.found) if copies else found


def _declared(held_out: HeldOut, labels: bool, record: FitRecord | None, asked: Asked, copies: bool) -> Certificate:
    """Of another measure, or of rows that do not count alike."""
    if is_measure(asked.loss) or labels or asked.loss is not None:
        asked.refuse_coverage("and this certificate is about a mean; leave it out")
    if is_measure(asked.loss) and not labels:
        raise ValueError(f"loss={asked.loss!r} is about labels, and this model predicts numbers")
    rows = _judged(held_out, labels, asked)
    if copies:
        rows = replace(rows, unknown=held_out.found.known).at(np.flatnonzero(held_out.found.first))
    terms = Terms(asked.delta, asked.n_models_fixed, asked.coverage, held_out.assumptions, held_out.shuffle)
    if is_measure(asked.loss):
        return of_measure(asked.loss, rows, None, terms)  # type: ignore[arg-type]
    answers = one_answer_each(held_out.answers, held_out.targets, asked.loss is not None)
    return of_unequal_rows(rows, _baseline(held_out, answers, labels, record, asked, copies), terms)


def _judged(held_out: HeldOut, labels: bool, asked: Asked) -> Judged:
    """The held-out rows with their losses: as given, errors of labels, or distances."""
    y, given = held_out.targets, asked.loss is not None and not is_measure(asked.loss)
    answers = one_answer_each(held_out.answers, y, given)
    errors = 1.0 * (answers != y) if labels and not given else None
    if errors is None:
        errors = losses_of(asked.loss, y, answers) if given else distances(y, answers)
    return Judged(y, labels, errors, given, np.zeros(len(y), dtype=bool), held_out.values, held_out.sampling)


def _weaker(whole: Certificate, once: Certificate, held_out: HeldOut, asked: Asked) -> Certificate:
    """What both readings of equal rows say."""
    if not (is_measure(asked.loss) or held_out.sampling.counts_unequally):
        return weaker(whole, once)
    from_below = asked.loss in ("recall", "auc")
    least = min(whole, once, key=lambda found: found.bound if from_below else -found.bound)
    worst = Verdict.NO_BETTER if Verdict.NO_BETTER in (whole.status, once.status) else least.status
    return replace(least, status=worst)


def counted_rows(X: Any, y: Any, weight: Any) -> tuple[Any, Any, Any]:
    """Without the rows of weight zero, which cannot change a fit and so count as never seen."""
    if weight is None:
        return X, y, None
    weight = np.asarray(weight, dtype=np.float64)
    if np.all(weight > 0):
        return X, y, weight
    X, y = indexable(X, y)
    keep = np.flatnonzero(weight > 0)
    return _safe_indexing(X, keep), _safe_indexing(y, keep), weight[keep]


def divided(
    X: Any, y: Any, weight: Any, share: float, random_state: Any = None, sampling: Sampling = PLAIN
) -> Division:
    """Hold out a ``share`` of the rows that count, each by a hash of itself and ``random_state``.

    >>> found = divided(np.arange(10.0)[:, None], np.zeros(10), None, 0.2)
    >>> len(found.training), len(found.held_out)
    (8, 2)
    """
    if isinstance(share, bool) or not (isinstance(share, Real) and 0.0 < share < 1.0):
        raise ValueError(f"certify must lie strictly between 0 and 1, got {share!r}; use 0.2 to hold out a fifth")
    counted = np.flatnonzero(checked_weight(weight, _num_samples(X)) > 0)
    n, wanted = len(counted), round(share * len(counted))
    if not 1 <= wanted < n:
        raise ValueError(
            f"certify={share:g} of {n} rows holds out {wanted} and leaves {n - wanted} to fit; add rows, or "
            "certify on other data: model.certificate(X_test, y_test)"
        )
    return division_by(X, y, counted, wanted, random_state, sampling)
