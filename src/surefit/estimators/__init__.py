"""The scikit-learn face: validate, build, solve, keep the solution."""
