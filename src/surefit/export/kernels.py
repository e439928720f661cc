"""Layer export: the formula of a kernel as operators: rows that come in against points of the model.

In: a kernel, the name of the rows, the points.  Out: the name of the matrix of values ``(rows, points)``.  Distances
are sums of squared differences, column by column, so that they lose no digits where rows are far from zero.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from surefit.export.graph import DOUBLE, Graph
from surefit.kernels.kernel import Exponential, Kernel, OnColumns, Power, Product, Scaled, Sum
from surefit.kernels.library import Linear, Min, Polynomial
from surefit.kernels.radial import Gaussian, Laplace, Matern


def kernel_values(graph: Graph, kernel: Kernel, rows: str, points: np.ndarray) -> str:
    """``k(rows, points)``; an error for kernels that have no formula here."""
    if isinstance(kernel, Sum | Product):
        left, right = (kernel_values(graph, part, rows, points) for part in (kernel.left, kernel.right))
        return graph.node("Add" if isinstance(kernel, Sum) else "Mul", left, right)
    if isinstance(kernel, Scaled):
        # a row and not one number: runtimes fuse products of a matrix product and a number, which they round to a float
        row = graph.constant(np.full((1, len(points)), float(kernel.factor)))
        return graph.node("Mul", kernel_values(graph, kernel.kernel, rows, points), row)
    if isinstance(kernel, Power):
        return _power(graph, kernel_values(graph, kernel.kernel, rows, points), int(kernel.power))
    if isinstance(kernel, Exponential):
        return graph.node("Exp", kernel_values(graph, kernel.kernel, rows, points))
    if isinstance(kernel, OnColumns):
        columns = np.asarray(kernel.columns, dtype=np.int64)
        kept = graph.node("Gather", rows, graph.constant(columns), axis=1)
        return kernel_values(graph, kernel.kernel, kept, points[:, columns])
    return _basic(graph, kernel, rows, points)


def _basic(graph: Graph, kernel: Any, rows: str, points: np.ndarray) -> str:
    if isinstance(kernel, Linear):
        return graph.node("MatMul", rows, graph.constant(points.T))
    if isinstance(kernel, Polynomial):
        products = graph.node("MatMul", rows, graph.constant(points.T))
        return _power(graph, graph.node("Add", products, graph.constant(float(kernel.constant))), int(kernel.degree))
    if isinstance(kernel, Min):
        return graph.node("Min", rows, graph.constant(points.T))
    if type(kernel) in (Gaussian, Laplace, Matern):
        return _radial(graph, kernel, rows, points)
    raise ValueError(
        f"{kernel!r} has no formula in ONNX; Linear, Polynomial, Min, Gaussian, Laplace and Matern have, and their "
        "sums, products and powers"
    )


def _radial(graph: Graph, kernel: Any, rows: str, points: np.ndarray) -> str:
    width = float(kernel.bandwidth)
    scaled = graph.node("Div", rows, graph.constant(width))
    squares = squared_distances(graph, scaled, points / width)
    if isinstance(kernel, Gaussian):
        return graph.node("Exp", graph.node("Mul", squares, graph.constant(-0.5)))
    smoothness = kernel.smoothness if isinstance(kernel, Matern) else 0.5
    rate = math.sqrt(2 * smoothness) if isinstance(kernel, Matern) else 1.0
    u = graph.node("Mul", graph.node("Sqrt", squares), graph.constant(rate))
    decay = graph.node("Exp", graph.node("Neg", u))
    if smoothness == 0.5:
        return decay
    front = graph.node("Add", u, graph.constant(1.0))
    if smoothness == 2.5:
        front = graph.node("Add", front, graph.node("Div", graph.node("Mul", u, u), graph.constant(3.0)))
    return graph.node("Mul", front, decay)


def squared_distances(graph: Graph, rows: str, points: np.ndarray) -> str:
    """``||x - z||**2`` for all pairs: a loop over columns, whose memory is that of the result."""
    helper, m = graph.onnx.helper, len(points)
    info = lambda name, shape: helper.make_tensor_value_info(name, DOUBLE, shape)
    body = helper.make_graph(
        [
            helper.make_node("Unsqueeze", ["row_values", "last"], ["upright"]),
            helper.make_node("Sub", ["upright", "point_values"], ["difference"]),
            helper.make_node("Mul", ["difference", "difference"], ["square"]),
            helper.make_node("Add", ["before", "square"], ["after"]),
        ],
        "one_column",
        [info("before", ["rows", m]), info("row_values", ["rows"]), info("point_values", [m])],
        [info("after", ["rows", m])],
        [graph.onnx.numpy_helper.from_array(np.array([1], dtype=np.int64), "last")],
    )
    count = graph.node("Slice", graph.node("Shape", rows), *(graph.constant(np.array([k], np.int64)) for k in (0, 1)))
    shape = graph.node("Concat", count, graph.constant(np.array([m], np.int64)), axis=0)
    zero = graph.onnx.numpy_helper.from_array(np.zeros(1), "zero")
    start = graph.node("ConstantOfShape", shape, value=zero)
    columns = graph.node("Transpose", rows, perm=[1, 0])
    return graph.node("Scan", start, columns, graph.constant(points.T), body=body, num_scan_inputs=2)


def _power(graph: Graph, base: str, exponent: int) -> str:
    """A whole power by repeated squares, as surefit computes it."""
    found, square = None, base
    while exponent:
        if exponent & 1:
            found = square if found is None else graph.node("Mul", found, square)
        exponent >>= 1
        if exponent:
            square = graph.node("Mul", square, square)
    return found or graph.constant(1.0)
