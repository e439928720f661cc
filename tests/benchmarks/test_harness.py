"""The harness compares fairly: equal problems, interleaved clocks, answers judged from the definition.

Tiny sizes, no assertion about seconds.
"""

import dataclasses
import doctest
import json
import subprocess
import sys

import numpy as np
import pytest

from benchmarks import case, cases, fresh_import, peers, problems, report
from benchmarks.case import Case, Target, as_json, run_case, share_of_time, times_faster
from benchmarks.cases import all_cases
from benchmarks.measure import InProcess, Timing, describe_machine, interleaved, write_results
from benchmarks.nist import METHODS, digit_table
from benchmarks.nist_data import SET_NAMES, read_set
from benchmarks.own_process import OwnProcess
from benchmarks.pages import PageTable
from benchmarks.peers import find_peer, numpy_lstsq
from benchmarks.problems import Answer, Problem, make_problem, seeded_problem
from benchmarks.quality import direct_loo, loo_facts, ridge_objective, squared_loss_facts, stationarity
from benchmarks.report import case_report, contender_table, markdown_table, target_table
from benchmarks.run import RESULTS, chosen_cases, main, run_cases
from surefit.versions import running

LEAST_SQUARES = [
    "ours:least_squares",
    "ours:least_squares_one_pass",
    "ours:least_squares_two_passes",
    "scikit_learn:least_squares",
    "numpy_lstsq:least_squares",
    "scipy_qr:least_squares",
    "statsmodels_ols:least_squares",
]
RIDGE = ["ours:ridge", "scikit_learn:ridge", "scikit_learn:ridge_cholesky"]

PEERS_ONLY = Case(
    name="peers-only",
    title="Two peers on a small problem",
    problem="least-squares-40x3",
    quick_problem="least-squares-20x3",
    contenders=("scipy_qr:least_squares", "numpy_lstsq:least_squares"),
    quality=squared_loss_facts,
    targets=(times_faster("numpy_lstsq:least_squares", at_least=0),),
    repeats=2,
)


class Recorder:
    """A contender that only notes when it was asked; its seconds count down."""

    convention = name = ""
    versions = None

    def __init__(self, contender, log):
        self.contender, self.log = contender, log

    def seconds(self):
        self.log.append(self.contender)
        return 10.0 - len(self.log)


def slow_loo(problem, lam):
    """n refits of ridge from the normal equations at the same n * lam."""
    n, d = problem.X.shape
    errors = []
    for i in range(n):
        X, y = np.delete(problem.X, i, 0), np.delete(problem.y, i)
        design = np.column_stack([np.ones(n - 1), X])
        penalty = n * lam * np.diag([0.0] + [1.0] * d)
        w = np.linalg.solve(design.T @ design + penalty, design.T @ y)
        errors.append(problem.y[i] - w[0] - problem.X[i] @ w[1:])
    return np.mean(np.square(errors))


def test_the_same_name_draws_the_same_problem():
    first, again, other = (make_problem(name) for name in ("ridge-12x3", "ridge-12x3", "ridge-12x4"))
    np.testing.assert_array_equal(first.X, again.X)
    np.testing.assert_array_equal(first.y, again.y)
    assert other.X.shape == (12, 4)


def test_an_unknown_family_is_refused_with_the_known_ones():
    with pytest.raises(ValueError, match=r"known ones are .*ridge"):
        make_problem("nobody-3x3")


def test_two_generators_of_one_name_are_refused():
    with pytest.raises(ValueError, match="rename one"):
        seeded_problem("ridge")(lambda rng, name, n, d: None)


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("contender", LEAST_SQUARES)
def test_every_least_squares_adapter_solves_the_normal_equations(contender, fit_intercept):
    problem = dataclasses.replace(make_problem("least-squares-40x3"), fit_intercept=fit_intercept)
    answer = find_peer(contender)[1](problem)
    assert answer.coef.shape == (3,)
    assert stationarity(problem, answer, 0.0) < 1e-12
    assert fit_intercept or answer.intercept == 0


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("contender", RIDGE)
@pytest.mark.parametrize("name", ["ridge-40x3", "ridge-6x30"])
def test_every_ridge_adapter_translates_lam_to_the_same_minimum(contender, name, fit_intercept):
    """A wrong factor n in a peer's convention would leave a gradient of order one.  Catalogue A-09."""
    problem = dataclasses.replace(make_problem(name), fit_intercept=fit_intercept)
    assert stationarity(problem, find_peer(contender)[1](problem), problem.lam) < 1e-12


@pytest.mark.parametrize("contender", ["ours:ridge_loo", "scikit_learn:ridge_loo"])
def test_every_leave_one_out_adapter_equals_n_refits(contender):
    """Catalogue T-76."""
    problem = dataclasses.replace(make_problem("ridge-25x3"), lams=np.logspace(-3, 2, 6))
    answer = find_peer(contender)[1](problem)
    order = np.argsort(answer.lams)
    refits = [slow_loo(problem, lam) for lam in problem.lams]
    np.testing.assert_allclose(np.asarray(answer.criterion)[order], refits, rtol=1e-9)
    assert answer.lam == pytest.approx(problem.lams[np.argmin(refits)], rel=1e-12)


def test_the_direct_leave_one_out_of_the_judge_equals_n_refits():
    """Catalogue T-76."""
    problem = make_problem("ridge-25x3")
    for lam in (1e-3, 0.1, 10.0):
        assert direct_loo(problem, lam) == pytest.approx(slow_loo(problem, lam), rel=1e-10)


def test_a_page_shows_the_table_that_was_put_there_and_keeps_the_rest(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("above\n<!-- make it: start -->\n\nold\n\n<!-- make it: end -->\nbelow\n")
    table = PageTable("it", page)
    assert table.shown() == "old"
    table.replace("| a |\n|:--|")
    assert table.shown() == "| a |\n|:--|"
    assert page.read_text() == "above\n<!-- make it: start -->\n\n| a |\n|:--|\n\n<!-- make it: end -->\nbelow\n"


def test_repeats_are_interleaved_and_best_and_median_kept():
    log = []
    timings = interleaved([Recorder("a", log), Recorder("b", log)], repeats=3)
    assert log == ["a", "b"] * 3
    assert timings["a"].seconds == (9.0, 7.0, 5.0)
    assert (timings["b"].best, timings["b"].median) == (4.0, 6.0)


def test_the_slow_are_run_once_and_the_stopped_are_not_asked_again():
    class Stopped(Recorder):
        def seconds(self):
            super().seconds()
            raise TimeoutError("stopped")

    log = []
    timings = interleaved([Recorder("a", log), Stopped("b", log)], repeats=3, patience=2.0)
    assert log == ["a", "b"]  # nine seconds are more than four times the patience
    log.clear()
    interleaved([Recorder("a", log)], repeats=5, patience=7.5)
    assert len(log) == 2  # the first nine may have been an import, the eight were not
    log.clear()
    interleaved([Recorder("a", log)], repeats=5, patience=8.0)
    assert len(log) == 5
    assert not timings["a"].stopped
    assert timings["b"].stopped
    assert len(timings["b"].seconds) == 1


def test_short_runs_are_taken_several_in_a_row_and_long_ones_once_a_turn():
    class Paced(Recorder):
        def __init__(self, contender, log, pace):
            super().__init__(contender, log)
            self.pace = pace

        def seconds(self):
            super().seconds()
            return self.pace

    log = []
    timings = interleaved([Paced("a", log, 0.5), Paced("b", log, 1.5)], repeats=2, in_a_row=3)
    assert log == ["a", "a", "a", "b"] * 2
    assert timings["a"].seconds == (0.5,) * 6


def test_a_run_beyond_its_limit_is_stopped_and_marked():
    apart = OwnProcess("numpy_lstsq:least_squares", make_problem("least-squares-20000x300"), limit=1e-3)
    try:
        with pytest.raises(TimeoutError, match="stopped after"):
            apart.seconds()
    finally:
        apart.close()


def test_no_repeat_is_refused():
    with pytest.raises(ValueError, match="repeats must be >= 1"):
        interleaved([], repeats=0)


def test_the_judge_sees_an_answer_that_stopped_early():
    problem = make_problem("least-squares-40x3")
    good = find_peer("scipy_qr:least_squares")[1](problem)
    early = Answer(0.9 * good.coef, good.intercept)
    facts = squared_loss_facts(problem, {"good": good, "early": early, "yardstick": Answer()})
    assert facts["good"]["error"] == 0
    expected = ridge_objective(problem, early, 0.0) / ridge_objective(problem, good, 0.0) - 1
    assert expected > 1e-3
    assert facts["early"]["error"] == pytest.approx(expected)
    assert facts["early"]["stationarity"] > 1e6 * facts["good"]["stationarity"]
    assert "yardstick" not in facts


def test_the_judge_sees_a_wrong_leave_one_out_curve_whatever_the_order_of_the_grid():
    problem = make_problem("ridge-25x3")
    answer = find_peer("scikit_learn:ridge_loo")[1](problem)
    backwards = dataclasses.replace(answer, lams=answer.lams[::-1], criterion=answer.criterion[::-1])
    wrong = dataclasses.replace(answer, criterion=1.01 * answer.criterion, lam=problem.lams[0])
    facts = loo_facts(problem, {"right": answer, "backwards": backwards, "wrong": wrong})
    assert facts["backwards"] == facts["right"]
    assert facts["right"]["error"] < 1e-10
    assert facts["wrong"]["error"] == pytest.approx(0.01, rel=1e-6)
    assert facts["wrong"]["curve_difference"] == pytest.approx(0.01, rel=1e-6)
    assert facts["wrong"]["index_difference"] == facts["right"]["lam_index"] > 0


def test_a_curve_over_another_grid_is_refused():
    problem = make_problem("ridge-25x3")
    answer = find_peer("scikit_learn:ridge_loo")[1](problem)
    with pytest.raises(ValueError, match="another grid"):
        loo_facts(problem, {"other": dataclasses.replace(answer, lams=2 * answer.lams)})
    with pytest.raises(ValueError, match="no leave-one-out curve"):
        loo_facts(problem, {"none": dataclasses.replace(answer, criterion=None)})


def test_no_speed_target_is_met_by_a_wrong_answer_of_ours():
    outcome = run_case(PEERS_ONLY)
    assert PEERS_ONLY.targets[0].met(outcome) is True
    ours = dataclasses.replace(outcome.ours, quality={"error": 1e-3})
    wrong = dataclasses.replace(outcome, records={**outcome.records, PEERS_ONLY.contenders[0]: ours})
    assert PEERS_ONLY.targets[0].met(wrong) is False
    assert "NOT SOLVED" in contender_table(wrong)


def test_ratio_is_theirs_over_ours_and_targets_know_their_side():
    outcome = run_case(PEERS_ONLY)
    ours, theirs = PEERS_ONLY.contenders
    records = {
        ours: dataclasses.replace(outcome.records[ours], timing=Timing((2.0, 3.0))),
        theirs: dataclasses.replace(outcome.records[theirs], timing=Timing((8.0, 9.0))),
    }
    fixed = dataclasses.replace(outcome, records=records)
    assert fixed.ratio(theirs) == 4
    assert times_faster(theirs, at_least=4).met(fixed) is True
    assert times_faster(theirs, at_least=4.1).met(fixed) is False
    assert share_of_time(theirs, at_most=0.25).met(fixed) is True
    assert share_of_time(theirs, at_most=0.24).met(fixed) is False


def test_an_absent_rival_is_recorded_and_its_target_not_measured(monkeypatch):
    monkeypatch.setitem(sys.modules, "statsmodels.regression.linear_model", None)
    monkeypatch.delitem(sys.modules, "benchmarks.peers.statsmodels_ols", raising=False)
    absentee = "statsmodels_ols:least_squares"
    lonely = dataclasses.replace(
        PEERS_ONLY, contenders=("scipy_qr:least_squares", absentee), targets=(times_faster(absentee, at_least=1),)
    )
    outcome = run_case(lonely, quick=True)
    assert list(outcome.absent) == [absentee]
    assert lonely.targets[0].met(outcome) is None
    assert "is not installed" in contender_table(outcome)
    assert "not measured" in target_table([outcome])


def test_a_misspelt_peer_or_task_is_a_mistake_and_not_an_absence():
    with pytest.raises(ModuleNotFoundError, match="nobody"):
        run_case(dataclasses.replace(PEERS_ONLY, contenders=("scipy_qr:least_squares", "nobody:ridge")))
    with pytest.raises(ValueError, match="no adapter 'lasso'"):
        find_peer("scipy_qr:lasso")


def test_peak_memory_sees_the_gram_matrix():
    problem = make_problem("ridge-5x400")
    gram_bytes = 8 * 400**2
    assert gram_bytes <= InProcess("numpy_gemm:gram", problem).peak_bytes() < 1.5 * gram_bytes


def test_a_peer_in_its_own_process_gives_the_same_answer():
    problem = make_problem("least-squares-40x3")
    here, apart = InProcess("numpy_lstsq:least_squares", problem), OwnProcess("numpy_lstsq:least_squares", problem)
    try:
        assert all(apart.seconds() > 0 for _ in range(2))
        assert apart.peak_bytes() >= 8 * 40 * 4  # at least the design with its column of ones
        np.testing.assert_array_equal(apart.answer().coef, here.answer().coef)
        assert apart.versions == here.versions
    finally:
        apart.close()


def test_a_declared_peer_is_run_in_its_own_process(monkeypatch):
    monkeypatch.setattr(numpy_lstsq, "own_process", True, raising=False)
    started = []
    monkeypatch.setattr(case, "OwnProcess", lambda *given: started.append(given[0]) or OwnProcess(*given))
    outcome = run_case(PEERS_ONLY)
    assert started == ["numpy_lstsq:least_squares"]
    assert outcome.solved("numpy_lstsq:least_squares")
    assert len(outcome.records["numpy_lstsq:least_squares"].timing.seconds) == 2


def test_a_rival_missing_from_its_own_interpreter_is_absent(monkeypatch):
    """Played by a child that reports no version; the reply of a real one goes the same way."""
    monkeypatch.setattr(OwnProcess, "_ask", lambda self, word: {"numpy": "not installed"})
    with pytest.raises(ModuleNotFoundError, match="install it there") as caught:
        OwnProcess("numpy_lstsq:least_squares", make_problem("least-squares-20x3"))
    assert caught.value.name == "numpy"


def test_a_process_that_dies_is_reported_with_the_peer(capfd):
    impossible = Problem("impossible", "no numbers", np.zeros(3))
    apart = OwnProcess("numpy_lstsq:least_squares", impossible)
    with pytest.raises(RuntimeError, match=r"numpy_lstsq:least_squares ended at 'time'"):
        apart.seconds()
    apart.close()
    assert "Traceback" in capfd.readouterr().err


def test_results_are_strict_json_and_markdown_with_machine_and_versions(tmp_path):
    run_cases([PEERS_ONLY], folder=tmp_path)
    (level,) = tmp_path.iterdir()
    assert running()["level"].split()[0] == level.name
    stored = json.loads((level / "peers-only.json").read_text(), parse_constant=pytest.fail)
    assert stored["machine"]["versions"]["numpy"] == np.__version__
    assert stored["contenders"]["scipy_qr:least_squares"]["theirs_over_ours"] == 1
    assert len(stored["contenders"]["numpy_lstsq:least_squares"]["seconds"]) == 2
    text = (level / "peers-only.md").read_text()
    assert "numpy lstsq (least_squares)" in text
    assert stored["machine"]["processor"] in text


def test_numbers_that_json_lacks_are_written_as_words(tmp_path):
    path = write_results("odd", {"gap": np.float64(np.inf), "all": np.arange(2), "nan": float("nan")}, "", tmp_path)
    assert json.loads(path.read_text()) == {"gap": "inf", "all": [0, 1], "nan": "nan"}


def test_every_case_runs_at_quick_size_and_writes_nothing():
    before = {path: path.stat().st_mtime_ns for path in RESULTS.rglob("*")}
    # In a process of its own: some rivals leave theirs in a mode that rounds subnormal numbers to zero.
    command = [sys.executable, "-W", "ignore", "-m", "benchmarks.run", "--quick"]
    done = subprocess.run(command, cwd=RESULTS.parents[1], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert all(f"## {one.name}:" in done.stdout for one in all_cases())
    assert "NOT SOLVED" not in done.stdout
    assert {path: path.stat().st_mtime_ns for path in RESULTS.rglob("*")} == before


@pytest.mark.parametrize("one", all_cases(), ids=lambda one: one.name)
def test_ours_comes_first_in_every_case(one):
    assert one.contenders[0].startswith("ours")


def test_only_takes_the_cases_that_start_so():
    assert {one.name for one in chosen_cases("ridge")} == {"ridge-loo", "ridge-tall", "ridge-wide"}
    with pytest.raises(SystemExit, match="choose among"):
        chosen_cases("nobody")


def test_a_missed_target_is_the_exit_code(tmp_path, monkeypatch, capsys):
    hopeless = dataclasses.replace(PEERS_ONLY, targets=(Target("no", lambda outcome: 0.0, 1.0, at_least=True),))
    monkeypatch.setattr("benchmarks.run.chosen_cases", lambda only: (hopeless,))
    monkeypatch.setattr("benchmarks.run.run_cases", lambda chosen, quick: [run_case(one) for one in chosen])
    assert main(["--busy"]) == 1


def test_the_report_of_a_case_names_conventions_and_targets():
    outcome = run_case(PEERS_ONLY)
    text = case_report(outcome, describe_machine())
    assert numpy_lstsq.convention in text
    assert ">= 0" in text
    assert as_json(outcome)["targets"][0]["met"] is True


def test_the_nist_table_has_a_row_for_each_set_and_marks_warnings():
    """Plain QR keeps digits on Filip where the pseudo-inverse drops directions (and says so)."""
    chosen = {name: METHODS[name] for name in ("plain QR", "statsmodels OLS", "exact on float64")}
    lines = digit_table(chosen).splitlines()
    cells = {line.split("|")[1].strip(): [cell.strip() for cell in line.split("|")[2:-1]] for line in lines[2:]}
    assert len(cells) == 11
    assert float(cells["Filip"][0]) > 6
    assert cells["Filip"][1] == "0.0*"
    assert cells["Wampler1"][2] == "15.0"


def test_ours_in_memory_in_two_passes_and_on_a_stream_finds_every_digit_that_the_float64_design_holds():
    """Against exact arithmetic on the same numbers; 0.3 digits are left to other BLAS libraries."""
    chosen = [METHODS[name] for name in ("surefit", "surefit two passes", "surefit partial_fit", "exact on float64")]
    for reference in map(read_set, SET_NAMES):
        *ours, attainable = (method(reference) for method in chosen)
        assert min(ours) >= attainable - 0.3, reference.name
        assert METHODS["normal equations"](reference) <= min(ours) + 0.3, reference.name


def test_our_standard_errors_and_one_pass_over_blocks_keep_more_than_five_digits_on_all_sets():
    for reference in map(read_set, SET_NAMES):
        assert METHODS["surefit standard errors"](reference) > 5, reference.name
        assert METHODS["surefit one pass"](reference) > 5, reference.name


def test_a_table_is_padded():
    assert markdown_table(("a", "b"), [("long", "1")]).splitlines() == ["| a    | b |", "|:-----|--:|", "| long | 1 |"]


@pytest.mark.parametrize("module", [problems, peers, cases, report, fresh_import])
def test_the_examples_in_the_docstrings_run(module):
    result = doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert result.attempted > 0
    assert result.failed == 0
