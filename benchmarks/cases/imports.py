"""What a user waits for before the first line runs."""

from benchmarks.case import Case, share_of_time

CASES = (
    Case(
        name="import-time",
        title="import surefit against import sklearn.linear_model, each in a fresh interpreter",
        problem="nothing-0x0",
        quick_problem="nothing-0x0",
        contenders=("ours:import_time", "scikit_learn:import_time"),
        targets=(share_of_time("scikit_learn:import_time", at_most=1.5),),
        repeats=7,
    ),
)
