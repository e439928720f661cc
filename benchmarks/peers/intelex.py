"""oneDAL, as scikit-learn-intelex offers it, on all cores."""

from benchmarks.peers.libsvm import convention, fitted  # noqa: F401  the same face, so the same convention
from benchmarks.problems import Answer, Problem

name = "scikit-learn-intelex"
packages = ("scikit-learn-intelex",)
own_process = True


def svr(problem: Problem) -> Answer:
    from sklearnex.svm import SVR

    return fitted(SVR, problem)
