"""Rows that come in blocks, for data that do not fit into memory.

In: arrays and memory maps, files, frames, relations, standard input, or blocks.  Out: blocks, one in memory at a time.

For models fitted to blocks (`fit_blocks`): ``source.py`` takes anything that yields rows; ``files.py`` (Parquet, CSV),
``arrow.py`` (any Arrow stream) and ``dask.py`` carry them; ``columns.py`` says which columns are numbers and which are
words; ``block.py`` cuts rows into blocks of one size; ``layout.py`` makes blocks a matrix; ``hold_out.py`` holds rows
out; ``distinct.py`` and ``counted.py`` count equal rows.  For online learners: ``memory.py`` cuts arrays into blocks,
``sources.py`` reads files, frames and open text.
"""
