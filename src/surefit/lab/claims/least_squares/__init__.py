"""Claims of this part of the theory: least squares."""
