"""Leverages, degrees of freedom, leave-one-out and criteria of one linear fit."""
