"""`confmat report`: scores per class, averaged and overall; a gate for CI."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from confmat.cli.options import Assignment, Choice, Settings, borrowed, command, group, names_option, option
from confmat.cli.settings import CostFile, HierarchyFile, Look, Output, RowSettings
from confmat.core.errors import InputError, MetricError
from confmat.core.text import printable

if TYPE_CHECKING:
    from confmat.cli.inputs import Counted, Reader
    from confmat.cli.related import Related
    from confmat.core.labels import Labels
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
  confmat report preds.csv --sep ';' --averages micro,macro      several labels in a field
  confmat report run.eval                                        the log of a language model's evaluation
  confmat report llm.csv --aliases names.csv --refused 'I cannot*' --other collect
  confmat report judged.csv -p model --judge llm --gold checked --intervals
  confmat report month.json --hierarchy classes.txt --costs costs.json
  confmat report month.json --averages macro,micro --digits 4
  confmat report month.json --fail-under f1.macro=0.9 --fail-under 'recall[Cat]=0.8'
  confmat report month.json --fail-over error_rate=0.1
"""


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(text)
    return number


BAR = Assignment("score=number", "f1.macro=0.9", _finite)


class ReportSettings(Settings):
    """The settings of `confmat report`."""

    input: RowSettings = group(RowSettings)
    hierarchy: HierarchyFile = group(HierarchyFile)
    costs: CostFile = group(CostFile)
    judge: str | None = option(
        "--judge", metavar="COLUMN", help="Labels of a judge that errs; --gold corrects the scores for that."
    )
    gold: str | None = option(
        "--gold", metavar="COLUMN", help="True labels of the items that somebody checked, empty for all others."
    )
    metrics: list[str] | None = names_option("-m", "--metrics", help="Columns, and scores such as mcc or f1.macro.")
    averages: list[str] | None = names_option("--averages", help="Such as macro,micro,weighted.")
    digits: int = borrowed(Look, "digits", help="Decimals.")
    intervals: bool = option("--intervals", is_flag=True, help="Each number with its interval of 95 %.")
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
    output: Output = group(Output)

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
    from confmat.cli.output import form_of, put_reports
    from confmat.cli.related import Related
    from confmat.judging import Judged
    from confmat.reporting import Report

    related = Related(settings.hierarchy, settings.costs, settings.input.several)
    reader = Reader(settings.input, related, quiet=settings.output.quiet, by_item=True)
    form = form_of(settings.output, reader.files)
    gate = Gate(settings, related)
    _check_names(settings, related)
    gate.check()
    maker = ReportMaker(settings, related, reader)

    def show(part: Counted) -> None:
        put_reports(*maker.reports(part), settings.output, form, "\n" if form == "table" else "")

    judged = settings.judge is not None or settings.gold is not None
    value = _judged(settings) if judged else reader.read(show)
    gate.check_value(value)
    reports, axis = maker.reports(value)
    told = value.sentences() if isinstance(value, Judged) and form == "table" else []
    below = [maker.below(value, form), *(f"\n{sentence}" for sentence in told), "\n" if told else ""]
    put_reports(reports, axis, settings.output, form, "".join(below))
    if isinstance(value, Report):
        return 0
    failures = [*gate.failures(value, reader.items)]
    for line in failures:
        click.echo(f"confmat: {line}", err=True)
    return 1 if failures else 0


def _judged(settings: ReportSettings) -> Judged:
    """Return the matrix of judged items, corrected by those that were checked."""
    from confmat.io.judges import judged
    from confmat.judging import Judged

    rows = settings.input.rows
    if rows.predicted is None or settings.gold is None or rows.by:
        msg = "judged items need three columns, --predicted, --gold and, where there is a judge, --judge; and no --by"
        raise InputError(msg)
    found = judged(settings.judge, rows.predicted, gold=settings.gold, data=list(rows.files), labels=rows.labels)
    assert isinstance(found, Judged)
    return found


def _check_names(settings: ReportSettings, related: Related) -> None:
    """Refuse misspelt scores and averages before hours are spent on counting."""
    from confmat.metrics.averages import average_named

    for name in settings.metrics or ():
        related.score(name)
    for name in settings.averages or ():
        if name != "samples":
            average_named(name)
        elif not settings.input.several.makes_stack:
            msg = "samples, the mean over items, is of rows with several labels each: say --sep, and no --matrix"
            raise InputError(msg)


class ReportMaker:
    """Reports of a matrix or of each group, and the texts below them."""

    def __init__(self, settings: ReportSettings, related: Related, reader: Reader) -> None:
        self.settings, self.related, self.reader = settings, related, reader

    def reports(self, value: Counted | Report) -> tuple[Report | dict[Any, Report], str]:
        """Return the report, or one for each group, and the name of the axis of groups."""
        from confmat import reporting
        from confmat.cli.inputs import no_counts
        from confmat.core.stack import Stack
        from confmat.metrics.items import is_of_labels

        settings, of_labels = self.settings, is_of_labels(value)
        beside = self.related.beside(value)
        if isinstance(value, reporting.Report):
            no_counts(settings, "metrics", "averages", "intervals", "outside", "hierarchy", "costs")
            return value, ""
        chosen = settings.metrics and self.related.chosen(settings.metrics)
        usual = () if chosen else reporting.OVERALL
        options: dict[str, Any] = {
            "metrics": chosen,
            "averages": settings.averages,
            "digits": settings.digits,
            "intervals": settings.intervals,
            "outside": settings.policy,
            "overall": [*usual, *(one for one in beside if one.name not in (settings.metrics or ()))]
            if beside
            else None,
        }
        if isinstance(value, Stack) and not of_labels:
            return {key: reporting.report(m, **options) for key, m in value.items()}, value.axis
        return reporting.report(value, items=self.reader.items if of_labels else None, **options), ""

    def below(self, value: Counted | Report, form: str) -> str:
        """Return the costs of a single matrix, and its scores at worst and at best, as text below the table."""
        from confmat.core.matrix import ConfusionMatrix

        text = ""
        if form == "table" and isinstance(value, ConfusionMatrix) and self.related.costs is not None:
            from confmat.costs import cost_report

            text = f"\n{cost_report(value, self.related.costs)}\n"
        if self.settings.outside != "bounds":
            return text
        if form != "table" or not isinstance(value, ConfusionMatrix):
            msg = "--outside bounds is shown below the table of one matrix; say wrong or exclude otherwise"
            raise InputError(msg)
        from confmat.deciding import unanswered

        return f"{text}\n{unanswered(value)}\n"


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
        from confmat.core.labels import Labels
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
        labels = self.settings.input.rows.labels
        # One of two may be the positive class even if none is named, as 1 of 0 and 1.
        if labels is not None and len(labels) != 2:
            self._settle(Labels(labels))

    def check_value(self, value: Counted | Report) -> None:
        """Refuse bars of a report, which has no counts, and bars for a score per class that means no single class."""
        from confmat.core.labels import Labels
        from confmat.core.stack import Stack
        from confmat.metrics.items import is_of_labels
        from confmat.reporting import Report

        if not self.bars:
            return
        if isinstance(value, Report):
            msg = f"{self.bars[0][0]} needs the matrix; a stored report has no counts"
            raise InputError(msg)
        # No label of items that have several is the positive one.
        if isinstance(value, Stack) and is_of_labels(value):
            self._settle(Labels(list(value)[:1]))
        else:
            self._settle(value.labels)

    def _settle(self, labels: Labels) -> None:
        """Take the scores that are one number of these classes."""
        from confmat.metrics.catalog import one_number

        self.scores = []
        for option_, text, _ in self.bars:
            try:
                self.scores.append(one_number(self.related.score(text), labels))
            except MetricError as error:
                msg = f"{option_} {printable(text)}: {error}"
                raise MetricError(msg) from None

    def failures(self, value: Counted, items: Any) -> Iterator[str]:
        """Yield a line for each score that misses its bar, and by how much."""
        from confmat.core.stack import Stack
        from confmat.metrics.items import is_of_labels

        if isinstance(value, Stack) and not is_of_labels(value):
            for key, m in value.items():
                yield from self._misses(m, f" where {printable(value.axis)} is {printable(key)}", None)
        else:
            yield from self._misses(value, "", items)

    def _misses(self, m: Counted, where: str, items: Any) -> Iterator[str]:
        for (option_, text, bar), score in zip(self.bars, self.scores, strict=True):
            value = self._value(option_, text, score, m, items)
            under = option_ == "--fail-under"
            if math.isnan(value):
                why = getattr(score.metric, "undefined", None) or "it has no value"
                yield f"{score} is undefined{where}, so it is not at {'least' if under else 'most'} {bar:g}: {why}"
            elif not (value >= bar if under else value <= bar):
                how = "falls short of" if under else "exceeds"
                yield f"{score} = {value:.6g}{where} {how} {bar:g} by {abs(bar - value):.3g}"

    def _value(self, option_: str, text: str, score: Score, m: Counted, items: Any) -> float:
        import numpy as np

        from confmat.core.stack import Stack
        from confmat.reporting import report as report_of

        outside = self.settings.policy
        if isinstance(m, Stack):
            value: Any = next(iter(report_of(m, [text], items=items, outside=outside).overall.values()))
        else:
            value = score(m, outside=outside)
        if not isinstance(value, (int, float, np.number)):
            # A peer may print a word or an interval.
            msg = f"{option_} {printable(text)}: that is no number but {value!r:.60}"
            raise MetricError(msg)
        return float(value)
