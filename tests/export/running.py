"""Models run by onnxruntime."""

import numpy as np
import pytest

from surefit.export.write import to_onnx

onnxruntime = pytest.importorskip("onnxruntime")


def run(path, inputs):
    """The outputs of a file by name."""
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    return dict(zip([one.name for one in session.get_outputs()], session.run(None, inputs), strict=True))


def answers(model, rows, folder):
    """What a model answers as an ONNX file."""
    to_onnx(model, folder / "model.onnx")
    return run(folder / "model.onnx", {"X": np.asarray(rows, dtype=np.float64)})


def close(found, expected, largest=None):
    """Equal to 1e-9 relative, to the largest of all numbers where sums may cancel."""
    found, expected = np.asarray(found), np.asarray(expected)
    assert found.dtype == np.float64
    assert found.shape == expected.shape
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9 * np.max(np.abs(expected)) * (largest or 0.01))
