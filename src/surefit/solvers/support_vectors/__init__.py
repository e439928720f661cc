"""The dual of support-vector regression and classification."""
