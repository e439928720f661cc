"""Perceptron, Adaline, separability and the fewest mistakes."""
