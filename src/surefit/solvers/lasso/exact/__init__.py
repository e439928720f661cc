"""The exact path, knot by knot, and the constrained form."""
