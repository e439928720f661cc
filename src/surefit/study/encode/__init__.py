"""Layer study: what columns mean, and how a row becomes numbers.

`words.py` reads numbers and nulls from texts, `dates.py` dates, `periods.py` months, quarters and weeks; `beside.py`
asks other columns how they are written where a column does not say; `slips.py` finds the few cells among many numbers
or dates that are none; `kinds.py` decides what a column is; `parts.py` turns one column into features, `seasons.py` the
parts of a date that come round again, `encoder.py` a table into a matrix; `constants.py` keeps what columns of one
value had; `reading.py` reads later tables written
otherwise, `unreadable.py` finds their cells that are no numbers or dates, `outside.py` says what they hold that the fit
did not.  All state is plain data.
"""
