"""Layer objective: translates the penalty weights of other conventions to ours and back.

In: a number in somebody else's objective, the name of that objective, the number of samples.  Out: ``lam`` of
``mean_i loss(y_i, f_i) + lam * penalty(w)``, with no 1/2 in the squared loss and ``||w||**2`` as L2 penalty.  Refuses
names it does not know, and lists those it does.

Every convention is a power law ``lam = factor * value**exponent``, so each row of the table serves both directions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from surefit.parameters import non_negative, positive


@dataclass(frozen=True)
class Convention:
    """One objective of the table: ``lam = factor(n, C, noise) * value**exponent``, where ``symbol`` names the value."""

    symbol: str
    objective: str
    exponent: int
    factor: Callable[[float, float, float], float]
    needs: tuple[str, ...] = ()


_ROWS: dict[str, Convention] = {
    "mean": Convention("lambda", "mean loss + lambda penalty(w)", 1, lambda n, C, s: 1.0),
    "sum": Convention("lambda", "sum loss + lambda penalty(w)", 1, lambda n, C, s: 1 / n),
    "scaled-sum": Convention("lambda", "(1/n) {sum loss + lambda penalty(w)}", 1, lambda n, C, s: 1 / n),
    "half-sum": Convention("lambda", "(1/2) sum r**2 + lambda penalty(w)", 1, lambda n, C, s: 2 / n),
    "half-mean": Convention("lambda", "(1/(2n)) sum r**2 + lambda penalty(w)", 1, lambda n, C, s: 2.0),
    "svr": Convention("C", "(1/2) ||w||**2 + C sum |r|_eps", -1, lambda n, C, s: 1 / (2 * n)),
    "svr-with-lambda": Convention(
        "lambda", "(lambda/2) ||w||**2 + C sum |r|_eps", 1, lambda n, C, s: 1 / (2 * n * C), ("C",)
    ),
    "quadratic-svr": Convention("C", "(1/2) ||w||**2 + C sum |r|_eps**2", -1, lambda n, C, s: 1 / (2 * n)),
    "quadratic-svr-half": Convention("C", "(1/2) ||w||**2 + (C/2) sum |r|_eps**2", -1, lambda n, C, s: 1 / n),
    "lasso-with-C": Convention("lambda", "lambda ||w||_1 + C sum r**2", 1, lambda n, C, s: 1 / (n * C), ("C",)),
    "map-logistic": Convention(
        "tau", "sum log-loss + ||w||**2 / (2 tau**2): prior w ~ N(0, tau**2 I)", -2, lambda n, C, s: 1 / (2 * n)
    ),
    "map-gaussian": Convention(
        "tau",
        "sum r**2 / (2 noise**2) + ||w||**2 / (2 tau**2): prior w ~ N(0, tau**2 I), noise N(0, noise**2)",
        -2,
        lambda n, C, s: s**2 / n,
        ("noise",),
    ),
    "sklearn.Ridge": Convention("alpha", "sum r**2 + alpha ||w||**2", 1, lambda n, C, s: 1 / n),
    "sklearn.KernelRidge": Convention("alpha", "sum r**2 + alpha ||f||**2", 1, lambda n, C, s: 1 / n),
    "sklearn.Lasso": Convention("alpha", "(1/(2n)) sum r**2 + alpha ||w||_1", 1, lambda n, C, s: 2.0),
    "sklearn.SVR": Convention("C", "(1/2) ||w||**2 + C sum |r|_eps", -1, lambda n, C, s: 1 / (2 * n)),
    "sklearn.SVC": Convention("C", "(1/2) ||w||**2 + C sum hinge", -1, lambda n, C, s: 1 / (2 * n)),
    "sklearn.LogisticRegression": Convention("C", "(1/2) ||w||**2 + C sum log-loss", -1, lambda n, C, s: 1 / (2 * n)),
    "sklearn.LogisticRegression.l1": Convention("C", "||w||_1 + C sum log-loss", -1, lambda n, C, s: 1 / n),
    "libsvm": Convention("C", "(1/2) ||w||**2 + C sum loss", -1, lambda n, C, s: 1 / (2 * n)),
}

_MIXED: dict[str, Convention] = {
    "sklearn.ElasticNet": Convention(
        "alpha", "(1/(2n)) sum r**2 + alpha {m ||w||_1 + (1-m)/2 ||w||**2}", 1, lambda n, C, s: 2.0
    ),
    "glmnet": Convention("lambda", "(1/(2n)) sum r**2 + lambda {m ||w||_1 + (1-m)/2 ||w||**2}", 1, lambda n, C, s: 2.0),
    "glmnet.binomial": Convention(
        "lambda", "mean log-loss + lambda {m ||w||_1 + (1-m)/2 ||w||**2}", 1, lambda n, C, s: 1.0
    ),
    "sklearn.LogisticRegression.elasticnet": Convention(
        "C", "m ||w||_1 + (1-m)/2 ||w||**2 + C sum log-loss", -1, lambda n, C, s: 1 / n
    ),
}


def convert_lambda(value: float, source: str, n: int, *, C: float | None = None, noise: float | None = None) -> float:
    """Our ``lam`` for the penalty weight ``value`` of the convention ``source``.  Catalogue section 0, E-105.

    Parameters
    ----------
    value : their number: a penalty weight, a loss weight C, or the standard deviation tau of a prior, as
        ``lambda_conventions()`` says.
    source : the name of their objective.
    n : number of samples (the sum of the sample weights, if there are any).
    C : their loss weight, where their objective has both a lambda and a C.
    noise : standard deviation of the noise, for ``"map-gaussian"``.

    >>> convert_lambda(5.0, "sklearn.Ridge", n=4)
    1.25
    >>> convert_lambda(0.5, "sklearn.SVR", n=10)
    0.1
    """
    row = _found(source, _ROWS)
    factor = _factor(row, source, n, {"C": C, "noise": noise})
    return factor * _checked_value(row, value) ** row.exponent


def to_convention(lam: float, source: str, n: int, *, C: float | None = None, noise: float | None = None) -> float:
    """Their number for our ``lam``: the inverse of ``convert_lambda``, same arguments.  Catalogue section 0.

    >>> to_convention(0.1, "sklearn.SVR", n=10)
    0.5
    """
    row = _found(source, _ROWS)
    factor = _factor(row, source, n, {"C": C, "noise": noise})
    return (_checked_lam(row, lam) / factor) ** (1 / row.exponent)


def convert_elastic_net(value: float, mixing: float, source: str, n: int) -> tuple[float, float]:
    """Our ``(lam, l1_ratio)`` for an elastic net ``value * {mixing ||w||_1 + (1 - mixing)/2 ||w||**2}`` elsewhere.

    Both numbers change, because their L2 part carries a 1/2 and ours does not: ``l1_ratio = 2 m / (1 + m)``.  Compare
    with glmnet at ``standardize=FALSE`` or on standardised columns.  Catalogue section 0.

    >>> lam, l1_ratio = convert_elastic_net(0.1, 0.5, "sklearn.ElasticNet", n=50)
    >>> round(lam, 12), round(l1_ratio, 12)
    (0.15, 0.666666666667)
    """
    row = _found(source, _MIXED)
    mixing = _checked_share("mixing", mixing)
    scale = _factor(row, source, n, {}) * _checked_value(row, value) ** row.exponent
    return scale * (1 + mixing) / 2, 2 * mixing / (1 + mixing)


def elastic_net_to_convention(lam: float, l1_ratio: float, source: str, n: int) -> tuple[float, float]:
    """Their ``(value, mixing)`` for our ``ElasticNet(l1_ratio)`` with weight ``lam``.  Catalogue section 0.

    >>> value, mixing = elastic_net_to_convention(0.15, 2 / 3, "glmnet", n=50)
    >>> round(value, 12), round(mixing, 12)
    (0.1, 0.5)
    """
    row = _found(source, _MIXED)
    mixing = _checked_share("l1_ratio", l1_ratio) / (2 - l1_ratio)
    scale = _checked_lam(row, lam) * 2 / (1 + mixing)
    return (scale / _factor(row, source, n, {})) ** (1 / row.exponent), mixing


def lambda_conventions() -> Mapping[str, str]:
    """Each known convention and the objective it stands for, elastic nets last.  Catalogue section 0.

    >>> lambda_conventions()["sklearn.Lasso"]
    '(1/(2n)) sum r**2 + alpha ||w||_1'
    """
    return MappingProxyType({name: row.objective for name, row in (_ROWS | _MIXED).items()})


def _found(source: str, table: Mapping[str, Convention]) -> Convention:
    if source in table:
        return table[source]
    if source in _MIXED:
        raise ValueError(f"source {source!r} also changes the mixing; use convert_elastic_net")
    if source in _ROWS:
        raise ValueError(f"source {source!r} is no elastic net; use convert_lambda")
    raise ValueError(f"source must name a known convention, got {source!r}; use one of {', '.join(table)}")


def _factor(row: Convention, source: str, n: int, extras: Mapping[str, float | None]) -> float:
    n_samples = positive("n", n, "give the number of samples")
    numbers = {"C": 1.0, "noise": 1.0}
    for name, given in extras.items():
        if name in row.needs:
            if given is None:
                raise ValueError(f"source {source!r} needs {name}, because it minimises {row.objective}; pass {name}=")
            numbers[name] = positive(name, given, f"it is the {name} of {row.objective}")
        elif given is not None:
            raise ValueError(f"source {source!r} has no {name} besides its value; leave {name} out")
    return row.factor(n_samples, numbers["C"], numbers["noise"])


def _checked_value(row: Convention, value: float) -> float:
    if row.exponent > 0:
        return non_negative("value", value, f"it is the {row.symbol} of {row.objective}")
    return positive("value", value, f"it is the {row.symbol} of {row.objective}")


def _checked_lam(row: Convention, lam: float) -> float:
    if row.exponent > 0:
        return non_negative("lam", lam, "use lam=0 for no penalty")
    return positive("lam", lam, f"no finite {row.symbol} means lam=0 in {row.objective}")


def _checked_share(name: str, value: float) -> float:
    if not 0 <= value <= 1:
        raise ValueError(f"{name} must be from 0 to 1, got {value!r}; use 0 for ridge and 1 for lasso")
    return float(value)
