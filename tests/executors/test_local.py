"""Workers that die, stop or run a task twice change nothing."""

import os
import signal
from threading import Timer

import numpy as np
import pytest

from surefit import LeastSquares
from surefit.executors.dask import DaskClient
from surefit.executors.local import Processes, executor_of

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")


class Hurt:
    """An executor whose workers are killed and stopped at some of its tasks."""

    apart = True

    def __init__(self, inner, pids, stop=1.0):
        self.inner, self.width, self.pids, self.stop, self.tasks = inner, inner.width, pids, stop, 0

    def submit(self, function, part):
        self.tasks += 1
        found = self.inner.submit(function, part)
        if self.tasks == 3:
            self.killed = self.pids()[0]
            os.kill(self.killed, signal.SIGKILL)
        if self.tasks == 8:
            stopped = self.pids()[0]
            os.kill(stopped, signal.SIGSTOP)
            Timer(self.stop, os.kill, (stopped, signal.SIGCONT)).start()
        return found


@pytest.fixture
def rows(tmp_path):
    X = np.random.default_rng(0).normal(size=(3000, 3))
    columns = {f"x{j}": X[:, j] for j in range(3)}
    pq.write_table(pa.table({**columns, "y": X.sum(axis=1)}), tmp_path / "a.parquet", row_group_size=100)
    return str(tmp_path / "a.parquet")


def fitted(rows, executor):
    return LeastSquares().fit_blocks(rows, "y", rows=16, executor=executor).coef_.tobytes()


def test_a_process_that_is_killed_and_one_that_is_stopped_change_no_bit(rows):
    processes = Processes(2)
    try:
        hurt = Hurt(processes, processes.pids)
        assert fitted(rows, hurt) == fitted(rows, "serial")
        assert hurt.tasks == 24
    finally:
        processes.close()


@pytest.mark.verify
def test_a_dask_worker_that_is_killed_and_one_that_is_stopped_change_no_bit(rows, protocol):
    distributed = pytest.importorskip("distributed")
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with distributed.Client(**options) as client:
        pids = lambda: list(client.run(os.getpid).values())
        hurt = Hurt(Twice(client), pids, stop=60.0 if protocol.full else 1.0)
        assert fitted(rows, hurt) == fitted(rows, "serial")
        assert hurt.tasks == 24
        assert hurt.killed not in pids()


class Twice(DaskClient):
    """Every task is run twice, and the second result counts."""

    def submit(self, function, part):
        self.once = super().submit(function, part)
        return super().submit(function, part)


def test_executors_are_called_by_name():
    assert executor_of("processes")[0].apart
    with pytest.raises(ValueError, match="executor must be one of"):
        executor_of("fast")
    with pytest.raises(ValueError, match="lacks one"):
        executor_of(object())
