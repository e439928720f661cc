"""The one door to the compiled loops, and their plain-Python twins."""
