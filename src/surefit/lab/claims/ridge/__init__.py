"""Claims of this part of the theory: ridge."""
