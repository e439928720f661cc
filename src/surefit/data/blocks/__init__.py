"""Rows that come in blocks: ``memory.py`` cuts arrays into them and checks any others."""
