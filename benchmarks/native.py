"""``python -m benchmarks.native PYTHON``: the portable build beside a native one, which that interpreter has.

Both run in processes of their own, in turn, on our side of cases of `benchmarks.run`.  The table has best times and
medians, and native over portable: .95 means that the portable build takes 5 % longer.  ``make native`` builds and runs.
"""

import sys
from statistics import median

from benchmarks.cases import all_cases
from benchmarks.own_process import OwnProcess
from benchmarks.problems import make_problem
from benchmarks.report import markdown_table

CASES = (
    "kernel-predict",
    "kernel-block",
    "kernel-ridge",
    "svr",
    "nystroem-ridge",
    "logistic-tall",
    "logistic-wide",
    "logistic-wide-ar",
    "lasso-wide",
    "lasso-very-wide",
    "lasso-sparse",
    "lasso-tall",
    "ridge-loo",
    "ridge-tall",
    "least-squares-100000x50",
    "intervals-ridge",
    "intervals-kernel-ridge",
)
ROUNDS, SHORT = 7, 0.5  # seconds: what takes less runs three times a round


def compared(name: str, interpreter: str) -> list[str]:
    """A row of the table: one case on both builds."""
    case = next(one for one in all_cases() if one.name == name)
    problem, small = make_problem(case.problem), make_problem(case.quick_problem)
    portable = OwnProcess(case.contenders[0], problem, small)
    native = OwnProcess(case.contenders[0], problem, small, interpreter=interpreter)
    times: tuple[list[float], list[float]] = ([], [])
    for turn in range(ROUNDS):
        for k in (0, 1) if turn % 2 else (1, 0):  # neither side is always the second
            one = (portable, native)[k]
            times[k].append(one.seconds())
            if times[k][-1] < SHORT:
                times[k].extend(one.seconds() for _ in range(2))
    portable.close()
    native.close()
    ours, theirs = (min(times[0]), median(times[0])), (min(times[1]), median(times[1]))
    ratios = [f"{b / a:.2f}" for a, b in zip(ours, theirs, strict=True)]
    return [name, *(f"{seconds:.4g}" for seconds in (*ours, *theirs)), *ratios]


def main(interpreter: str) -> None:
    """Print the table."""
    rows = []
    for name in CASES:
        rows.append(compared(name, interpreter))
        print(" ".join(rows[-1]), file=sys.stderr, flush=True)
    head = ["case", "portable best s", "median s", "native best s", "median s ", "native / portable", "by medians"]
    print(markdown_table(head, rows))


if __name__ == "__main__":
    main(sys.argv[1])
