"""Plain least squares, tall: against the fastest habits of the field."""

from benchmarks.case import Case, times_faster
from benchmarks.quality import squared_loss_facts

_CONTENDERS = (
    "ours:least_squares",
    "scikit_learn:least_squares",
    "numpy_lstsq:least_squares",
    "scipy_qr:least_squares",
    "normal_equations:least_squares",
    "intelex:least_squares",
)


def _tall(size: str, title: str) -> Case:
    return Case(
        name=f"least-squares-{size}",
        title=f"Least squares with intercept, {title}",
        problem=f"least-squares-{size}",
        quick_problem="least-squares-60x5",
        contenders=_CONTENDERS,
        quality=squared_loss_facts,
        targets=(
            times_faster("scikit_learn:least_squares", at_least=1),
            times_faster("numpy_lstsq:least_squares", at_least=1),
        ),
    )


CASES = (_tall("100000x50", "100,000 x 50"), _tall("20000x500", "20,000 x 500"))
