"""Layer report: a finished study as files to send on: ``report.html``, ``report.md``, ``report.json``.

In: a `StudyResult`.  Out: text and files; nothing is fitted here.  The door is `write`.  In reading order: `write`
(three files), `html` (the page) with `sections` (its parts, each a function of the result) and `figures` (drawings),
`markdown`, `words` (what a leaderboard and a certificate say, shared with the terminal), `markup` (escaping).
"""

from surefit.report.html import page
from surefit.report.markdown import text
from surefit.report.write import Written, write

__all__ = ["Written", "page", "text", "write"]
