"""surefit: linear and kernel learning you can be sure of."""

__version__ = "0.1.0"
