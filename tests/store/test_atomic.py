"""Files are written whole or not at all."""

import os
import stat
import subprocess
import sys
import threading
import zipfile

import pytest

from surefit.store.atomic import replacing, write_text


def test_a_file_that_fails_leaves_the_old_one_and_nothing_else(tmp_path):
    path = tmp_path / "a.txt"
    write_text(path, "old")

    def fail():
        with replacing(path) as file:
            file.write(b"new")
            raise RuntimeError("half way")

    with pytest.raises(RuntimeError, match="half way"):
        fail()
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["a.txt"]


def test_an_interrupt_leaves_nothing(tmp_path):
    with pytest.raises(KeyboardInterrupt), replacing(tmp_path / "a.txt"):
        raise KeyboardInterrupt
    assert os.listdir(tmp_path) == []


def test_nobody_sees_the_new_file_before_it_is_whole(tmp_path):
    path = tmp_path / "a.txt"
    with replacing(path) as file:
        file.write(b"new")
        assert not path.exists()
    assert path.read_bytes() == b"new"


def test_permissions_are_those_of_any_new_file_or_of_the_one_that_is_replaced(tmp_path):
    ordinary, kept = tmp_path / "ordinary", tmp_path / "kept"
    ordinary.touch()
    write_text(tmp_path / "new", "x")
    kept.touch(0o600)
    write_text(kept, "x")
    mode = lambda path: stat.S_IMODE(path.stat().st_mode)
    assert mode(tmp_path / "new") == mode(ordinary)
    assert mode(kept) == 0o600


def test_a_link_keeps_pointing_to_its_file(tmp_path):
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to(tmp_path / "file")
    write_text(tmp_path / "link", "é")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "file").read_text("utf-8") == "é"


def test_impossible_places_are_named(tmp_path):
    with pytest.raises(IsADirectoryError, match="is a folder; give the name of a file"):
        write_text(tmp_path, "x")
    with pytest.raises(FileNotFoundError, match=r"there is no folder .* create it first"):
        write_text(tmp_path / "no" / "file", "x")


needs_pipes = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")


@needs_pipes
@pytest.mark.parametrize("seeks", [True, False])
def test_a_pipe_stays_and_its_reader_gets_everything(tmp_path, seeks):
    path, got = tmp_path / "pipe", []
    os.mkfifo(path)
    reader = threading.Thread(target=lambda: got.append(path.read_bytes()), daemon=True)
    reader.start()
    with replacing(path, seeks) as file:
        file.write(b"all ")
        file.write(b"of it")
    reader.join(20)
    assert got == [b"all of it"]
    assert stat.S_ISFIFO(path.stat().st_mode)
    assert os.listdir(tmp_path) == ["pipe"]


@needs_pipes
def test_what_seeks_is_written_to_a_pipe_as_to_a_file_or_not_at_all(tmp_path):
    def archive(path, fails=False):
        with replacing(path) as file, zipfile.ZipFile(file, "w") as packed:
            packed.writestr(zipfile.ZipInfo("a"), b"content")
            if fails:
                raise RuntimeError("half way")

    path, got = tmp_path / "pipe", []
    os.mkfifo(path)
    for fails in (False, True):
        reader = threading.Thread(target=lambda: got.append(path.read_bytes()), daemon=True)
        reader.start()
        if fails:
            with pytest.raises(RuntimeError, match="half way"):
                archive(path, fails)
        else:
            archive(path)
        reader.join(20)
    archive(tmp_path / "file")
    assert got == [(tmp_path / "file").read_bytes(), b""]


def test_a_device_is_written_to(tmp_path):
    pty = pytest.importorskip("pty", reason="this system has no pseudo-terminals")
    ours, theirs = pty.openpty()
    link = tmp_path / "link"
    link.symlink_to(os.ttyname(theirs))
    write_text(link, "new")
    assert os.read(ours, 9) == b"new"
    assert link.is_symlink()
    os.close(ours)
    os.close(theirs)


@pytest.mark.skipif(not os.path.exists("/dev/stdout"), reason="this system has no /dev/stdout")
def test_the_standard_output_is_written_to_whatever_it_is(tmp_path):
    words = [sys.executable, "-c", "from surefit.store.atomic import write_text; write_text('/dev/stdout', 'new')"]
    assert subprocess.run(words, capture_output=True, check=True).stdout == b"new"
    (tmp_path / "log").write_text("old ")
    with open(tmp_path / "log", "ab") as log:
        subprocess.run(words, stdout=log, check=True)
    assert (tmp_path / "log").read_text() == "old new"


def test_the_mask_of_new_files_is_never_lifted(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "umask", lambda mask: pytest.fail("other threads make files, too"))
    write_text(tmp_path / "new", "x")
