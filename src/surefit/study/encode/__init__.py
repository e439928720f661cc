"""Layer study: what columns mean, and how a row becomes numbers.

`words.py` reads numbers and nulls from texts, `dates.py` dates; `beside.py` asks other columns how they are written
where a column does not say; `kinds.py` decides what a column is; `parts.py` turns one column into features,
`seasons.py` the parts of a date that come round again, `encoder.py` a table into a matrix; `reading.py` reads later
tables written otherwise, `outside.py` says what later tables hold that the fit did not.  All state is plain data.
"""
