"""Layer export: nodes and constants of a graph that is being built.

In: names of operators and of their inputs.  Out: names of their results, and in the end a checked model.  Numbers are
doubles throughout.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

OPSET, ML_OPSET, IR = 17, 3, 8
"""Versions of the operators and of the file: old enough for runtimes of 2022."""

DOUBLE, INT64, STRING = 11, 7, 8
"""The numbers that ONNX gives to types."""


def onnx_package() -> Any:
    """The package onnx; an error that says what to do where it is missing."""
    try:
        return import_module("onnx")
    except ImportError as missing:
        raise ImportError("writing ONNX needs the package onnx; pip install 'surefit[onnx]'") from missing


class Graph:
    """What has been built so far; every method returns the name of a result."""

    def __init__(self) -> None:
        self.onnx = onnx_package()
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self.inputs: list[Any] = []
        self.outputs: list[Any] = []
        self._count = 0

    def _new(self, word: str) -> str:
        self._count += 1
        return f"{word}_{self._count}"

    def input(self, name: str, kind: int, width: int) -> str:
        """Rows that come in: a matrix of any number of rows and ``width`` columns."""
        self.inputs.append(self.onnx.helper.make_tensor_value_info(name, kind, ["rows", width]))
        return name

    def output(self, name: str, kind: int, result: str, width: int | None = None) -> None:
        """What goes out under ``name``: a vector, or a matrix of ``width`` columns."""
        self.nodes.append(self.onnx.helper.make_node("Identity", [result], [name]))
        shape = ["rows"] if width is None else ["rows", width]
        self.outputs.append(self.onnx.helper.make_tensor_value_info(name, kind, shape))

    def constant(self, value: Any) -> str:
        """Numbers of the model: doubles, or whole numbers as they are."""
        array = np.asarray(value)
        array = array if array.dtype.kind in "iOU" else array.astype(np.float64)
        name = self._new("constant")
        self.constants.append(self.onnx.numpy_helper.from_array(np.ascontiguousarray(array).reshape(array.shape), name))
        return name

    def texts(self, values: list[str]) -> str:
        """Texts of the model."""
        name = self._new("texts")
        encoded = [one.encode("utf-8") for one in values]
        self.constants.append(self.onnx.helper.make_tensor(name, STRING, [len(values)], encoded))
        return name

    def node(self, operator: str, *inputs: str, domain: str = "", **attributes: Any) -> str:
        """The result of an operator."""
        name = self._new(operator.lower())
        self.nodes.append(self.onnx.helper.make_node(operator, list(inputs), [name], domain=domain, **attributes))
        return name

    def model(self, description: str) -> Any:
        """The whole as a checked model."""
        helper = self.onnx.helper
        graph = helper.make_graph(self.nodes, "surefit", self.inputs, self.outputs, self.constants)
        versions = [helper.make_opsetid("", OPSET), helper.make_opsetid("ai.onnx.ml", ML_OPSET)]
        found = helper.make_model(graph, opset_imports=versions, ir_version=IR, producer_name="surefit")
        found.doc_string = description
        self.onnx.checker.check_model(found)
        return found
