"""Files are written whole or not at all."""

import os
import stat

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
