"""Groups of settings that commands share, each field with its option."""

from __future__ import annotations

import re
from typing import get_args

import click

from confmat.cli.options import (
    Choice,
    FormatName,
    Read,
    Settings,
    argument,
    borrowed,
    expression,
    level,
    names_option,
    option,
    seconds,
    some_of,
)
from confmat.core.options import Normalize, Side

INPUTS = ("csv", "tsv", "jsonl", "parquet", "arrow", "matrix")
POLICIES = ("error", "drop", "collect")
# Text between fields; a tab may be spelt.
SEPARATOR = Read("text", lambda text: "\t" if text in {"\\t", "tab"} else text)


class Rows(Settings):
    """Files, their columns, and what becomes of rows."""

    section = "Input"

    files: tuple[str, ...] = argument("FILES...", many=True)
    actual: str | None = option(
        "-a",
        "--actual",
        metavar="COLUMN",
        help="Column of actual labels; by default found by its name.",
    )
    predicted: str | None = option(
        "-p", "--predicted", metavar="COLUMN", help="Column of predicted labels."
    )
    weight: str | None = option(
        "-w",
        "--weight",
        metavar="COLUMN",
        argument="weights",
        help="Column with one number per row.",
    )
    tally: str | None = option(
        "--tally",
        metavar="COLUMN|none",
        help="Column of counts in a table of counts; by default recognized.",
    )
    by: str | None = option(
        "-b", "--by", metavar="COLUMN", help="Column of groups: one matrix for each."
    )
    labels: list[str] | None = names_option("-l", "--labels", help="The classes and their order.")
    positive: str | None = option("--positive", metavar="LABEL", help="The positive class of two.")
    missing: str = option(
        "--missing", type=Choice(POLICIES), default="error", help="Treatment of missing labels."
    )
    na_values: tuple[str, ...] = option(
        "--missing-value",
        multiple=True,
        metavar="TEXT",
        help="Labels written like this are missing, such as NA; repeatable.",
    )
    other: str = option(
        "--other",
        type=Choice(POLICIES),
        default="error",
        help="Treatment of labels that --labels does not name.",
    )
    kind: str | None = option(
        "--input",
        type=Choice(INPUTS),
        argument="format",
        help="Format of the files or of standard input.",
    )
    delimiter: str | None = option(
        "--delimiter", type=SEPARATOR, metavar="CHAR", help="Character between the fields of a CSV."
    )
    rows: str | None = option(
        "--rows",
        type=Choice(("actual", "predicted")),
        help="Meaning of the rows of a printed table or a table in CSV.",
    )
    threads: int | None = option(
        "--threads", type=click.IntRange(1), help="Greatest number of threads."
    )
    memory: str = option(
        "--memory",
        argument="memory_limit",
        default="1GB",
        help="Memory of counting, beside 60 MB of the program.",
    )
    max_pairs: int = option(
        "--max-pairs",
        type=click.IntRange(1),
        default=1_000_000,
        help="Greatest number of different pairs.",
    )
    every: float | None = option(
        "--every",
        type=Read("10s", seconds),
        metavar="TIME",
        help="Print what has been counted so far, this often: 10s, 2m.",
    )
    resume: str | None = option(
        "--resume", metavar="FILE", help="A checkpoint: a count that was killed goes on from it."
    )


class Printed(Settings):
    """Facts about a printed table that it does not say itself."""

    rows: str | None = borrowed(
        Rows, "rows", help="Meaning of the rows, if the table does not say it."
    )
    labels: list[str] | None = borrowed(
        Rows, "labels", help="The classes, of a table that does not name them."
    )
    positive: str | None = borrowed(Rows, "positive")
    predicted: str | None = borrowed(
        Rows, "predicted", help="For a log of an evaluation: answer, or verdict."
    )


class Scores(Settings):
    """Scores in place of predicted labels."""

    section = "Scores instead of labels"

    scores: list[str] | None = names_option(
        "--scores",
        metavar="COLUMN,...",
        help="One column for the positive class, or one for each class, such as p_cat,p_hen or 'p_*', where the star "
        "means the class.",
    )
    threshold: float | None = option(
        "--threshold",
        type=float,
        metavar="T",
        help="Scores of at least this are positive; by default 0.5, of logits 0.",
    )
    top_k: int | None = option(
        "--top-k",
        type=click.IntRange(1),
        metavar="K",
        help="Right if among the K largest scores; otherwise the first answer counts.",
    )
    score_kind: str = option(
        "--kind",
        type=Choice(("probabilities", "logits", "scores")),
        default="probabilities",
        argument="kind",
        help="Kind of the scores.",
    )


class FreeAnswers(Settings):
    """Rules by which free answers become labels."""

    section = "Free answers"

    any_spelling: bool = option(
        "--any-spelling",
        help="Read answers whatever their letter case and punctuation; the options below imply it.",
    )
    aliases: str | None = option(
        "--aliases", metavar="FILE", help="Other names of classes: CSV of alias,label."
    )
    refused: tuple[str, ...] = option(
        "--refused",
        multiple=True,
        metavar="TEXT",
        help="An answer like this is a refusal, such as 'I cannot*'; repeatable.",
    )
    abstained: tuple[str, ...] = option(
        "--abstained",
        multiple=True,
        metavar="TEXT",
        help="An answer like this is an abstention; repeatable.",
    )
    extract: tuple[list[str], ...] = option(
        "--extract",
        multiple=True,
        metavar="STEP,...",
        type=Read("a,b", some_of("json", "answer-is", "first-word", "first-line", "last-line")),
        help="Where in a longer answer the label is: json, answer-is, first-word, first-line, last-line; "
        "repeatable; json and answer-is where neither this nor --pattern is given, and first-word "
        "too where the "
        "classes are letters, or yes and no.",
    )
    pattern: tuple[re.Pattern[str], ...] = option(
        "--pattern",
        multiple=True,
        type=Read("regex", expression),
        metavar="REGEX",
        help="A regular expression whose first group is the label, such as '^([A-D])[).:]'; before the steps of "
        "--extract; repeatable.",
    )
    fuzzy: float | None = option(
        "--fuzzy",
        type=click.FloatRange(0, 1, min_open=True),
        metavar="SHARE",
        help="Take the nearest name if it is so near, such as 0.85.",
    )


class RowSettings(Rows, Scores, FreeAnswers):
    """The settings that say how rows become pairs of labels."""

    quiet: bool = False


class HierarchyFile(Settings):
    """The file that says how classes are related, and the level at which they are taken together."""

    section = "Related classes and costs"

    hierarchy: str | None = option(
        "--hierarchy",
        metavar="FILE",
        help="How classes are related: pairs of child,parent or paths in CSV or text, nested JSON.",
    )
    roll_up: int | list[str] | None = option(
        "--roll-up",
        type=Read("n|a,b,c", level),
        argument="level",
        help="Take classes together at this level of the hierarchy, or at these nodes.",
    )


class CostFile(Settings):
    """The file of the costs of errors."""

    section = "Related classes and costs"

    costs: str | None = option(
        "--costs",
        metavar="FILE",
        help='Costs of errors: a table or actual,predicted,cost in CSV, or JSON such as {"fp": 1, "fn": 5}.',
    )


class Look(Settings):
    """The part of a matrix that is shown."""

    section = "Output"

    normalize: str | None = option(
        "--normalize",
        type=Choice(get_args(Normalize)),
        help="Rates instead of counts. true is actual, pred is predicted; row and column are those that are written.",
    )
    write_rows: Side = option(
        "--write-rows",
        type=Choice(get_args(Side)),
        default="actual",
        help="The side to write in rows.",
    )
    top: int | None = option(
        "--top", type=click.IntRange(1), metavar="N", help="The N most frequent confusions instead."
    )
    digits: int = option(
        "--digits", type=click.IntRange(0, 17), default=3, help="Decimals of rates."
    )


class Output(Settings):
    """Where output goes, and in which format."""

    section = "Output"

    @property
    def rounding(self) -> int:
        """The decimals of formats for readers; those for programs have all, and leave the option unread."""
        return (
            type(self).digits
            if self.form in {"csv", "tsv", "json", "jsonl", "excel"}
            else self.digits
        )

    form: str = option(
        "-f",
        "--format",
        type=FormatName(),
        help="How to print; by default what the suffix of -o says, else a table.",
    )
    path: str | None = option(
        "-o", "--output", metavar="FILE", help="Write there, whole or not at all."
    )
    theme: str = option(
        "--theme",
        type=Choice(("auto", "light", "dark")),
        default="auto",
        help="Colours for a light or a dark terminal, which is asked what it is.",
    )
    quiet: bool = option("-q", "--quiet", help="No progress and no remarks on standard error.")
    # Set by `Look` where a command has it; the order of classes, one class and the largest are
    # options of `show` alone.
    normalize: str | None = None
    write_rows: Side = "actual"
    top: int | None = None
    digits: int = 3
    order: str | None = None
    of: str | None = None
    fold: int | None = None
