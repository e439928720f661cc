"""Exact risks, biases and variances where the law of the data is known."""
