"""Layer store: the error of a file that cannot be trusted, and of a model that no file can hold."""

from __future__ import annotations


class ModelFileError(ValueError):
    """A file that is no model file, is damaged, or names what it may not; or a model with parts that no file holds."""
