"""Kernel ridge as one linear system, and smooth losses over a kernel by Newton steps over functions."""
