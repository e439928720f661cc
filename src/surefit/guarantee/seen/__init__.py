"""Was this row trained on?  Fingerprints, equal and nearly equal rows, and which rows are held out."""
