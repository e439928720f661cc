"""Files that were damaged, or made to do harm: each is refused with a sentence, and nothing in it is run.

Reading such a file may only raise `ModelFileError`, and may take no more memory than a few times the file.  Arrays that
do not add up: ``test_hostile_arrays.py``.
"""

import contextlib
import io
import json
import pickle
import random
import stat
import struct
import zipfile

import numpy as np
import pytest

import surefit
from surefit.store.file import ARRAYS, DATA, MOST_DATA
from surefit.store.refusal import ModelFileError
from tests.store.hostile import X, Y, built, changed, entry, parts_of, refused, whole_file, zipped


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    return whole_file(surefit.Ridge(0.1).fit(X, Y), tmp_path_factory.mktemp("good"))


@pytest.fixture(scope="module")
def parts(whole):
    return parts_of(whole)


# --- the archive


@pytest.mark.parametrize("share", [0.0, 0.001, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99, 0.999])
def test_a_truncated_file(whole, share, tmp_path):
    refused(whole[: int(share * len(whole))], "it is not a whole zip archive", tmp_path)


def test_one_changed_byte_anywhere_is_noticed_or_harmless(whole, tmp_path):
    """Sums of bits guard the parts; the rest of the archive is checked by what it says."""
    path, chance, caught = tmp_path / "model", random.Random(0), 0
    for _ in range(120):
        changed = bytearray(whole)
        changed[chance.randrange(len(whole))] ^= 1 << chance.randrange(8)
        path.write_bytes(changed)
        try:
            found = surefit.load(path)
        except ModelFileError:
            caught += 1
        else:
            assert np.array_equal(found.coef_, surefit.Ridge(0.1).fit(X, Y).coef_)
    assert caught > 100


class Trap:
    """Whoever unpickles this, runs it."""

    def __reduce__(self):
        return pytest.fail, ("it was run",)


@pytest.mark.parametrize(("data", "cause"), [
    (b"a,b\n1,2\n", "it is not a whole zip archive"),
    (pickle.dumps(Trap()), "it is not a whole zip archive"),
    (b"PK\x05\x06" + bytes(18), "has the parts"),
    (b"PK\x03\x04" * 1000, "it is not a whole zip archive"),
    (bytes(1000), "it is not a whole zip archive"),
], ids=["text", "pickle", "empty archive", "signatures", "zeros"])  # fmt: skip
def test_another_kind_of_file(data, cause, tmp_path):
    refused(data, cause, tmp_path)


def test_a_pickle_in_place_of_each_part(parts, tmp_path):
    header, arrays = json.dumps(parts[0]), parts[1]
    refused(zipped((DATA, pickle.dumps(Trap())), (ARRAYS, arrays)), "cannot be read", tmp_path)
    refused(zipped((DATA, header), (ARRAYS, pickle.dumps(Trap()))), "declare a header of", tmp_path)


def test_a_zip_bomb(tmp_path):
    """Many times the size of the file, that compress to nothing, by every method that zip has."""
    for method, size in ((zipfile.ZIP_DEFLATED, 10 * MOST_DATA), (zipfile.ZIP_BZIP2, 10**6), (zipfile.ZIP_LZMA, 10**6)):
        refused(zipped((DATA, bytes(size)), (ARRAYS, bytes(size)), method=method), "is compressed", tmp_path)


def test_data_larger_than_any_model(parts, tmp_path):
    refused(zipped((DATA, b" " * (MOST_DATA + 1)), (ARRAYS, parts[1])), "more than any model has", tmp_path)


@pytest.mark.parametrize("names", [
    [], [DATA], [ARRAYS], [DATA, DATA], [DATA, ARRAYS, ARRAYS], [DATA, ARRAYS, "run.py"], [DATA, f"../{ARRAYS}"],
    ["../../model.json", ARRAYS], [f"/etc/{DATA}", ARRAYS], [f"..\\{DATA}", ARRAYS], ["C:\\model.json", ARRAYS],
    ["MODEL.JSON", ARRAYS], [f"{DATA}/", ARRAYS], [DATA, ARRAYS, "__pycache__/x.pyc"], [f"{DATA}\x00.txt", ARRAYS, "a"],
], ids=repr)  # fmt: skip
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_parts_that_are_missing_repeated_foreign_or_elsewhere(parts, names, tmp_path):
    contents = {ARRAYS: parts[1]}
    data = zipped(*((name, contents.get(name, json.dumps(parts[0]))) for name in names))
    refused(data, r"has the parts model\.json and arrays\.safetensors, once each, and no other", tmp_path)
    assert sorted(one.name for one in tmp_path.iterdir()) == ["model.surefit"]


@pytest.mark.parametrize("mode", [stat.S_IFLNK | 0o777, stat.S_IFDIR | 0o755, stat.S_IFIFO, stat.S_IFCHR])
def test_a_part_that_is_a_link_or_no_file(parts, mode, tmp_path):
    data = zipped((entry(DATA, mode), "/etc/passwd"), (ARRAYS, parts[1]))
    refused(data, "is a link or a folder, not a file", tmp_path)


def central(data):
    """Where the central directory begins."""
    return data.index(b"PK\x01\x02")


def with_bytes(data, place, content):
    return data[:place] + content + data[place + len(content) :]


@pytest.mark.parametrize(("offset", "content", "cause"), [
    (8, struct.pack("<H", 1), "is encrypted|cannot be read|not a whole"),
    (10, struct.pack("<H", 8), "is compressed"),
    (10, struct.pack("<H", 99), "is compressed"),
    (24, struct.pack("<I", 2**31), "is compressed"),
    (20, struct.pack("<II", 2**31, 2**31), "overlap|more than any model"),
    (20, struct.pack("<II", 10, 10), "overlap|belong to none"),
    (42, struct.pack("<I", 7), "overlap|not a whole"),
    (42, struct.pack("<I", 2**31), "beyond the end"),
    (16, bytes(4), "not a whole zip archive"),
])  # fmt: skip
def test_a_directory_that_lies_about_a_part(whole, offset, content, cause, tmp_path):
    refused(with_bytes(whole, central(whole) + offset, content), cause, tmp_path)


def test_parts_that_overlap(whole, tmp_path):
    first, second = central(whole), whole.index(b"PK\x01\x02", central(whole) + 4)
    refused(with_bytes(whole, second + 42, whole[first + 42 : first + 46]), "overlap|not a whole", tmp_path)


@pytest.mark.parametrize("where", ["front", "between", "comment", "end"])
def test_bytes_that_belong_to_no_part(whole, parts, where, tmp_path):
    hidden = b"#!/bin/sh\necho hidden\n"
    data = {
        "front": hidden + whole,
        "between": zipped((DATA, json.dumps(parts[0]))),
        "comment": whole[:-2] + struct.pack("<H", len(hidden)) + hidden,
        "end": whole + hidden,
    }[where]
    if where == "between":  # a second archive appended to the first keeps the part of the first out of its directory
        out = io.BytesIO(zipped(("hidden", hidden)))
        with zipfile.ZipFile(out, "a") as archive:
            archive.writestr(DATA, json.dumps(parts[0]))
            archive.writestr(ARRAYS, parts[1])
            archive.filelist = archive.filelist[1:]
        data = out.getvalue()
    refused(data, "overlap|belong to none|not a whole", tmp_path)


# --- the data


@pytest.mark.parametrize(("text", "cause"), [
    (b"", "cannot be read"), (b"{", "cannot be read"), (b"\xff\xfe", "cannot be read"), (b"not json", "cannot be read"),
    (b'{"schema": NaN}', "holds NaN"), (b'{"schema": -Infinity}', "holds -Infinity"), (b"[1e999]", "holds 1e999"),
    (b'{"format": 1, "format": 2}', "gives a name twice"), (b"[" * 100_000, "nested too deeply"),
    (b'{"a":' * 100_000, "nested too deeply"), (b"[" + b"9" * 5000 + b"]", "cannot be read"),
    (b"[]", "does not say"), (b"null", "does not say"), (b'"surefit model"', "does not say"), (b"{}", "does not say"),
])  # fmt: skip
def test_data_that_are_no_header(parts, text, cause, tmp_path):
    refused(built(text, parts[1]), cause, tmp_path)


MODEL = ("model", "holds")
RECORD = (*MODEL, "_fit_record", "holds")
SEEN = (*RECORD, "seen", "holds")


@pytest.mark.parametrize(("path", "value", "cause"), [
    (("format",), "another", "does not say"), (("format",), ..., "does not say"),
    (("schema",), 2, "layout 2, and this .* reads up to 1; update"), (("schema",), 10**30, "update surefit"),
    (("schema",), 0, "number of its layout"), (("schema",), -1, "number of its layout"),
    (("schema",), "1", "number of its layout"), (("schema",), 1.0, "number of its layout"),
    (("schema",), True, "number of its layout"), (("schema",), None, "number of its layout"),
    (("schema",), ..., "number of its layout"),
    (("versions",), ..., "other entries"), (("code",), "x", "other entries"),
    (("model",), None, "holds no model"), (("model",), [], "holds no model"), (("model",), "Ridge", "holds no model"),
    (("model",), {"is": "tuple", "of": []}, "holds no model"), (("model",), ..., "other entries"),
])  # fmt: skip
def test_a_header_of_another_kind(parts, path, value, cause, tmp_path):
    refused(changed(parts, path, value), cause, tmp_path)


@pytest.mark.parametrize("name", [
    "os.system", "builtins.eval", "posix.system", "subprocess.Popen", "Ridge", "model  Ridge", "model os.system",
    "surefit.estimators.ridge.Ridge", "model Ridge.__class__", "model Ridge.fit", "record Trap", "sklearn Trap",
    "sklearn DecisionTreeClassifier", "sklearn sklearn.pipeline.Pipeline", "kernel FeatureMap", "kernel Kernel",
    "model __import__", "record object", "word Enum", "", " ", "model ", "model \x00", "a" * 100_000,
])  # fmt: skip
def test_a_class_that_is_not_in_the_vocabulary(parts, name, tmp_path):
    refused(changed(parts, ("model", "is"), name), "names the class .* which no model file may hold", tmp_path)
    refused(changed(parts, (*MODEL, "lam"), {"is": name, "holds": {}}), "which no model file may hold", tmp_path)


@pytest.mark.parametrize("name", [None, 1, ["model Ridge"], {"is": "model Ridge"}, True])
def test_a_kind_that_is_no_name(parts, name, tmp_path):
    refused(changed(parts, ("model", "is"), name), "without a kind", tmp_path)


@pytest.mark.parametrize(("path", "value", "cause"), [
    ((*MODEL, "predict"), "x", "holds 'predict', which is neither a parameter nor a result of fit"),
    ((*MODEL, "fit"), 1, "holds 'fit'"), ((*MODEL, "__class__"), "x", "holds '__class__'"),
    ((*MODEL, "__dict__"), 1, "holds '__dict__'"), ((*MODEL, "__reduce__"), 1, "holds '__reduce__'"),
    ((*MODEL, "_repr_html_"), "x", "holds '_repr_html_'"), ((*MODEL, "_remember"), "x", "holds '_remember'"),
    ((*MODEL, "shell"), True, "holds 'shell'"), ((*MODEL, "a b_"), 1, "holds 'a b_'"), ((*MODEL, "_"), 1, None),
    ((*MODEL, "lam"), ..., "without its parameter 'lam'"),
    (("model", "holds"), [], "must come with what it holds"), (("model", "more"), 1, "must come with what it holds"),
    ((*MODEL, "n_features_in_"), 4, "takes 4 columns, and its coef_ does not fit"),
    ((*MODEL, "n_features_in_"), -3, "says that it takes -3 columns"),
    ((*MODEL, "n_features_in_"), "many", "says that it takes many columns"),
    ((*MODEL, "n_features_in_"), True, "says that it takes True columns"),
    ((*MODEL, "coef_"), "abc", "its coef_ does not fit"), ((*MODEL, "coef_"), [1.0, 2, 3], "its coef_ does not fit"),
    ((*SEEN, "prints"), ..., "a Seen comes without 'prints'"),
    ((*SEEN, "prints"), [1], "prints of Seen holds a value of type list"),
    ((*SEEN, "prints"), "os.system", "prints of Seen holds a value of type str"),
    ((*RECORD, "cap"), "high", "cap of FitRecord holds a value of type str"),
    ((*RECORD, "cap"), True, "cap of FitRecord holds a value of type bool"),
    ((*SEEN, "to_store"), 1, "Seen holds 'to_store'"), ((*SEEN, "__class__"), 1, "Seen holds '__class__'"),
    ((*RECORD, "settings"), None, "settings of FitRecord holds a value of type NoneType"),
    ((*RECORD, "seen"), {"is": "record Settings", "holds": {}}, "seen of FitRecord"),
    ((*MODEL, "solution_", "holds", "status", "of"), "GREAT", "'GREAT' is not a word of Status"),
    ((*MODEL, "solution_", "holds", "status", "of"), "__class__", "is not a word of Status"),
    ((*MODEL, "solution_", "holds", "status", "of"), ["CONVERGED"], "is not a word of Status"),
    ((*MODEL, "solution_", "holds", "facts"), [], "facts of Solution|does not fit together"),
])  # fmt: skip
def test_an_object_that_holds_what_it_may_not(parts, path, value, cause, tmp_path):
    if path[-1] == "_":  # a name of the allowed form is kept, and does nothing
        (tmp_path / "model").write_bytes(changed(parts, path, value))
        assert surefit.load(tmp_path / "model").predict(X).shape == (40,)
        return
    refused(changed(parts, path, value), cause, tmp_path)


@pytest.mark.parametrize(("node", "cause"), [
    ({"is": "kernel Gaussian", "holds": {"bandwidth": -1.0}}, "parameters of Gaussian are impossible: bandwidth"),
    ({"is": "kernel Gaussian", "holds": {"bandwidth": []}}, "parameters of Gaussian are impossible"),
    ({"is": "kernel Gaussian", "holds": {"run": "ls"}}, "Gaussian has no parameter 'run'"),
    ({"is": "kernel Sum", "holds": {"left": 1}}, "parameters of Sum are impossible"),
    ({"is": "kernel OnColumns", "holds": {"kernel": 1, "columns": [-1]}}, "parameters of OnColumns are impossible"),
    ({"is": "loss Huber", "holds": {"threshold": {"is": "number", "of": "nan"}}}, "parameters of Huber are impossible"),
    ({"is": "sklearn KFold", "holds": {"n_splits": "many"}}, "parameters of KFold are impossible"),
    ({"is": "number", "of": "1; import os"}, "is no number"), ({"is": "number", "of": 3}, "is no number"),
    ({"is": "number"}, "must have of"), ({"is": "number", "of": "nan", "and": 1}, "must have of"),
    ({}, "without a kind"),
    ({"is": "tuple", "of": {}}, "is not one"), ({"is": "tuple", "of": "abc"}, "is not one"),
    ({"is": "dict", "of": [[1]]}, "is not a name and a value"), ({"is": "dict", "of": [1]}, "is not one"),
    ({"is": "dict", "of": [[[], 1]]}, "a name that is no name"),
    ({"is": "dict", "of": [[1, 2], [1, 3]]}, "gives a name twice"),
    ({"is": "array", "name": "no such"}, "asks for the array 'no such'"),
    ({"is": "array", "name": 3}, "asks for the array"), ({"is": "array", "name": ["coef_"]}, "asks for the array"),
    ({"is": "array", "name": "coef_", "order": "X"}, "C or F"),
    ({"is": "array", "name": "coef_", "order": []}, "C or F"),
    ({"is": "array"}, "must have name"),
    ({"is": "objects", "shape": [1], "of": [{"is": "model Ridge", "holds": {}}]}, "without its parameter"),
    ({"is": "objects", "shape": [1], "of": [[1]]}, "holds more than numbers and texts"),
    ({"is": "objects", "shape": [2**40], "of": [1]}, "another number of entries"),
    ({"is": "objects", "shape": [-1, -1], "of": [1]}, "whole numbers >= 0"),
    ({"is": "objects", "shape": [1.0], "of": [1]}, "whole numbers >= 0"),
    ({"is": "objects", "shape": "1", "of": [1]}, "is not one"),
    ({"is": "objects", "shape": [1] * 99, "of": [1]}, "shape of objects"),
    ({"is": "letters", "name": "coef_", "shape": [3], "width": 1}, "not made of letters"),
    ({"is": "scalar", "type": "O", "of": 1}, "of a kind that does not exist"),
    ({"is": "scalar", "type": "I8", "of": 1000}, "is no number of kind I8"),
    ({"is": "scalar", "type": "F64", "of": "os"}, "of a kind that does not exist"),
    ({"is": "scalar", "type": ["F64"], "of": 1}, "of a kind that does not exist"),
    ({"is": "sparse rows", "as": "array", "shape": [1], **dict.fromkeys(("data", "indices", "indptr"), "coef_")},
     "need two whole numbers"),
    ({"is": "random", "legacy": False, "of": {"is": "dict", "of": [["bit_generator", "system"]]}}, "does not exist"),
    ({"is": "random", "legacy": False, "of": {"is": "dict", "of": [["bit_generator", "PCG64"]]}}, "is impossible"),
    ({"is": "random", "legacy": True, "of": []}, "does not exist"),
])  # fmt: skip
def test_a_value_that_is_none(parts, node, cause, tmp_path):
    refused(changed(parts, (*MODEL, "lam"), node), cause, tmp_path)


def test_values_nested_more_deeply_than_python_follows(parts, tmp_path):
    header = json.dumps({**parts[0], "model": {**parts[0]["model"], "holds": {"_x": "HERE"}}})
    for depth in (400, 5_000):
        node = '{"is": "tuple", "of": [' * depth + "1" + "]}" * depth
        refused(built(header.replace('"HERE"', node).encode(), parts[1]), "nested too deeply", tmp_path)


def test_random_values_in_place_of_any_value_are_refused_or_harmless(parts, tmp_path):
    """A hundred and fifty headers with one value replaced: only `ModelFileError` may come of it."""
    places = []

    def walk(node, path):
        pairs = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
        for key, inner in pairs:
            places.append((*path, key))
            walk(inner, (*path, key))

    walk(parts[0], ())
    junk = [None, -1, 0, 2**70, 1.5, "", "os.system", [], {}, [[]], True, {"is": "array", "name": "coef_"}, ...,
            {"is": "record Assumption", "holds": {}}, {"is": "number", "of": "nan"},
            {"is": "tuple", "of": []}]  # fmt: skip
    chance, path = random.Random(1), tmp_path / "model"
    for _ in range(150):
        place, value = chance.choice(places), chance.choice(junk)
        if value is ... and isinstance(place[-1], int):
            value = None
        path.write_bytes(changed(parts, place, value))
        with contextlib.suppress(ModelFileError):
            surefit.load(path)
