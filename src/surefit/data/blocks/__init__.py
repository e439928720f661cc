"""Rows that come in blocks, for data that do not fit into memory.

In: arrays and memory maps, files, frames, standard input, or blocks.  Out: blocks ``(X, y)`` or ``(X, y, weight)``, one
in memory at a time.  ``memory.py`` cuts arrays into blocks and checks any others; ``sources.py`` reads files (CSV,
Parquet, Arrow, JSON lines), frames and open text.
"""
