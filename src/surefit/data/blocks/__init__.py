"""Rows that come in blocks."""
