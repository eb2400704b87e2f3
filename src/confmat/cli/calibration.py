"""`confmat calibration`: whether scores mean what they say, bin by bin."""

from __future__ import annotations

from typing import Any

import click

from confmat.cli.options import NUMBERS, Choice, borrowed, command, option
from confmat.cli.settings import Output, Rows, Scores

EXAMPLES = """\b
Examples:
  confmat calibration preds.csv --scores p_Cat --of Cat
  confmat calibration preds.parquet --scores p_Cat --of Cat --bins 10 --closed right   as scikit-learn has them
  confmat calibration preds.csv --scores 'p_*' --of top --html page.html
"""
# Options that are called as in Python.
_READ = (
    "actual",
    "closed",
    "of",
    "labels",
    "positive",
    "missing",
    "na_values",
    "delimiter",
    "threads",
)


class CalibrationSettings(Output):
    """The settings of `confmat calibration`."""

    files: tuple[str, ...] = borrowed(Rows, "files")
    actual: str | None = borrowed(Rows, "actual")
    scores: list[str] = borrowed(Scores, "scores", required=True)
    bins: int = option(
        "--bins", type=click.IntRange(1), default=15, help="Number of bins of equal width."
    )
    edges: list[float] | None = option(
        "--edges", type=NUMBERS, help="Edges of the bins instead, from 0 to 1."
    )
    closed: str = option(
        "--closed",
        type=Choice(("left", "right")),
        default="left",
        help="The edge that a bin has: [a, b) or (a, b].",
    )
    of: str | None = option(
        "--of",
        metavar="LABEL|top|each",
        help="A class against the rest, the largest score of each row, or each class.",
    )
    labels: list[str] | None = borrowed(Rows, "labels")
    positive: str | None = borrowed(Rows, "positive")
    missing: str = borrowed(Rows, "missing")
    na_values: tuple[str, ...] = borrowed(Rows, "na_values")
    kind: str | None = borrowed(Rows, "kind", help="Format of the files.")
    delimiter: str | None = borrowed(Rows, "delimiter")
    threads: int | None = borrowed(Rows, "threads")
    memory: str = borrowed(Rows, "memory")
    html: str | None = option(
        "--html", metavar="FILE", help="Write a page with the diagram and the thresholds, too."
    )


@command(CalibrationSettings, EXAMPLES)
def calibration(settings: CalibrationSettings) -> None:
    """Say bin by bin how often a score came true, and how far off scores are: ECE, Brier score and log loss.

    ECE stands beside what a calibrated model would show of it, which is above 0.
    """
    from confmat.cli.output import put_groups, put_table, refuse_inputs, settle_form
    from confmat.cli.terminal import Working
    from confmat.io.calibrated import calibration_files

    settle_form(settings, settings.files)
    if settings.html is not None:
        refuse_inputs(settings.html, settings.files)
    with Working("summing scores", quiet=settings.quiet):
        options: dict[str, Any] = {name: getattr(settings, name) for name in _READ}
        found: Any = calibration_files(
            settings.files,
            settings.scores,
            bins=settings.edges or settings.bins,
            format=settings.kind,  # type: ignore[arg-type]
            memory_limit=settings.memory,
            **options,
        )
    if isinstance(found, dict):
        put_groups("class", found, settings)
        return
    if settings.html is not None:
        from confmat.pages import html

        html(found, settings.html)
    put_table(found, settings, found.to_dict())
