"""What is promised about future rows, its assumptions and its words."""
