"""Prediction intervals: conformal, jackknife, and from a stored fit."""
