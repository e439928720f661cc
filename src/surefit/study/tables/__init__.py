"""Layer study: tables as they come: files and frames in, columns of words, numbers and dates out.

`table.py` has the records, `read.py` is the door for files and frames; `text_file.py` reads CSV and TSV,
`arrow_file.py` Parquet and Arrow, `frames.py` pandas and polars; `zones.py` says by which clock dates are read.
"""
