"""Ridge: one fit tall and wide, and exact leave-one-out over a grid of 100 lams."""

from benchmarks.case import Case, peak_megabytes, share_of_time, their_quality, times_faster
from benchmarks.quality import loo_facts, squared_loss_facts

CASES = (
    Case(
        name="ridge-loo",
        title="Exact leave-one-out for 100 lams, 20,000 x 500",
        problem="ridge-20000x500",
        quick_problem="ridge-60x5",
        contenders=("ours:ridge_loo", "scikit_learn:ridge_loo"),
        quality=loo_facts,
        targets=(
            times_faster("scikit_learn:ridge_loo", at_least=30),
            their_quality("index_difference", "scikit_learn:ridge_loo", at_most=0),
            their_quality("curve_difference", "scikit_learn:ridge_loo", at_most=1e-8),
        ),
        repeats=3,
    ),
    Case(
        name="ridge-tall",
        title="One ridge fit, 20,000 x 500",
        problem="ridge-20000x500",
        quick_problem="ridge-60x5",
        contenders=(
            "ours:ridge",
            "numpy_gemm:gram",
            "scikit_learn:ridge_cholesky",
            "scikit_learn:ridge",
            "intelex:ridge",
        ),
        quality=squared_loss_facts,
        targets=(
            share_of_time("numpy_gemm:gram", at_most=1.5),
            times_faster("scikit_learn:ridge_cholesky", at_least=1),
        ),
        repeats=7,
    ),
    Case(
        name="ridge-wide",
        title="One ridge fit, 500 x 20,000, without a d x d matrix (3.2 GB)",
        problem="ridge-500x20000",
        quick_problem="ridge-5x60",
        contenders=("ours:ridge", "scikit_learn:ridge", "intelex:ridge"),
        quality=squared_loss_facts,
        targets=(times_faster("scikit_learn:ridge", at_least=1), peak_megabytes(at_most=400)),
        repeats=7,
        patience=2.5,
        measures_memory=True,
    ),
)
