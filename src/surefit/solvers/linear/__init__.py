"""Least squares and ridge: factors, refinement, streams of rows, solution sets, subsets."""
