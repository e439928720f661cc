"""Bounds on a mean: one sample, many bounds, one signature."""
