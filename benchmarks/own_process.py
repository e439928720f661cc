"""A peer in a process of its own: the parent asks, the child runs, times and answers.

For rivals that need another interpreter, their own thread pool, or that must not share ours.  Problem and answer
travel as pickles in a temporary folder; the clock runs in the child around the adapter alone, so neither start-up nor
transport counts, and the child stays alive between questions so that repeats can interleave with other contenders.

The child is ``python -m benchmarks.own_process file:task folder`` and reads one word a line: ``versions``, ``warm``,
``time``, ``memory``, ``answer``; end of input ends it.
"""

import contextlib
import json
import os
import pickle
import select
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.measure import NOT_INSTALLED, InProcess, versions_of
from benchmarks.peers import find_peer
from benchmarks.problems import Answer, Problem

ROOT = Path(__file__).resolve().parents[1]


class OwnProcess:
    """A contender that lives in a child process; same questions as :class:`benchmarks.measure.InProcess`."""

    def __init__(
        self,
        contender: str,
        problem: Problem,
        small: Problem | None = None,
        limit: float | None = None,
        interpreter: str = "",
    ):
        """``small`` warms the child; ``limit``: seconds after which a run is stopped, and the child with it.

        ``interpreter``: another than the peer's own.
        """
        peer, _ = find_peer(contender)
        self.contender = contender
        self._limit = limit
        self.name: str = peer.name
        self.convention: str = peer.convention
        self._folder = tempfile.TemporaryDirectory(prefix="surefit-peer-")
        (Path(self._folder.name) / "problem.pickle").write_bytes(pickle.dumps((problem, small)))
        interpreter = interpreter or getattr(peer, "interpreter", sys.executable)
        command = [interpreter, "-m", "benchmarks.own_process", contender, self._folder.name]
        self._child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT)
        try:
            self.versions: dict[str, str] = self._ask("versions")
        except RuntimeError:
            self.close()
            raise
        missing = [package for package, number in self.versions.items() if number == NOT_INSTALLED]
        if missing:
            self.close()
            raise ModuleNotFoundError(f"{interpreter} has no {missing[0]}; install it there", name=missing[0])
        self._ask("warm")

    def seconds(self) -> float:
        """Run once; the child's wall-clock seconds.  `TimeoutError` if that takes longer than the limit."""
        return float(self._ask("time", self._limit))

    def peak_bytes(self) -> int:
        """Run once more under tracemalloc; the most memory the run held beyond the problem."""
        return int(self._ask("memory"))

    def answer(self) -> Answer:
        """What the last run found."""
        return pickle.loads(Path(self._ask("answer")).read_bytes())

    def close(self) -> None:
        """End the child and remove its folder."""
        with contextlib.suppress(BrokenPipeError):  # it may have ended by itself
            self._child.communicate()
        self._folder.cleanup()

    def _ask(self, word: str, limit: float | None = None) -> Any:
        assert self._child.stdin is not None
        assert self._child.stdout is not None
        try:
            self._child.stdin.write(word + "\n")
            self._child.stdin.flush()
            if limit is not None and not select.select([self._child.stdout], [], [], limit)[0]:
                self._child.kill()
                raise TimeoutError(f"{self.contender} was stopped after {limit:g} s")
            reply = self._child.stdout.readline()
        except BrokenPipeError:
            reply = ""
        if not reply:
            raise RuntimeError(f"the process of {self.contender} ended at {word!r}; see its error output above")
        return json.loads(reply)


def serve(contender: str, folder: Path) -> None:
    """The child's loop: one word in, one line of JSON out."""
    replies = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a rival prints goes to the error output, never between the replies
    problem, small = pickle.loads((folder / "problem.pickle").read_bytes())
    peer, _ = find_peer(contender)
    runner: InProcess | None = None
    for word in map(str.strip, sys.stdin):
        if word == "versions":
            print(json.dumps(versions_of(peer.packages)), file=replies, flush=True)
            continue
        runner = runner or InProcess(contender, problem, small)
        if word == "warm":
            reply: Any = None
        elif word == "time":
            reply = runner.seconds()
        elif word == "memory":
            reply = runner.peak_bytes()
        else:
            path = folder / "answer.pickle"
            path.write_bytes(pickle.dumps(runner.answer()))
            reply = str(path)
        print(json.dumps(reply), file=replies, flush=True)


if __name__ == "__main__":
    serve(sys.argv[1], Path(sys.argv[2]))
