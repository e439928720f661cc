"""A checkpoint holds states and nothing that could run."""

import io
import os
import signal
import subprocess
import sys
from contextlib import suppress

import numpy as np
import pytest

from surefit.data.blocks.block import Block, Codes
from surefit.executors.checkpoint import Checkpoint

resource = pytest.importorskip("resource")


def test_states_come_back_and_other_fits_are_refused(tmp_path):
    path = tmp_path / "fit"
    state = (Block(np.eye(2), (Codes(np.array([0, 1]), ("a", "b")),), np.array([1.0, 2.0])), 3)
    Checkpoint(path, "key", (Block, Codes)).add(state)
    block, number = Checkpoint(path, "key", (Block, Codes)).states[0]
    assert number == 3
    assert block.words[0].levels == ("a", "b")
    np.testing.assert_array_equal(block.numbers, np.eye(2))
    with pytest.raises(ValueError, match="another fit"):
        Checkpoint(path, "other", (Block, Codes))
    with pytest.raises(ValueError, match="no checkpoint"):
        Checkpoint(path, "key", (Block,))
    path.write_bytes(b"no archive")
    with pytest.raises(ValueError, match="no checkpoint"):
        Checkpoint(path, "key", (Block, Codes))


def stored(how, what):
    file = io.BytesIO()
    how(file, what)
    return file.getvalue()


FOREIGN = {
    "empty": b"",
    "array": stored(np.save, np.arange(3)),
    **{
        f"archive of {text}": stored(lambda file, text: np.savez(file, described=np.array(text)), text)
        for text in ("[1]", '{"key": "key", "states": []}', '{"arrays": 0, "states": []}', "[" * 100_000,
                     '{"key": "key", "arrays": 0, "states": [{"record": "Block", "fields": 1}]}',
                     '{"key": "key", "arrays": 0, "states": [{"array": 3}]}')
    },
}  # fmt: skip


@pytest.mark.parametrize("content", FOREIGN.values(), ids=[name[:40] for name in FOREIGN])
def test_a_foreign_file_is_refused_in_a_sentence(tmp_path, content):
    (tmp_path / "fit").write_bytes(content)
    with pytest.raises(ValueError, match=r"is no checkpoint .* delete it, or name another"):
        Checkpoint(tmp_path / "fit", "key", (Block, Codes))


def test_a_damaged_file_is_read_or_refused(tmp_path):
    path = tmp_path / "fit"
    Checkpoint(path, "key", (Block, Codes)).add((Block(np.eye(2), (), np.array([1.0, 2.0])), 3))
    whole, rng = path.read_bytes(), np.random.default_rng(0)
    for _ in range(1000):
        damaged = bytearray(whole)
        for place in rng.integers(len(whole), size=3):
            damaged[place] = rng.integers(256)
        path.write_bytes(damaged[: rng.integers(len(whole))] if rng.random() < 0.3 else damaged)
        with suppress(ValueError):
            Checkpoint(path, "key", (Block, Codes))


def test_a_folder_that_cannot_keep_a_checkpoint_is_named_before_the_first_pass(tmp_path, monkeypatch):
    with pytest.raises(FileNotFoundError, match=r"there is no folder .* create it first"):
        Checkpoint(tmp_path / "no" / "fit", "key", ())
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(PermissionError, match="in another folder"):
        Checkpoint(tmp_path / "fit", "key", ())


FIT = """
import os, signal, sys
import numpy as np
from surefit import Ridge
from surefit.executors.local import Serial

class Dies(Serial):
    left = int(sys.argv[2])
    def submit(self, function, part):
        self.left -= 1
        if self.left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().submit(function, part)

X = np.random.default_rng(0).normal(size=(400, 3))
model = Ridge().fit_blocks(X, y=X[:, 0] + X[:, 1] ** 2, rows=50, executor=Dies(), checkpoint=sys.argv[1])
print(model.coef_.tobytes().hex(), model.lam_.hex(), Dies.left - model.blocks_.passes)
"""


def run(path, left):
    return subprocess.run([sys.executable, "-c", FIT, path, str(left)], capture_output=True, text=True, check=False)


def test_a_driver_that_is_killed_goes_on_with_the_next_pass(tmp_path):
    """Eight tasks a pass: the driver dies in the second, and the first is not read again."""
    path = tmp_path / "kept"
    died = run(path, 12)
    assert died.returncode == -signal.SIGKILL
    assert path.exists()
    again, whole = run(path, 9), run(tmp_path / "other", 0)  # nine tasks would be one too many for what is left
    assert again.returncode == 0, again.stderr
    assert again.stdout.split()[:2] == whole.stdout.split()[:2]
    assert not path.exists()


def test_a_disk_without_room_is_an_error_and_the_last_checkpoint_stays(tmp_path):
    """The size of files is limited, as a full disk would limit it."""
    path, big = tmp_path / "fit", np.zeros(200_000)
    kept = Checkpoint(path, "key", ())
    kept.add(np.arange(3.0))
    before, limits = path.read_bytes(), resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, limits[1]))
    try:
        with pytest.raises(OSError, match="the last one stays"):
            kept.add(big)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, handler)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["fit"]
    assert len(kept.states) == 1
