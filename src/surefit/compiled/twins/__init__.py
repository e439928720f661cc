"""What every compiled loop means, in NumPy: its specification, its test and its replacement."""
