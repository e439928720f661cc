"""Which theorem certifies which kind of model without held-out rows."""
