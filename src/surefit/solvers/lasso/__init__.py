"""Squared loss with absolute values and squares of coefficients: whole paths with a gap for every solution."""
