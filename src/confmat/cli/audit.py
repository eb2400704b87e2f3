"""`confmat audit` and `confmat infer`: whether printed scores follow from a matrix, and which matrices they allow."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from confmat.cli.options import Settings, argument, assignment, command, names_option, option
from confmat.cli.settings import Output, Printed
from confmat.core.errors import InputError
from confmat.core.text import printable

if TYPE_CHECKING:
    from confmat.auditing import Inference


class Claims(Settings):
    """Claims: scores and their printed numbers, whose digits stay as they are typed."""

    claims: tuple[tuple[str, str], ...] = option(
        "-c",
        "--claim",
        multiple=True,
        type=assignment("score=number", "accuracy=0.93", str),
        help="A printed score; repeatable, digits as printed.",
    )
    claim_files: tuple[str, ...] = option(
        "--claims",
        multiple=True,
        metavar="FILE",
        help="Claims from a file: JSON of score to number, or CSV of score,number.",
    )

    def claimed(self) -> dict[str, str]:
        """Return all claims, those of files first; the same score with other digits is an error."""
        claims: dict[str, str] = {}
        for pairs in (*map(_pairs_of_file, self.claim_files), self.claims):
            for name, number in pairs:
                if claims.setdefault(name, number) != number:
                    msg = f"{printable(name)} is claimed twice: {printable(claims[name])} and {printable(number)}"
                    raise InputError(msg)
        return claims


def _pairs_of_file(name: str) -> list[tuple[str, str]]:
    from confmat.core.files import read_text

    text = read_text(name, "claims")
    return _of_json(name, text) if text.lstrip().startswith(("{", "[")) else _of_csv(name, text)


def _of_json(name: str, text: str) -> list[tuple[str, str]]:
    try:
        # Numbers are kept as they are written: 0.930 has three decimals.
        pairs = json.loads(text, parse_float=str, parse_int=str, object_pairs_hook=list)
    except ValueError as error:
        msg = f"{printable(name)} is no JSON: {error}"
        raise InputError(msg) from None
    if not all(isinstance(each, tuple) and isinstance(each[1], str) for each in pairs):
        msg = f'{printable(name)}: claims are an object of score to number, such as {{"accuracy": 0.930}}'
        raise InputError(msg)
    return [(str(key), value) for key, value in pairs]


def _of_csv(name: str, text: str) -> list[tuple[str, str]]:
    rows = [
        row
        for row in csv.reader(io.StringIO(text), skipinitialspace=True)
        if any(cell.strip() for cell in row)
    ]
    if any(len(row) != 2 for row in rows):
        msg = f"{printable(name)}: each line is a score and its number, such as accuracy,0.930"
        raise InputError(msg)
    pairs = [(row[0].strip(), row[1].strip()) for row in rows]
    return pairs[1:] if pairs and not any(char.isdigit() for char in pairs[0][1]) else pairs


# ---- confmat audit -------------------------------------------------------------------------------

AUDIT_EXAMPLES = """\b
Examples:
  confmat audit day.json --claim accuracy=0.75
  confmat audit published.txt -c accuracy=1.000 -c 'precision[Cat]=0.571'
  confmat audit published.txt --rows predicted --claims claims.json -f markdown
  confmat audit published.txt -c 'support[Cat]=2' --total 4 -c 'f1.macro=73 %'

\b
Exit status: 0 no error was found, 1 there are errors (--strict: or warnings), 2 wrong usage or bad input.
"""


class AuditSettings(Claims, Printed, Output):
    """The settings of `confmat audit`."""

    file: str = argument("FILE")
    total: str | None = option("--total", metavar="N", help="The number of items, as it is stated.")
    strict: bool = option(
        "--strict", help="Exit with 1 on warnings too: claims that hold only under another reading."
    )


@command(AuditSettings, AUDIT_EXAMPLES)
def audit(settings: AuditSettings) -> int:
    """Say of printed scores whether they follow from a matrix, and if not, from what they do.

    A claim is ok if its name gives it, a warning if a declared convention does, such as cut digits
    or 0/0 printed as 0, and an error otherwise. Give digits as they are printed: 0.930 claims more
    than 0.93.
    """
    from confmat import auditing
    from confmat.cli.inputs import matrix_of
    from confmat.cli.output import put_table, settle_form
    from confmat.core.matrix import ConfusionMatrix

    file = settings.file
    settle_form(settings, [file, *settings.claim_files])
    m = matrix_of(file, settings)
    if not isinstance(m, ConfusionMatrix):
        msg = f"{printable(file)} holds a {type(m).__name__.lower()}; audit one matrix at a time"
        raise InputError(msg)
    claims = settings.claimed()
    if not claims and settings.total is None:
        msg = "say what is claimed: --claim accuracy=0.93, or --claims FILE"
        raise InputError(msg)
    if m.labels.outside or _states_rows(file, settings):
        findings = auditing.audit(m, claims, total=settings.total)
    else:
        names = list(m.labels.classes)
        findings = auditing.audit(
            m.counts, claims, labels=names, positive=m.positive, total=settings.total
        )
    failed = settings.strict and findings.warnings
    put_table(
        findings, settings, findings.to_dict()["findings"] if settings.form == "jsonl" else None
    )
    return 1 if findings.errors or failed else 0


def _states_rows(file: str, printed: Printed) -> bool:
    """Whether the meaning of the rows is stated, by the file or by hand, instead of taken for the usual one."""
    from confmat.core.files import read_text
    from confmat.io import recognize

    is_stored = Path(file).suffix.lower() in {".json", ".jsonl", ".eval"}
    return (
        file == "-"
        or is_stored
        or printed.rows is not None
        or recognize(read_text(file, "a matrix")).stated
    )


# ---- confmat infer -------------------------------------------------------------------------------

INFER_EXAMPLES = """\b
Examples:
  confmat infer --claim accuracy=0.93 --claim sensitivity=0.91 --positives 120 --total 400
  confmat infer -c accuracy=0.93 -c recall=0.91 -c precision=0.88 --total 1000 --metrics mcc,kappa
  confmat infer -s Cat=6 -s Fish=10 -s Hen=9 -c accuracy=0.48 -c 'precision[Cat]=0.308' -c 'recall[Cat]=0.667'

\b
Exit status: 0 there is a matrix, 1 there is none, 2 wrong usage or bad input.
"""


class InferSettings(Claims, Output):
    """The settings of `confmat infer`."""

    positives: str | None = option(
        "--positives", metavar="N", help="Items of the positive class, of two classes."
    )
    negatives: str | None = option("--negatives", metavar="N", help="Items of the negative class.")
    total: str | None = option("--total", metavar="N", help="All items.")
    supports: tuple[tuple[str, str], ...] = option(
        "-s",
        "--support",
        multiple=True,
        type=assignment("class=count", "Cat=6", str),
        help="Items of a class, of several; repeatable.",
    )
    metrics: list[str] | None = names_option(
        "-m", "--metrics", help="Whose ranges to show; by default the usual ones."
    )
    undefined: float | None = option(
        "--undefined",
        type=float,
        metavar="NUMBER",
        help="The number that 0/0 was printed as; by default none.",
    )
    budget: int = option(
        "--budget", type=click.IntRange(1), default=20_000_000, help="As many tables may be tried."
    )


@command(InferSettings, INFER_EXAMPLES)
def infer(settings: InferSettings) -> int:
    """Find all matrices of counts that printed scores allow, and what every other score must be.

    Give the totals: the positives of two classes, or the support of each of several. Digits mean
    what they say: 0.930 allows less than 0.93.
    """
    from time import monotonic

    from confmat import auditing
    from confmat.cli.output import settle_form
    from confmat.cli.terminal import ProgressLine
    from confmat.io.threads import Progress

    settle_form(settings, settings.claim_files)
    claims = settings.claimed()
    if not claims:
        msg = "say what is claimed: --claim accuracy=0.93, or --claims FILE"
        raise InputError(msg)
    supports = dict(settings.supports)
    if len(supports) < len(settings.supports):
        msg = "--support names a class twice"
        raise InputError(msg)
    line, begin = ProgressLine(quiet=settings.quiet), monotonic()
    try:
        inference = auditing.infer(
            claims,
            # Numbers are read as they are printed.
            positives=settings.positives,  # type: ignore[arg-type]
            negatives=settings.negatives,  # type: ignore[arg-type]
            total=settings.total,  # type: ignore[arg-type]
            supports=supports or None,  # type: ignore[arg-type]
            undefined=settings.undefined,
            budget=settings.budget,
            progress=(lambda share: line(Progress(share, None, monotonic() - begin)))
            if line.wanted
            else None,
        )
    finally:
        line.clear()
    _put_inference(inference, settings)
    return 1 if inference.verdict == "none" else 0


def _put_inference(inference: Inference, settings: InferSettings) -> None:
    """Write or print the inference, with the ranges of the scores that were asked for, if any."""
    from confmat.cli.output import put, put_table, table_of

    names = settings.metrics
    chosen = {name: inference.range(name) for name in names} if names else None
    data = inference.to_dict()
    if chosen is not None:
        data["ranges"] = {name: bounds._asdict() for name, bounds in chosen.items()}
    elif settings.form == "table":
        put(f"{inference}\n", settings)
        return
    ranges = inference.ranges() if chosen is None else chosen
    rows = [
        [name, bounds.low, bounds.high, "yes" if bounds.exact else "bounds"]
        for name, bounds in ranges.items()
    ]
    table = table_of(["score", "low", "high", "exact"], rows, 4)
    if settings.form == "table":
        put("\n".join(inference.table().notes) + f"\n\n{table}\n", settings)
    else:
        put_table(table, settings, data)
