"""`confmat thresholds`: which threshold of a column of scores is best, and how sure that is."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import click

from confmat.cli.options import borrowed, command, names_option, option
from confmat.cli.settings import CostFile, Look, Output, Rows, RowSettings, Scores
from confmat.core.errors import InputError, MetricError

if TYPE_CHECKING:
    from confmat.core.stack import Stack
    from confmat.io.gathering import Gathered

EXAMPLES = """\b
Examples:
  confmat thresholds preds.csv --scores p_Cat --positive Cat
  confmat thresholds preds.csv --scores p_Cat --positive Cat --best f1,recall.macro
  confmat thresholds preds.csv --scores p_Cat --positive Cat --costs prices.json
  confmat thresholds preds.csv --scores p_Cat --positive Cat --max-fpr 0.1
"""
HEADS = ["score", "value", "low", "high", "threshold", "lowest alike", "highest alike"]
USUAL = "f1,mcc,balanced_accuracy"


class ThresholdSettings(Rows, CostFile, Output):
    """The settings of `confmat thresholds`."""

    # The column of scores replaces that of answers, and thresholds are of all rows together.
    predicted = by = None
    scores: list[str] = borrowed(
        Scores,
        "scores",
        metavar="COLUMN",
        required=True,
        help="Column of scores for the positive class.",
    )
    best: list[str] = names_option(
        "--best", "-m", "--metrics", default=[USUAL], help="Scores to find the best threshold of."
    )
    max_fpr: float | None = option(
        "--max-fpr",
        type=click.FloatRange(0, 1, min_open=True),
        metavar="RATE",
        help="The area up to this false positive rate, too, 0.5 by chance and 1 at most.",
    )
    digits: int = borrowed(Look, "digits", default=4, help="Decimals.")


@command(ThresholdSettings, EXAMPLES)
def thresholds(settings: ThresholdSettings) -> None:
    """Find the threshold at which a score is best, and the range that these items cannot distinguish from it.

    With more than two classes, --positive is compared with all others. The areas under the curves
    come first, each with its 95 % interval.
    """
    from confmat.cli.inputs import Reader
    from confmat.cli.output import known_alone, put_table, settle_form, table_of
    from confmat.cli.related import Related
    from confmat.cli.rows import has_score_columns
    from confmat.cli.terminal import Working
    from confmat.core.stack import Stack

    related = Related(settings)
    source = settings.into(RowSettings)
    reader = Reader(source, related, settle=lambda gathered: swept(source, gathered))
    settle_form(settings, reader.files)
    if has_score_columns(source):
        msg = "thresholds are of one column of scores; name that of the positive class"
        raise InputError(msg)
    stack = reader.read()
    if not isinstance(stack, Stack):
        msg = "thresholds need rows with scores, and this file holds a matrix or a report"
        raise InputError(msg)
    with Working("sweeping thresholds", quiet=settings.quiet):
        rows_of_scores = _scored(stack, settings, related)
    put_table(
        known_alone(table_of(HEADS, rows_of_scores, settings.rounding), {"low", "high"}), settings
    )


def _scored(stack: Stack, settings: ThresholdSettings, related: Any) -> list[list[Any]]:
    """Return the areas with intervals, then for each score its best value, the threshold, and the ends of its range."""
    from confmat.deciding import average_precision, best, roc_auc
    from confmat.intervals import interval

    end, part = settings.max_fpr, "roc_auc"
    areas = {"roc_auc": roc_auc(stack), "average_precision": average_precision(stack)}
    if end is not None:
        part = f"roc_auc up to {end:g}"
        areas[part] = roc_auc(stack, max_fpr=end)
    rows: list[list[Any]] = [[name, value] for name, value in areas.items()]
    # Sums of weights do not tell how many items they are of.
    if settings.weight is None:
        rows = [[*row, *interval(stack, row[0])] for row in rows[:2]]
        if end is not None:
            rows.append([part, areas[part], *interval(stack, "roc_auc", max_fpr=end)])
    if odd := next((name for name in settings.best if name in areas), None):
        msg = f"{odd} is of all thresholds together, so none is best; it is printed whatever --best says"
        raise InputError(msg)
    wanted: list[dict[str, Any]] = [{"metric": name} for name in settings.best]
    if related.costs is not None:
        wanted.append({"costs": related.costs})
    for asked in wanted:
        try:
            choice = best(stack, **asked)
        except MetricError:
            # Most scores of one class alone have no value; those that nobody chose are then shown
            # without one.
            if settings.best != USUAL.split(",") or "metric" not in asked:
                raise
            rows.append([asked["metric"]])
            continue
        alike = [math.nan] * 2 if settings.weight is not None else list(choice.range)
        # A score where it is best is too good on the same items, so it has no interval.
        rows.append([choice.score, choice.value, math.nan, math.nan, choice.threshold, *alike])
    return [row + [math.nan] * (len(HEADS) - len(row)) for row in rows]


def swept(rows: Rows, gathered: Gathered) -> Stack:
    """Return the matrix at every threshold."""
    import numpy as np

    from confmat import deciding
    from confmat.cli.rows import classes_meant
    from confmat.io.samples import scores_of

    pairs = gathered.counted(frozenset(rows.na_values))
    names = list(dict.fromkeys(name for name in pairs.actual if name is not None))
    labels, positive = classes_meant(rows, names)
    scores = np.array(
        [math.nan if score is None else score for score in scores_of(pairs, gathered.asked)]
    )
    actual = np.array(list(pairs.actual), dtype=object)
    strange = labels if labels and rows.other == "drop" else None
    kept = np.array(
        [not strange or name is None or name in strange for name in pairs.actual], dtype=np.bool_
    )
    weights = None if pairs.totals is None else pairs.totals[kept]
    # Items and not sums of them, so that it is known how many a difference is of.
    many = pairs.many[kept] if weights is None else 1
    actual, scores = np.repeat(actual[kept], many), np.repeat(scores[kept], many)
    side = (
        {"of": positive}
        if positive is not None and len(labels or names) > 2
        else {"positive": positive}
    )
    missing: Any = "drop" if rows.missing == "drop" else "error"
    return deciding.thresholds(
        actual, scores, labels=labels, weights=weights, missing=missing, **side
    )
