"""Nodes and constants of a graph."""

import sys

import numpy as np
import pytest

from surefit.export.graph import DOUBLE, INT64, Graph
from tests.export.running import run


def test_a_graph_computes_what_its_nodes_say(tmp_path):
    graph = Graph()
    rows = graph.input("X", DOUBLE, 2)
    total = graph.node("ReduceSum", rows, graph.constant(np.array([1], dtype=np.int64)), keepdims=0)
    graph.output("sum", DOUBLE, graph.node("Mul", total, graph.constant(2.0)))
    (tmp_path / "m").write_bytes(graph.model("twice the sum").SerializeToString())
    assert run(tmp_path / "m", {"X": np.array([[1.0, 2.0], [3.0, 4.0]])})["sum"].tolist() == [6.0, 14.0]


def test_constants_are_doubles_or_whole_numbers_and_keep_their_shape():
    graph = Graph()
    for value in (
        1.5,
        np.float32(2),
        np.ones((2, 3), np.float32),
        np.array([1, 2]),
        np.asfortranarray(np.ones((2, 3))),
    ):
        graph.constant(value)
    kinds = [one.data_type for one in graph.constants]
    assert kinds == [DOUBLE, DOUBLE, DOUBLE, INT64, DOUBLE]
    assert [list(one.dims) for one in graph.constants] == [[], [], [2, 3], [2], [2, 3]]


def test_without_the_package_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(ImportError, match=r"pip install 'surefit\[onnx\]'"):
        Graph()
