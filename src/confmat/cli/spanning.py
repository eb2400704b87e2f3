"""What `confmat spans` does: reads tags, matches the entities and counts or grades them."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from confmat.cli.settling import typed_tab
from confmat.cli.writing import table_text
from confmat.core.errors import InputError
from confmat.core.matrix import ConfusionMatrix
from confmat.core.text import printable
from confmat.spans import Spans, count_spans, read_conll, span_scores, spans_of_tags

__all__ = ["counted", "entities_of", "grades_text"]

Sides = tuple[Spans, Spans]


def entities_of(files: tuple[str, ...], options: dict[str, Any]) -> Sides:
    """True and predicted entities: two columns of a file, or a column of each of two."""
    if len(files) > 2:
        msg = f"entities are read from one file or from two, not from {len(files)}"
        raise InputError(msg)
    columns = options["columns"] or ([-2, -1] if len(files) == 1 else [-1])
    if len(columns) > 2 or (len(files) == 1 and len(columns) == 1):
        msg = "--columns names the columns of true and of predicted tags, such as -2,-1"
        raise InputError(msg)
    truth, predicted = (
        _entities(file, column, options)
        for file, column in zip((files[0], files[-1]), (columns[0], columns[-1]), strict=True)
    )
    _check_sentences(files, truth, predicted)
    return truth, predicted


def _check_sentences(files: tuple[str, ...], truth: Spans, predicted: Spans) -> None:
    """Two files hold the same sentences; what is wrong is said of the files."""
    mine, theirs = truth.lengths, predicted.lengths
    if mine is None or theirs is None:
        return
    names = [printable(name) for name in (files[0], files[-1])]
    if len(mine) != len(theirs):
        msg = f"{names[0]} has {len(mine):,} sentences and {names[1]} {len(theirs):,}; both must have the same"
        raise InputError(msg)
    odd = np.flatnonzero(mine != theirs)
    if len(odd):
        at = int(odd[0])
        msg = (
            f"document {at:,}, counted from 0, has {mine[at]:,} tags in {names[0]} and {theirs[at]:,} in {names[1]}; "
            "both must have the same tokens"
        )
        raise InputError(msg)


def _entities(file: str, column: int, options: dict[str, Any]) -> Spans:
    """The entities of a column of a file."""
    tags = read_conll(file, column, separator=typed_tab(options["separator"]), comment=options["comment"])
    try:
        return spans_of_tags(tags, scheme=options["scheme"])
    except InputError as error:
        msg = f"{printable(file)}, column {column}: {error}"
        raise InputError(msg) from None


def counted(sides: Sides, options: dict[str, Any]) -> ConfusionMatrix:
    """The matrix of entities."""
    return count_spans(
        *sides, match=options["match"], iou=options["iou"], partial=options["partial"], labels=options["labels"]
    )


def grades_text(sides: Sides, form: str) -> str:
    """The grades in a format."""
    found = span_scores(*sides)
    if form == "table":
        return f"{found}\n"
    records = [{"scheme": name, **one} for name, one in found.to_dict().items()]
    if form in {"json", "jsonl"}:
        known = [{key: None if value != value else value for key, value in one.items()} for one in records]
        return json.dumps(known, indent=1) + "\n" if form == "json" else "".join(json.dumps(x) + "\n" for x in known)
    return table_text([list(records[0]), *([*one.values()] for one in records)], 3, form)
