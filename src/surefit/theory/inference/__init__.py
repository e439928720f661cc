"""Standard errors, tests, influence and summaries."""
