"""`confmat report`: scores per class, averaged and overall; a gate for CI."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import click

from confmat.cli.options import Choice, assignment, borrowed, command, names_option, option, refuse
from confmat.cli.settings import CostFile, HierarchyFile, Look, Output, RowSettings
from confmat.core.errors import FileError, InputError, LabelError, MetricError
from confmat.core.text import printable

if TYPE_CHECKING:
    from confmat.cli.inputs import Counted
    from confmat.cli.related import Related
    from confmat.io.gathering import Gathered
    from confmat.judging import Judged
    from confmat.metrics.catalog import Score
    from confmat.metrics.margins import Outside
    from confmat.reporting import Report

EXAMPLES = """\b
Examples:
  confmat report preds.parquet
  confmat report *.csv --by site --weight w -o report.md
  cat preds.jsonl | confmat report - --metrics precision,recall,mcc
  confmat report *.csv --scores w --threshold 2 -l Cat,Hen --positive Hen --other drop
  confmat report preds.csv --scores 'p_*' --top-k 2              a column of scores for each class
  confmat report run.eval                                        the log of a language model's evaluation
  confmat report llm.csv --aliases names.csv --refused 'I cannot*' --other collect
  confmat report judged.csv -p model --judge llm --gold checked --intervals
  confmat report verdicts.csv --judge llm --gold checked            the share of items that pass
  confmat report month.json --hierarchy classes.txt --costs costs.json
  confmat report month.json --averages macro,micro --digits 4
  confmat report month.json --fail-under f1.macro=0.9 --fail-under 'recall[Cat]=0.8'
  confmat report month.json --fail-over error_rate=0.1
"""


def finite(text: str) -> float:
    """Return a number that scores can be held against."""
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(text)
    return number


BAR = assignment("score=number", "f1.macro=0.9", finite)
# By the option of a bar: what a score has to be, the words for one that is not, and its direction.
BARS = {"--fail-under": ("least", "falls short of", 1), "--fail-over": ("most", "exceeds", -1)}


class ReportSettings(RowSettings, HierarchyFile, CostFile, Output):
    """The settings of `confmat report`."""

    judge: str | None = option(
        "--judge",
        metavar="COLUMN",
        help="Labels of a judge that errs; --gold corrects the scores for that. Without -p, which items pass.",
    )
    gold: str | None = option(
        "--gold",
        metavar="COLUMN",
        help="True labels of the items that somebody checked, empty for all others.",
    )
    metrics: list[str] | None = names_option(
        "-m", "--metrics", help="Columns, and scores such as mcc or f1.macro."
    )
    averages: list[str] | None = names_option("--averages", help="Such as macro,micro,weighted.")
    digits: int = borrowed(Look, "digits", help="Decimals.")
    intervals: bool = option("--intervals", help="Each number with its interval of 95 %.")
    outside: str = option(
        "--outside",
        type=Choice(("wrong", "exclude", "bounds")),
        default="wrong",
        help="Whether answers outside the classes, such as (refused), count as wrong or are left out; bounds shows "
        "both, and the scores at worst and at best.",
    )
    fail_under: tuple[tuple[str, float], ...] = option(
        "--fail-under", type=BAR, multiple=True, help="Exit with 1 if a score is less; repeatable."
    )
    fail_over: tuple[tuple[str, float], ...] = option(
        "--fail-over", type=BAR, multiple=True, help="Exit with 1 if a score is more; repeatable."
    )

    @property
    def judged(self) -> bool:
        """Whether a judge's labels are corrected."""
        return self.judge is not None or self.gold is not None

    @property
    def policy(self) -> Outside:
        """How answers outside the classes count in the report and for its bars."""
        return "exclude" if self.outside == "exclude" else "wrong"


@command(ReportSettings, EXAMPLES)
def report(settings: ReportSettings) -> int:
    """Score files, or stored matrices, or standard input (-): per class, averaged and overall.

    Scores are spelt f1 (of every class), f1.macro (averaged), f1[Cat] (of one class).
    """
    from confmat.cli.inputs import Reader
    from confmat.cli.output import put_reports, settle_form
    from confmat.cli.related import Related

    related = Related(settings)
    scored: list[str] = []
    settle = _settling(settings, scored) if settings.peek("scores") else None
    reader = Reader(settings, related, settle=settle)
    settle_form(settings, reader.files)
    gate = Gate(settings, related)
    _check_names(settings, related)
    gate.check()

    def show(part: Counted) -> None:
        reports, axis = _reports(part, settings, related)
        put_reports(reports, axis, settings, "\n" if settings.form == "table" else "")

    value: Any = _judged(settings, related) if settings.judged else reader.read(show)
    gate.check_value(value)
    reports, axis = _reports(value, settings, related)
    told = value.sentences() if settings.judged and settings.form == "table" else []
    below = [
        _below(value, settings, related),
        *scored,
        *(f"\n{sentence}" for sentence in told),
        "\n" if told else "",
    ]
    put_reports(reports, axis, settings, "".join(below), _summary(value, settings))
    failures = [*gate.failures(value)]
    for line in failures:
        click.echo(f"confmat: {line}", err=True)
    return 1 if failures else 0


def _settling(settings: ReportSettings, scored: list[str]) -> Callable[[Gathered], Counted]:
    """Return what makes the matrix of scores, and keeps as text whether they mean what they say."""
    from confmat.calibrating import calibration
    from confmat.cli.rows import settle
    from confmat.cli.thresholds import swept

    def settled(gathered: Gathered) -> Counted:
        value = settle(settings, gathered, None)
        if (
            settings.form == "table"
            and settings.by is None
            and settings.score_kind == "probabilities"
        ):
            # Weighted scores, and such as are no probabilities, are not said to be calibrated or
            # not.
            with suppress(InputError):
                scored[:] = [f"\n{calibration(swept(settings, gathered))}\n"]
        return value

    return settled


def _judged(settings: ReportSettings, related: Related) -> Judged:
    """Return the matrix of judged items, corrected by those that were checked; without a model, of which pass."""
    from confmat.cli.inputs import Reader
    from confmat.cli.rows import classes_meant, logged_rules
    from confmat.core.labels import Labels
    from confmat.io.gathering import names_in
    from confmat.io.judges import judged_rows
    from confmat.judging import Judged
    from confmat.judging.door import Reading

    passes = settings.predicted is None
    if settings.gold is None or settings.by or (passes and settings.judge is None):
        msg = (
            "judged items need a column --gold, and --predicted, --judge or both: without --predicted, the judge "
            "says which items pass; and no --by"
        )
        raise InputError(msg)
    refuse(
        settings,
        ("actual", "weight", "scores", "every"),
        "does not go with --gold, which names the truth",
    )
    sides = {"predicted": settings.judge, "by": None} if passes else {"by": settings.judge}

    def settle(gathered: Gathered) -> Judged:
        pairs = gathered.counted(frozenset(settings.na_values))
        found = [
            name
            for column in (pairs.actual, pairs.predicted, pairs.group)
            for name in names_in(column or ())
        ]
        labels, positive = classes_meant(settings, found)
        rules, reader.log = logged_rules(settings)
        named = Labels(labels) if labels else None
        # Without classes or rules, no label is another one.
        other = "error" if named is None and rules is None else settings.other
        reading = Reading(named, settings.missing, other, rules, positive)  # type: ignore[arg-type]
        return judged_rows(gathered, settings.na_values, reading, passes=passes)

    # One count of all columns; what it means is settled once they are known.
    reader = Reader(
        settings.into(ReportSettings, actual=settings.gold, **sides), related, settle=settle
    )
    try:
        found = reader.read()
    except (InputError, LabelError) as error:
        if isinstance(error, FileError):
            raise
        raise type(error)(
            error.message.renamed(actual="gold", **{"predicted" if passes else "by": "judge"})
        ) from None
    assert isinstance(found, Judged)
    return found


def _check_names(settings: ReportSettings, related: Related) -> None:
    """Refuse misspelt scores and averages before hours are spent on counting."""
    from confmat.metrics.averages import average_named

    for name in settings.metrics or ():
        related.score(name)
    for name in settings.averages or ():
        average_named(name)


def _reports(
    value: Counted, settings: ReportSettings, related: Related
) -> tuple[Report | dict[Any, Report], str]:
    """Return the report, or one for each group, and the name of the axis of groups."""
    from confmat import reporting
    from confmat.core.stack import Stack
    from confmat.metrics.items import is_of_labels

    beside = related.beside(value)
    asked = settings.metrics or ["accuracy"] * _are_passes(value, settings)
    options: dict[str, Any] = {
        "metrics": related.chosen(list(asked)) or None,
        "averages": settings.averages,
        "digits": settings.digits if settings.form == "json" else settings.rounding,
        "intervals": settings.intervals,
        "outside": settings.policy,
    }
    if beside:
        usual = () if asked else reporting.OVERALL
        options["overall"] = [*usual, *(score for score in beside if score.name not in asked)]
    if isinstance(value, Stack) and not is_of_labels(value):
        return {key: reporting.report(m, **options) for key, m in value.items()}, value.axis
    return reporting.report(value, **options), ""


def _are_passes(value: Any, settings: ReportSettings) -> bool:
    """Return whether judged items pass or not, instead of having classes."""
    return settings.judged and value.passes is not None


def _summary(value: Counted, settings: ReportSettings) -> str:
    """Return the sentences above the table; scores of items with several labels, and pass rates, have none."""
    from confmat.core.text import folded
    from confmat.display.summary import sentences
    from confmat.metrics.items import is_of_labels

    if settings.form != "table" or is_of_labels(value) or _are_passes(value, settings):
        return ""
    return "\n".join([*folded([" ".join(sentences(value))]), "", ""])


def _below(value: Counted, settings: ReportSettings, related: Related) -> str:
    """Return the costs of a single matrix, and its scores at worst and at best, as text below the table."""
    from confmat.core.matrix import ConfusionMatrix

    bounds = settings.outside == "bounds"
    if settings.form != "table" or not isinstance(value, ConfusionMatrix):
        if bounds:
            msg = "--outside bounds is shown below the table of one matrix; say wrong or exclude otherwise"
            raise InputError(msg)
        return ""
    text = ""
    if related.costs is not None:
        from confmat.costs import cost_report

        text = f"\n{cost_report(value, related.costs)}\n"
    if bounds:
        from confmat.deciding import unanswered

        text += f"\n{unanswered(value)}\n"
    return text


class Gate:
    """The bars of --fail-under and --fail-over that scores must reach or may not exceed."""

    def __init__(self, settings: ReportSettings, related: Related) -> None:
        self.settings, self.related = settings, related
        self.bars = [("--fail-under", *bar) for bar in settings.fail_under]
        self.bars += [("--fail-over", *bar) for bar in settings.fail_over]
        self.scores: list[Score] = []

    def check(self) -> None:
        """Refuse bars on the side on which good scores fail, before anything is counted."""
        if not self.bars:
            return
        from confmat.metrics.declaration import Metric
        from confmat.metrics.peers import PeerScore

        for option_, text, _ in self.bars:
            score = self.related.score(text)
            metric = score.metric.metric if isinstance(score.metric, PeerScore) else score.metric
            if not isinstance(metric, Metric):
                continue
            right = {"higher": "--fail-under", "lower": "--fail-over"}.get(metric.better, option_)
            if right != option_:
                msg = (
                    f"{option_} {printable(text)}: of {metric.name}, {metric.better} is better; "
                    f"say {right} {printable(text)}=..."
                )
                raise MetricError(msg)

    def check_value(self, value: Counted) -> None:
        """Refuse bars for a score per class that means no single class."""
        from confmat.core.labels import Labels
        from confmat.core.stack import Stack
        from confmat.metrics.catalog import one_number
        from confmat.metrics.items import is_of_labels

        if not self.bars:
            return
        # No label of items that have several is the positive one.
        labels = (
            Labels(list(value)[:1])
            if isinstance(value, Stack) and is_of_labels(value)
            else value.labels
        )
        for option_, text, _ in self.bars:
            try:
                self.scores.append(one_number(self.related.score(text), labels))
            except MetricError as error:
                msg = f"{option_} {printable(text)}: {error}"
                raise MetricError(msg) from None

    def failures(self, value: Counted) -> Iterator[str]:
        """Yield a line for each score that misses its bar, and by how much; of groups, each score of each."""
        from confmat.core.stack import Stack
        from confmat.metrics.items import is_of_labels

        parts = [("", value)]
        if isinstance(value, Stack) and not is_of_labels(value):
            parts = [
                (f" where {printable(value.axis)} is {printable(key)}", m)
                for key, m in value.items()
            ]
        for where, m in parts:
            for (option_, text, bar), score in zip(self.bars, self.scores, strict=True):
                number = self._value(option_, text, score, m)
                least, misses, sign = BARS[option_]
                if math.isnan(number):
                    why = getattr(score.metric, "undefined", None) or "it has no value"
                    yield f"{score} is undefined{where}, so it is not at {least} {bar:g}: {why}"
                elif sign * number < sign * bar:
                    yield f"{score} = {number:.6g}{where} {misses} {bar:g} by {abs(bar - number):.3g}"

    def _value(self, option_: str, text: str, score: Score, m: Counted) -> float:
        import numpy as np

        from confmat.core.stack import Stack
        from confmat.reporting import report as report_of

        outside = self.settings.policy
        if isinstance(m, Stack):
            value: Any = next(iter(report_of(m, [text], outside=outside).overall.values()))
        else:
            value = score(m, outside=outside)
        if not isinstance(value, (int, float, np.number)):
            # A peer may print a word or an interval.
            msg = f"{option_} {printable(text)}: that is no number but {value!r:.60}"
            raise MetricError(msg)
        return float(value)
