"""Layer report: a finished study as files to send on: ``report.html``, ``report.md``, ``report.json``.

In: a `StudyResult`.  Out: text and files; nothing is fitted here.  The door is ``write.py``.

In reading order: ``write.py`` (three files), ``html.py`` (the page) with ``sections/`` (its parts, each a function of
the result) and ``figures/`` (drawings), ``markdown.py``, ``words.py`` (what a leaderboard and a certificate say, shared
with the terminal), ``markup.py`` (escaping).
"""

from surefit.report.html import page
from surefit.report.markdown import text
from surefit.report.write import Written, write

__all__ = ["Written", "page", "text", "write"]
