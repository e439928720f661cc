"""Layer store: `save` and `load`, the door: a model as one file, and back.

In: a model and a path.  Out: a zip archive, uncompressed, of two parts: ``model.json`` (data, with the number of the
layout and the versions that wrote it) and ``arrays.safetensors`` (numbers).  The same model gives the same bytes.
Reading checks names, sizes and places before it reads, and refuses what it does not know.  ``docs/model-file.md``.
"""

from __future__ import annotations

import json
import os
import platform
import stat
import struct
import zipfile
import zlib
from typing import IO, Any

import numpy as np

from surefit.store.atomic import replacing
from surefit.store.decode import Decoded
from surefit.store.encode import Encoded
from surefit.store.refusal import ModelFileError
from surefit.store.tensors import packed, strict_json, unpacked
from surefit.store.vocabulary import label_of

FORMAT = "surefit model"

SCHEMA = 1
"""Number of this layout; it grows when a file of the old layout would be misread."""

DATA, ARRAYS = "model.json", "arrays.safetensors"

MOST_DATA = 1 << 23
"""Bytes of ``model.json``: 8 MB.  Numbers and names of columns are in the arrays, so that models stay far below."""

LOCAL_HEADER, END_RECORD = 30, 22
"""Bytes in front of the name of a part of a zip archive, and of what stands at its end."""


def save(model: Any, path: str | os.PathLike[str]) -> None:
    """Write a model of surefit, fitted or not, or a `Certificate`, to one file that `load` reads.

    The file holds data and no code: parameters, fitted attributes, what the model needs for `summary`, `inference`,
    `predict_interval` and `certificate` later, and no training rows, unless predictions need them (the points of a
    kernel).  Classes and functions of your own are refused.  The file is written whole or not at all.

    >>> import tempfile, surefit
    >>> model = surefit.Ridge(0.1).fit([[0.0], [1], [2], [3]], [1.0, 3, 2, 5])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     surefit.save(model, f"{folder}/model.surefit")
    ...     again = surefit.load(f"{folder}/model.surefit")
    >>> again, bool(again.predict([[7.0]]) == model.predict([[7.0]]))
    (Ridge(lam=0.1), True)
    """
    if isinstance(model, type):
        raise ModelFileError(f"{model.__name__} is a class and holds nothing; save a model: {model.__name__}(...)")
    if label_of(type(model)) is None:
        kind = f"{type(model).__module__}.{type(model).__name__}"
        raise ModelFileError(
            f"a model file holds models of surefit's own classes, and {kind} is none; pickle it instead"
        )
    encoded = Encoded()
    header = {"format": FORMAT, "schema": SCHEMA, "versions": _versions(), "model": encoded.node(model, "")}
    data = json.dumps(header, allow_nan=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
    if len(data) > MOST_DATA:
        raise ModelFileError(f"this model has {len(data):,} bytes beside its arrays, and a file holds {MOST_DATA:,}")
    parts = packed(encoded.arrays)
    with replacing(path) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        for name, chunks in ((DATA, [data]), (ARRAYS, parts)):
            with archive.open(_entry(name), "w", force_zip64=sum(map(len, chunks)) > 2**31) as part:
                for chunk in chunks:
                    part.write(chunk)


def _entry(name: str) -> zipfile.ZipInfo:
    """A part of the archive with the same date in every file."""
    entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
    entry.external_attr = (stat.S_IFREG | 0o644) << 16
    return entry


def _versions() -> dict[str, str]:
    import scipy
    import sklearn

    from surefit import __version__  # the package imports this module

    own = {"surefit": __version__, "python": platform.python_version()}
    return own | {"numpy": np.__version__, "scipy": scipy.__version__, "scikit-learn": sklearn.__version__}


def load(path: str | os.PathLike[str]) -> Any:
    """The model or certificate that `save` wrote to ``path``; `ModelFileError`, a `ValueError`, for any other file.

    Nothing in the file is ever run, whoever made it: names of classes are looked up in a fixed table, sizes are checked
    before anything is read, and every record is checked against what its class declares.
    """
    return read(path, Decoded)


def read(path: str | os.PathLike[str], decode: type[Decoded]) -> Any:
    """The same, with the class that turns data into objects."""
    try:
        with open(path, "rb") as file:
            data, arrays = _parts(file)
        return _model(strict_json(data, DATA), decode(unpacked(arrays)))
    except FileNotFoundError as error:
        text = "no such model file; check the path (surefit fit writes surefit-TABLE/model.surefit)"
        raise FileNotFoundError(error.errno, text, os.fspath(path)) from None
    except (IsADirectoryError, PermissionError) as error:
        if os.path.isdir(path):
            raise ModelFileError(
                f"{os.fspath(path)!r} is a folder; give the model file in it, such as model.surefit"
            ) from None
        raise ModelFileError(f"{os.fspath(path)!r} cannot be opened: {error.strerror}; check who may read it") from None
    except ModelFileError as error:
        raise ModelFileError(f"{os.fspath(path)!r} cannot be read as a model: {error}") from error
    except RecursionError as error:
        raise ModelFileError(f"{os.fspath(path)!r} cannot be read as a model: it is nested too deeply") from error


def _model(header: Any, decoded: Decoded) -> Any:
    """The object that a checked header describes."""
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise ModelFileError("it does not say that it is a surefit model")
    schema, versions = header.get("schema"), header.get("versions")
    if type(schema) is not int or schema < 1:
        raise ModelFileError(f"the number of its layout is {str(schema)[:30]!r}")
    if schema > SCHEMA:
        raise ModelFileError(
            f"it has layout {schema}, and this version of surefit reads up to {SCHEMA}; update surefit"
        )
    if header.keys() != {"format", "schema", "versions", "model"} or not isinstance(versions, dict):
        raise ModelFileError("its header has other entries than a model file has")
    if not isinstance(header["model"], dict) or "holds" not in header["model"]:
        raise ModelFileError("it holds no model")
    found = decoded.value(header["model"])
    decoded.refuse_unasked()
    return found


def _parts(file: IO[bytes]) -> tuple[bytes, bytes]:
    """The two parts of the archive, each read only if its place and size are possible."""
    try:
        with zipfile.ZipFile(file) as archive:
            entries = {entry.filename: entry for entry in _checked(archive, file)}
            if entries[DATA].file_size > MOST_DATA:
                raise ModelFileError(f"{DATA} declares {entries[DATA].file_size:,} bytes, more than any model has")
            return archive.read(entries[DATA]), archive.read(entries[ARRAYS])
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise ModelFileError(
            f"it is not a whole zip archive ({error}); give the model.surefit that `surefit fit` wrote"
        ) from error
    except (ValueError, OverflowError, UnicodeError, OSError) as error:
        if isinstance(error, ModelFileError):
            raise
        raise ModelFileError(
            f"it is not a zip archive that can be read ({error}); give the model.surefit that `surefit fit` wrote"
        ) from error


def _checked(archive: zipfile.ZipFile, file: IO[bytes]) -> list[zipfile.ZipInfo]:
    """The entries of an archive that holds the two parts and nothing else, stored as they are, one after the other."""
    entries, size = archive.infolist(), os.fstat(file.fileno()).st_size
    if sorted(entry.filename for entry in entries) != sorted((DATA, ARRAYS)):
        raise ModelFileError(f"a model file has the parts {DATA} and {ARRAYS}, once each, and no other")
    for entry in entries:
        if entry.compress_type != zipfile.ZIP_STORED or entry.file_size != entry.compress_size:
            raise ModelFileError(f"{entry.filename} is compressed; parts of a model file are stored as they are")
        if entry.flag_bits & 0x1:
            raise ModelFileError(f"{entry.filename} is encrypted")
        if stat.S_IFMT(entry.external_attr >> 16) not in (0, stat.S_IFREG):
            raise ModelFileError(f"{entry.filename} is a link or a folder, not a file")
    reached = 0
    for start, begin, end in sorted(_place(file, entry) for entry in entries):
        if start != reached or end > size or begin > end:
            raise ModelFileError("its parts overlap, leave bytes between them, or reach beyond its end")
        reached = end
    file.seek(-END_RECORD, os.SEEK_END)
    if archive.comment or archive.start_dir != reached or file.read(4) != b"PK\x05\x06":
        raise ModelFileError("it holds bytes that belong to none of its parts")
    return entries


def _place(file: IO[bytes], entry: zipfile.ZipInfo) -> tuple[int, int, int]:
    """Where a part, its bytes, and what follows them begin, by what stands in front of them."""
    file.seek(entry.header_offset)
    front = file.read(LOCAL_HEADER)
    if len(front) < LOCAL_HEADER:
        raise ModelFileError(f"{entry.filename} begins beyond the end of the file")
    begin = entry.header_offset + LOCAL_HEADER + sum(struct.unpack("<HH", front[26:30]))
    return entry.header_offset, begin, begin + entry.file_size
