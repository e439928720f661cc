"""The map has every claim, the arrows between them, and the verdict in a sign."""

from xml.etree import ElementTree

from surefit.lab.claims import every_claim
from surefit.lab.map import draw_map, rooms
from surefit.lab.run import run


def test_every_claim_is_in_one_room():
    placed = [claim.id for here in rooms().values() for claim in here]
    assert sorted(placed) == sorted(claim.id for claim in every_claim())


def test_verdicts_are_signs_and_the_picture_is_valid():
    picture = draw_map({"T-21": run("T-21"), "T-11": run("T-11", seconds=0.0)})
    words = [text.text for text in ElementTree.fromstring(picture).iter("{http://www.w3.org/2000/svg}text")]
    assert {"T-21 ✓", "T-11 ?"} <= set(words)
    assert "T-20 " in words
