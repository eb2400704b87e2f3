"""How a report reads: as text with footnotes, Markdown, LaTeX and comma-separated values."""

from __future__ import annotations

import math
from numbers import Integral
from typing import TYPE_CHECKING, Any

from confmat.core.errors import Message, MetricError
from confmat.core.escaping import csv_field, in_csv, in_latex, in_markdown
from confmat.core.options import told
from confmat.core.text import abridge, display_width, fit, legible, number, pad, printable

if TYPE_CHECKING:
    from confmat.metrics.averages import Coverage
    from confmat.reporting import Report

__all__ = ["as_csv", "as_latex", "as_markdown", "as_text", "check_digits", "footnotes", "hidden", "name_of"]

# Of more classes, the first and the last are printed.
MOST, HEAD, TAIL = 40, 20, 10
NAME_WIDTH = 32
DASH = "–"
# What a float has.
MOST_DIGITS = 17


def check_digits(digits: Any) -> None:
    """Complain of anything but a number of decimals."""
    if isinstance(digits, bool) or not isinstance(digits, Integral) or not 0 <= int(digits) <= MOST_DIGITS:
        msg = Message("{digits} must be a whole number of decimals from 0 to {}, not {}", MOST_DIGITS, told(digits))
        raise MetricError(msg)


def name_of(label: Any) -> str:
    """A class name on one line."""
    return printable(label)


def _score(value: Any, digits: int) -> str:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        if math.isnan(value):
            return DASH
        # A count has no decimals, and what is huge or tiny needs none either.
        if isinstance(value, int):
            return number(value)
        small = abs(value) < 1e6 or math.isinf(value)
        # With z, what rounds to zero has no sign.
        return f"{value:z.{digits}f}".replace("-", "−") if small else f"{value:.{digits + 1}g}"
    return str(value)


def _cell(report: Report, value: float, column: int) -> str:
    if report.metrics[column].unit == "items" and value == value:
        return number(value)
    return _score(value, report.digits)


def _heading(report: Report) -> list[str]:
    return ["", *report.names, "support"]


def _row(report: Report, name: str, values: Any, support: Any, place: int | str) -> list[str]:
    cells = [_cell(report, value, column) for column, value in enumerate(values.tolist())]
    if report.intervals is not None:
        cells = [_with(report, *pair) for pair in zip(cells, report.intervals.of_row(place), strict=True)]
    return [name, *cells, number(support)]


def _with(report: Report, cell: str, bounds: tuple[float, float]) -> str:
    """A cell with the interval of its number behind it."""
    return cell if math.isnan(bounds[0]) else f"{cell} [{', '.join(_score(end, report.digits) for end in bounds)}]"


def _classes(report: Report, *, all_of_them: bool = False) -> list[list[str]]:
    count = len(report.classes)
    shown = list(range(count)) if all_of_them or count <= MOST else abridge(count, HEAD, TAIL)
    rows = []
    for i in shown:
        if i is None:
            rows.append(["⋮", *("⋮" for _ in _heading(report)[1:])])
        else:
            rows.append(
                _row(report, fit(legible(report.classes[i]), NAME_WIDTH), report.values[i], report.support[i].item(), i)
            )
    return rows


def _means(report: Report) -> list[list[str]]:
    known = report._support_of_means
    return [_row(report, name.replace("_", " "), row, known, name) for name, row in report.averages.items()]


def _overall(report: Report) -> list[list[str]]:
    rows = [[name.replace("_", " "), _score(value, report.digits)] for name, value in report.overall.items()]
    if report.intervals is not None:
        bounds = report.intervals.overall.values()
        rows = [[name, _with(report, cell, ends)] for (name, cell), ends in zip(rows, bounds, strict=True)]
    return rows


def as_text(report: Report) -> str:
    """The table for a terminal."""
    head, classes, means = _heading(report), _classes(report), _means(report)
    rows = [head, *classes, *means]
    widths = [max(display_width(row[i]) for row in rows) for i in range(len(head))]
    lines = [] if report.is_bare else [_line(row, widths) for row in rows]
    if means and lines:
        lines.insert(1 + len(classes), "")
    overall = _overall(report)
    if overall:
        sides = [max(display_width(row[i]) for row in overall) for i in (0, 1)]
        lines += [*([""] if lines else []), *(_line(row, sides) for row in overall)]
    missing = hidden(report)
    lines += ["", missing] if missing else []
    notes = footnotes(report)
    return "\n".join([*lines, *([""] if notes else []), *notes])


def hidden(report: Report) -> str:
    """What to say where not every class is shown."""
    count = len(report.classes)
    if count <= MOST or report.is_bare:
        return ""
    return f"{count - HEAD - TAIL:,} of {count:,} classes are not shown; to_csv() and to_pandas() have all"


def _line(row: list[str], widths: list[int]) -> str:
    cells = [pad(cell, width, ">") for cell, width in zip(row[1:], widths[1:], strict=True)]
    return "  ".join([pad(row[0], widths[0]), *cells]).rstrip()


def footnotes(report: Report) -> list[str]:
    """Why there are dashes, over how many classes each mean was taken, and what else is to be said."""
    notes = []
    for name, found in report.undefined_values().items():
        classes = ", ".join(fit(legible(label), NAME_WIDTH) for label in found["classes"][:5])
        more = len(found["classes"]) - 5
        where = f" ({classes}{f' and {more:,} more' if more > 0 else ''})" if classes else ""
        notes.append(f"{DASH} {name.replace('_', ' ')} is undefined where {found['reason']}{where}")
    for name, parts in report.coverage.items():
        notes += _coverage_notes(report, name.replace("_", " "), parts)
    return [*notes, *report.notes, *([] if report.intervals is None else [report.intervals.note])]


def _coverage_notes(report: Report, name: str, parts: tuple[Coverage | None, ...]) -> list[str]:
    """One line for all metrics whose mean runs over the same classes."""
    groups: dict[Any, list[str]] = {}
    for metric, part in zip(report.names, parts, strict=True):
        if part is not None and (part.used < part.classes or part.filled):
            groups.setdefault((part.used, part.classes, part.absent, part.filled, part.skipped), []).append(metric)
    notes = []
    for (used, classes, absent, filled, skipped), metrics in groups.items():
        which = "" if len(metrics) == len(report.names) else f" of {', '.join(metrics)}".replace("_", " ")
        reasons = []
        if absent:
            why = "has weight 0" if name.startswith("weighted") else "does not occur in the truth"
            why = "has no true label" if name == "samples" else why
            reasons.append(f"{_many(absent)} {why if absent == 1 else _plural(why)}")
        if skipped:
            reasons.append(f"{_many(skipped)} {'is' if skipped == 1 else 'are'} undefined")
        if filled:
            value = _fills(report, metrics)
            reasons.append(f"{_many(filled)} {'is' if filled == 1 else 'are'} {value}")
        kind = "items" if name == "samples" else "classes"
        notes.append(f"{name}{which}: the mean over {used:,} of {classes:,} {kind}; {', '.join(reasons)}")
    return notes


def _many(count: int) -> str:
    return f"{count:,}"


def _plural(why: str) -> str:
    return why.replace("has ", "have ").replace("does not", "do not")


def _fills(report: Report, metrics: list[str]) -> str:
    if report.undefined != "fair":
        return f"undefined and taken as {report.undefined:g}"
    fills = {
        f"{m.when_never_predicted:g}"
        for m in report.metrics
        if m.name in metrics and m.when_never_predicted is not None
    }
    return f"never predicted and taken as {' or '.join(sorted(fills))}"


def as_markdown(report: Report) -> str:
    """A pipe table; characters that Markdown reads are escaped."""
    head = _heading(report)
    rows = [[in_markdown(cell) for cell in row] for row in [*_classes(report, all_of_them=True), *_means(report)]]
    lines = ["| " + " | ".join(map(in_markdown, head)) + " |", "|:--|" + "--:|" * (len(head) - 1)]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    overall = _overall(report)
    if report.is_bare:
        lines = []
    if overall:
        lines += [
            *([""] if lines else []),
            "| overall | |",
            "|:--|--:|",
            *(f"| {in_markdown(name)} | {in_markdown(value)} |" for name, value in overall),
        ]
    notes = footnotes(report)
    return "\n".join([*lines, *([""] if notes else []), *(f"- {in_markdown(note)}" for note in notes)]) + "\n"


def as_latex(report: Report) -> str:
    """A booktabs tabular; characters that LaTeX reads are escaped."""
    if report.is_bare:
        lines = [r"\begin{tabular}{lr}", r"\toprule", *(_in_row(row) for row in _overall(report))]
        return _ended(lines, report)
    head = _heading(report)
    lines = [rf"\begin{{tabular}}{{l{'r' * (len(head) - 1)}}}", r"\toprule", _in_row(head), r"\midrule"]
    lines += [_in_row(row) for row in _classes(report, all_of_them=True)]
    means = _means(report)
    if means:
        lines += [r"\midrule", *map(_in_row, means)]
    overall = _overall(report)
    if overall:
        empty = [""] * (len(head) - 2)
        lines += [r"\midrule", *(_in_row([name, value, *empty][: len(head)]) for name, value in overall)]
    return _ended(lines, report)


def _ended(lines: list[str], report: Report) -> str:
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", *(f"% {note}" for note in footnotes(report))]) + "\n"


# What our own cells hold beside labels: the dash, the minus and the mark of a gap.
_SIGNS = {DASH: "--", "−": "$-$", "⋮": r"$\vdots$"}


def _in_row(cells: list[str]) -> str:
    return " & ".join("".join(_SIGNS.get(char, char) for char in in_latex(cell)) for cell in cells) + r" \\"


def as_csv(report: Report) -> str:
    """Rows of classes, averages and overall scores."""
    table = report._table()
    lines = [",".join(map(csv_field, table))]
    for kind, name, *values in zip(*table.values(), strict=True):
        lines.append(_csv_line(kind, name, values))
    for name, value in report.overall.items():
        ends = () if report.intervals is None or not report.names else report.intervals.overall[name]
        lines.append(_csv_line("overall", name, [value, *ends, *([math.nan] * (len(table) - 3 - len(ends)))]))
    return "\n".join(lines) + "\n"


def _csv_line(kind: str, name: Any, values: list[Any]) -> str:
    numbers = ["" if value != value else str(value) for value in values]
    return ",".join([kind, csv_field(in_csv(name)), *numbers])
