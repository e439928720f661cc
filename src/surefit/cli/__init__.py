"""The command line, on top of everything: ``surefit fit``, ``surefit lab``, ...

In: words from a terminal, files.  Out: text, files and an exit code.  The door is ``main.py``, which puts the commands
together and lists the codes.  Errors of users become one sentence on stderr, never a
traceback; their words stand where they are raised, mostly in ``study/`` and ``data/``.

Read ``main.py``, ``fit.py`` (``fit``, ``init``, ``demo``), ``show.py`` (a study on a terminal), ``predict.py``
(``predict``, ``certify``, ``explain``), ``blocks.py`` and ``many_files.py`` (files past memory), ``stream.py``,
``watch.py``, ``options.py`` (messages that name options), ``lab.py``.  A command imports what it needs when it runs, so
that the others start quickly.
"""
