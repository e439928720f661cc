"""The record of a study is plain data: it survives JSON, and every field says what it is."""

import ast
import inspect
import json
import math

import pytest

from surefit.study import record
from surefit.study.records import board, data, noticed, winner
from surefit.study.records.board import Candidate, Curve, Ending, Metric


def test_numbers_that_json_does_not_know_become_null_or_words():
    curve = Curve("leave-one-out", (1.0, 0.1), (2.0, math.inf), (math.nan, math.nan), 1.0)
    line = Candidate("ridge", "Ridge", Ending.FINISHED, curve=curve, other_scores={"mean absolute error": 1.5})
    plain = record._plain(line)
    assert json.loads(json.dumps(plain, allow_nan=False)) == plain
    assert plain["ending"] == "finished"
    assert plain["score"] is None
    assert plain["curve"]["values"] == [2.0, "inf"]
    assert plain["other_scores"] == {"mean absolute error": 1.5}


KINDS = [
    kind
    for module in (record, board, data, noticed, winner)
    for kind in vars(module).values()
    if inspect.isclass(kind) and kind.__module__ == module.__name__ and hasattr(kind, "__dataclass_fields__")
]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_field_of_every_record_has_a_docstring(kind):
    body = ast.parse(inspect.getsource(kind)).body[0].body
    for place, statement in enumerate(body):
        if isinstance(statement, ast.AnnAssign):
            following = body[place + 1]
            assert isinstance(following, ast.Expr), f"{kind.__name__}.{statement.target.id} has no docstring"
            assert isinstance(following.value, ast.Constant), f"{kind.__name__}.{statement.target.id} has no docstring"


def test_records_are_frozen():
    with pytest.raises(AttributeError):
        Metric("log loss", "nats", "smaller is better").name = "other"  # type: ignore[misc]
