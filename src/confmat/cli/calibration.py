"""`confmat calibration`: whether scores mean what they say, bin by bin."""

from __future__ import annotations

import sys
from typing import Any

from confmat.cli.options import NUMBERS, Choice, borrowed, command, option
from confmat.cli.settings import Output, Rows, Scores

EXAMPLES = """\b
Examples:
  confmat calibration preds.csv --scores p_Cat --of Cat
  confmat calibration preds.parquet --scores p_Cat --of Cat --bins 10 --closed right   as scikit-learn has them
  confmat calibration preds.csv --scores p_Cat --of Cat --bins 0,0.5,0.9,1
  confmat calibration preds.csv --scores 'p_*' --of top -o page.html
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
    bins: list[float] = option(
        "--bins",
        type=NUMBERS,
        default="15",
        metavar="N|EDGE,...",
        help="Number of bins of equal width, by default 15, or their edges from 0 to 1, such as 0,0.5,1.",
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


@command(CalibrationSettings, EXAMPLES)
def calibration(settings: CalibrationSettings) -> None:
    """Say bin by bin how often a score came true, and how far off scores are: ECE, Brier score and log loss.

    ECE is beside what a calibrated model would show of it, which is above 0. A page (-o x.html)
    has the diagram and every threshold.
    """
    from confmat.cli.inputs import rows_of
    from confmat.cli.output import put_groups, put_table, settle_form
    from confmat.cli.terminal import ProgressLine
    from confmat.io.calibrated import calibration_files

    settle_form(settings, settings.files, has_page=True)
    files: Any = settings.files
    kind, bins, line = settings.kind, settings.bins, ProgressLine(quiet=settings.quiet)
    if files == ("-",):
        files, kind = rows_of(sys.stdin.buffer, kind)
    options: dict[str, Any] = {name: getattr(settings, name) for name in _READ}
    try:
        found: Any = calibration_files(
            files,
            settings.scores,
            bins=bins if len(bins) > 1 else int(bins[0]) if bins[0].is_integer() else bins[0],
            format=kind,  # type: ignore[arg-type]
            memory_limit=settings.memory,
            progress=line if line.wanted else None,
            **options,
        )
    finally:
        line.clear()
    if isinstance(found, dict):
        put_groups("class", found, settings)
    else:
        put_table(found, settings, found.to_dict())
