"""What `confmat thresholds` does: sweeps a column of scores, and says where scores are best."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np

from confmat.cli.reading import read
from confmat.cli.related import costs_of
from confmat.cli.settling import has_columns_of_scores, spelling
from confmat.cli.terminal import Working
from confmat.cli.writing import table_text
from confmat.core.errors import InputError, MetricError
from confmat.core.stack import Stack
from confmat.deciding import average_precision, best, roc_auc, thresholds
from confmat.io.gathering import Gathered
from confmat.io.rows import scores_of

__all__ = ["found", "written"]

Row = list[Any]
HEADS = ["score", "value", "threshold", "lowest alike", "highest alike"]


def found(options: dict[str, Any]) -> list[Row]:
    """The areas, then for each score its best value, the threshold, and the ends of those that are not told from it."""
    if has_columns_of_scores(options):
        msg = "thresholds are of one column of scores; name that of the positive class"
        raise InputError(msg)
    if options["by"] is not None:
        msg = "thresholds are of all rows together; leave --by out"
        raise InputError(msg)
    t = read(options | {"settle": _swept})
    if not isinstance(t, Stack):
        msg = "thresholds need rows with scores, and this file holds a matrix or a report"
        raise InputError(msg)
    with Working("sweeping thresholds", quiet=options["quiet"]):
        return _scored(t, options)


def _scored(t: Stack, options: dict[str, Any]) -> list[Row]:
    """The areas, and the best of each score."""
    rows: list[Row] = [["roc_auc", roc_auc(t)], ["average_precision", average_precision(t)]]
    wanted: list[dict[str, Any]] = [{"metric": name} for name in options["best"]]
    if options["costs"] is not None:
        wanted.append({"costs": costs_of(options)})
    for asked in wanted:
        try:
            one = best(t, **asked)
        except MetricError:
            # Of one class alone most scores have no value; those that nobody chose are then shown without one.
            if options["sources"].get("best") != "DEFAULT" or "metric" not in asked:
                raise
            rows.append([asked["metric"]])
            continue
        # Sums of weights do not tell how many items they are of.
        alike = [math.nan] * 2 if options["weight"] is not None else list(one.range)
        rows.append([one.score, one.value, one.threshold, *alike])
    return [row + [math.nan] * (len(HEADS) - len(row)) for row in rows]


def _swept(options: dict[str, Any], gathered: Gathered) -> Stack:
    """The matrix at every threshold, of what was gathered."""
    pairs = gathered.counted(frozenset(options["na_values"]))
    names = list(dict.fromkeys(name for name in pairs.actual if name is not None))
    spelt = spelling(names)
    labels = options["labels"] and [spelt(name) for name in options["labels"]]
    positive = None if options["positive"] is None else spelt(options["positive"])
    scores = np.array([math.nan if one is None else one for one in scores_of(pairs, gathered.asked)])
    actual = np.array(pairs.actual, dtype=object)
    strange = options["other"] == "drop" and labels
    kept = np.array([not strange or name is None or name in labels for name in pairs.actual], dtype=bool)
    weights = None if pairs.totals is None else pairs.totals[kept]
    # Items and not sums of them, so that it is known how many a difference is of.
    many = pairs.many[kept] if weights is None else 1
    actual, scores = np.repeat(actual[kept], many), np.repeat(scores[kept], many)
    side = {"of": positive} if positive is not None and len(labels or names) > 2 else {"positive": positive}
    missing: Any = "drop" if options["missing"] == "drop" else "error"
    return thresholds(actual, scores, labels=labels, weights=weights, missing=missing, **side)


def written(rows: list[Row], options: dict[str, Any], form: str) -> str:
    """The rows in a format."""
    if form not in {"json", "jsonl"}:
        return table_text([HEADS, *rows], options["digits"], form)
    records = [{head: _plain(value) for head, value in zip(HEADS, row, strict=True)} for row in rows]
    return (
        json.dumps(records, indent=1) + "\n" if form == "json" else "".join(json.dumps(one) + "\n" for one in records)
    )


def _plain(value: Any) -> Any:
    """As JSON can hold it."""
    if isinstance(value, str) or math.isfinite(value):
        return value
    return None if math.isnan(value) else str(value)
