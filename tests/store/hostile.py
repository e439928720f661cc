"""Files that were made to do harm, built from good ones, and how they must be refused."""

import copy
import io
import json
import stat
import tracemalloc
import zipfile
from contextlib import suppress

import numpy as np
import pytest
import sklearn.model_selection  # noqa: F401 - its import would count as memory of the first file that names a class of it

import surefit
from surefit.store.deferred import load_soon
from surefit.store.file import ARRAYS, DATA
from surefit.store.refusal import ModelFileError

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 3))
Y = X @ [1.0, 2.0, 0.0] + RNG.normal(size=40)


def whole_file(model, folder):
    """The bytes of a good file."""
    surefit.save(model, folder / "good")
    return (folder / "good").read_bytes()


def parts_of(whole):
    """The header of a file as data, and its arrays as bytes."""
    with zipfile.ZipFile(io.BytesIO(whole)) as archive:
        return json.loads(archive.read(DATA)), archive.read(ARRAYS)


def entry(name, mode=stat.S_IFREG | 0o644):
    info = zipfile.ZipInfo(name)
    info.external_attr = mode << 16
    return info


def zipped(*entries, method=zipfile.ZIP_STORED):
    """A zip archive of pairs of names (or `ZipInfo`) and contents."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, content in entries:
            archive.writestr(name, content)
    return out.getvalue()


def built(header, arrays):
    """A file of a header, as data or bytes, and the bytes of its arrays."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return zipped((entry(DATA), text), (entry(ARRAYS), arrays))


def changed(parts, path, value):
    """A file with one entry of the header replaced; ``...`` takes it away."""
    header = copy.deepcopy(parts[0])
    *before, last = path
    place = header
    for key in before:
        place = place[key]
    if value is ...:
        del place[last]
    else:
        place[last] = value
    return built(header, parts[1])


def refused(data, cause, folder):
    """``data`` as a file are refused for ``cause`` in one sentence, within a few times their size in memory."""
    path = folder / "model.surefit"
    path.write_bytes(data)
    tracemalloc.start()
    try:
        with pytest.raises(ModelFileError, match=f"model.surefit' cannot be read as a model: .*({cause})") as found:
            surefit.load(path)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    with suppress(ModelFileError):  # a linear model may be asked for its answers alone; no other error
        load_soon(path)
    assert peak < 3e6 + 30 * len(data)
    assert "\n" not in str(found.value)
    assert len(str(found.value)) < 400 + len(str(path))
