"""The report of the lab: one page, nothing fetched, words escaped, small enough to send."""

import re
from dataclasses import replace

from surefit.lab import page
from surefit.lab.claims import every_claim, named
from surefit.lab.run import run


def test_the_page_stands_alone(tmp_path):
    outcomes = [run("T-21"), run("E-105"), run("T-11")]
    text = page.write_page(outcomes, tmp_path / "lab.html", tmp_path).read_text()
    assert "@@" not in text
    assert not re.findall(r"(?:src|href)=[\"']https?:", text.replace("http://www.w3.org", ""))
    assert len(text) < 6e6
    assert "3 of 3 claims came out as their theorems say" in text
    assert all(f'id="{name}"' in text for name in ("T-21", "E-105", "T-11"))


def test_words_of_a_claim_cannot_become_markup(tmp_path, monkeypatch):
    odd = replace(named("T-21"), id="T-21", title="<script>alert(1)</script>")
    monkeypatch.setattr(page, "every_claim", lambda: (odd,))
    monkeypatch.setattr(page, "FIGURES", {"F-01": page.FIGURES["F-01"]})
    text = page.write_page([run("T-21")], tmp_path / "lab.html").read_text()
    assert "<script>alert(1)" not in text
    assert len(every_claim()) > 100
