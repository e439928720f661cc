"""The error of model files is a `ValueError` with a sentence."""

import pytest

import surefit
from surefit.store.refusal import ModelFileError


def test_a_file_that_is_no_model_raises_a_value_error_that_names_the_file(tmp_path):
    path = tmp_path / "model.surefit"
    path.write_text("hello")
    with pytest.raises(ValueError, match=r"model\.surefit' cannot be read as a model: it is not a whole zip"):
        surefit.load(path)
    assert issubclass(ModelFileError, ValueError)


def test_a_file_that_is_not_there_is_an_error_of_the_system(tmp_path):
    with pytest.raises(FileNotFoundError):
        surefit.load(tmp_path / "none")
