"""The command line, on top of everything: ``surefit fit``, ``surefit lab``, ...

Each command has a file; `main.py` puts them together.  A command imports what it needs when it runs, so that the others
start quickly.  Errors of users become one sentence on stderr and an exit code, never a traceback.
"""
