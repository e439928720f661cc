"""Hostile tables end in a clear sentence, or in everything that a study needs to begin; never in another error."""

import numpy as np
import pytest

from surefit.study.prepare import prepare
from surefit.study.settings import Settings
from surefit.study.tables.table import TableError

N = 60


def rows(*columns, header="x,y"):
    return header + "\n" + "".join(",".join(map(str, row)) + "\n" for row in zip(*columns, strict=True))


def cases():  # noqa: PLR0915 - one statement for each table
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=N), rng.normal(size=N)
    good = rows(x, y)
    yield "empty", b""
    yield "blank lines", b"\n\n\n"
    yield "header alone", b"x,y\n"
    yield "one column", rows(y, header="y").encode()
    yield "one row", b"x,y\n1,2\n"
    yield "all missing", rows([""] * N, ["NA"] * N).encode()
    yield "missing features", rows([""] * N, y).encode()
    yield "missing target", rows(x, [""] * N).encode()
    yield "constant target", rows(x, [1] * N).encode()
    yield "constant feature", rows([1] * N, y).encode()
    yield "nearly constant target", rows(x, [1] * (N - 1) + [2]).encode()
    yield "duplicate headers", rows(x, y, header="y,y").encode()
    yield "no header", rows(x, y, header="1.5,2.5").encode()
    yield "empty header", rows(x, y, header=",y").encode()
    yield "ragged", (good + "1,2,3\n").encode()
    yield "short row", (good + "1\n").encode()
    yield "unclosed quote", (good + '"1,2\n').encode()
    yield "byte order mark", b"\xef\xbb\xbf" + good.encode()
    yield "utf-16", good.encode("utf-16")
    yield "utf-16 without mark", good.encode("utf-16-le")
    yield "latin letters", rows(["é", "ü"] * (N // 2), y).encode("latin-1")
    yield "undefined bytes", (good + "\x81,1\n").encode("latin-1")
    yield "null bytes", good.encode() + b"\0\0\0"
    yield "zip", b"PK\x03\x04" + bytes(100)
    yield "gzip cut off", b"\x1f\x8b\x08\x00\x00\x00"
    yield "parquet cut off", b"PAR1" + bytes(10)
    yield "arrow cut off", b"ARROW1" + bytes(10)
    yield "huge numbers", rows(np.where(x > 0, 1e308, -1e308), y).encode()
    yield "huge targets", rows(x, np.where(x > 0, 1e308, -1e308)).encode()
    yield "infinite features", rows(["inf"] * 3 + list(x[3:]), y).encode()
    yield "infinite targets", rows(x, ["inf"] * 3 + list(y[3:])).encode()
    yield "tiny numbers", rows(x * 1e-308, y).encode()
    yield "whole numbers and then n/a", rows([*range(N - 1), "n/a"], y).encode()
    yield "a word among numbers", rows([*range(N - 1), "abc"], y).encode()
    yield "markup in a header", rows(x, y, header="<script>alert(1)</script>,y").encode()
    yield "formula in a cell", rows(["=1+1", "@cmd"] * (N // 2), y).encode()
    yield "long header", rows(x, y, header="a" * 5000 + ",y").encode()
    yield "every target another word", rows(x, [f"w{k}" for k in range(N)]).encode()
    yield "one row in each class", rows(x, [f"w{k % 40}" for k in range(N)]).encode()
    yield "line ends of other systems", good.replace("\n", "\r\n").encode()
    yield "old line ends", good.replace("\n", "\r").encode()
    wide = [",".join([*(f"x{k}" for k in range(2000)), "y"])]
    wide += [",".join(["1", "2", "3", *["0"] * 1997, str(k % 7)]) for k in range(N)]
    yield "wide", "\n".join(wide).encode()
    for k in range(160):
        yield f"random damage {k}", _damaged(good.encode(), np.random.default_rng(k))


def _damaged(content, rng):
    data = bytearray(content)
    for _ in range(int(rng.integers(1, 8))):
        place = int(rng.integers(0, len(data)))
        kind = rng.integers(0, 4)
        if kind == 0:
            data[place] = int(rng.integers(0, 256))
        elif kind == 1:
            del data[place : place + int(rng.integers(1, 40))]
        elif kind == 2:
            data[place:place] = bytes(rng.integers(0, 256, 5).astype(np.uint8))
        else:
            data[place:place] = rng.choice([b'"', b",", b"\n", b";", b"NA", b"1e999", b"\t"])
        data = data or bytearray(b"x")
    return bytes(data)


CASES = dict(cases())


def test_there_are_two_hundred():
    assert len(CASES) >= 200


@pytest.mark.parametrize("name", CASES)
def test_a_sentence_or_a_study_that_can_begin(name, tmp_path):
    path = tmp_path / "table.csv"
    path.write_bytes(CASES[name])
    try:
        data = prepare(str(path), Settings("y"))
    except TableError as error:
        said = str(error)
        assert len(said) > 15
        assert "Traceback" not in said
        return
    assert np.all(np.isfinite(data.X))
    assert np.all(np.isfinite(data.y))
    assert np.all(np.isfinite(data.X_holdout))
