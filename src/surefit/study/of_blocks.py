"""Layer study: a model that was fitted to blocks of rows, as a `TableModel`.

In: an estimator with ``blocks_``.  Out: the same with an encoder of plain data, which a file can hold and `surefit
predict` can use.
"""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np

from surefit.data.blocks.columns import MISSING
from surefit.study.encode.encoder import Encoder
from surefit.study.encode.kinds import CATEGORY, NUMBER, Kind
from surefit.study.encode.parts import CategoryPart, NumberPart, Part
from surefit.study.model import TableModel
from surefit.study.target import CLASSIFICATION, REGRESSION, Target


def table_model_of(estimator: Any) -> TableModel:
    """The estimator with what turns rows of its table into its features; it needs rows held out (``certify=``)."""
    record = estimator.blocks_
    if record.certificate is None:
        raise ValueError("no rows were held out, so there is nothing to certify with; fit_blocks(..., certify=0.05)")
    number, word = Kind(NUMBER, "numbers in the table"), Kind(CATEGORY, "words in the table")
    parts: list[Part] = [NumberPart(name, number, 0.0, 1.0, False, False) for name in record.columns.numbers]
    for name, reference in zip(record.columns.words, record.references, strict=True):
        levels = [level for column, level in record.features if column == name and level is not None]
        known = tuple(level for level in levels if level != MISSING)
        parts.append(CategoryPart(name, word, reference, known, False, MISSING in levels))
    twin = copy(estimator)
    twin.__dict__.pop("feature_names_in_", None)  # the encoder hands it rows without names
    twin.blocks_ = replace(record, certificate=None, scores=np.zeros(0))
    task, classes = (CLASSIFICATION, record.classes) if record.classes else (REGRESSION, ())
    if classes:
        twin.classes_ = np.array(classes)
    target = Target(record.columns.target, task, "fitted to blocks", word if classes else number, classes)
    family = type(estimator).__name__
    return TableModel(Encoder(tuple(parts)), twin, target, record.certificate, record.scores, family)
