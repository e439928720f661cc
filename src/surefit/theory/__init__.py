"""What is known about a fit: leverages, leave-one-out, criteria, inference, risk."""
