"""The print of confmat itself: written whole, and read back."""

from __future__ import annotations

import re
from typing import Any

from confmat.core.errors import InputError
from confmat.core.matrix import ConfusionMatrix
from confmat.core.options import Side, one_of
from confmat.core.printing import Square, lines_of
from confmat.core.text import from_one_line, one_line
from confmat.io.printed.crosstab import OWN, Cross
from confmat.io.printed.figures import looks_abridged

_ABRIDGED = "the print is abridged; confmat.save(m, path) keeps the whole matrix"
_CORNER = re.compile(r"(actual|predicted).*│ +total\s*$")
# The roles before the cells of an observed class, whose sums are below in that case.
_ROLES, _SUMS = re.compile(r" (?:TP|FP|FN|TN)(?= [\d·–])"), "\ntrue positives: "
# The print of a matrix that does not fit begins with its size.
_SIZE = re.compile(r"\d[\d,]* labels, total\b")
# The bar that `confmat.show` draws behind the total of a row.
_BAR = "▏▎▍▌▋▊▉█ "
# Characters that isolate right-to-left names from the text around them.
_ISOLATES = re.compile("[\u2068\u2069]")


def to_text(m: ConfusionMatrix, *, rows: Side = "actual") -> str:
    """Write the table that `print(m)` shows, but whole: every class, every name in full, every digit.

    Parameters
    ----------
    m
        The matrix.
    rows
        The side in rows: "predicted" puts actual classes into columns.

    Examples
    --------
    >>> print(to_text(ConfusionMatrix([[3, 1], [0, 2]], ["no", "yes"])), end="")
            predicted
    actual  no  yes  │ total
    no       3    1  │     4
    yes      0    2  │     2
    total    3    3  │     6
    """
    one_of("rows", rows, Side)
    names, shown = list(map(one_line, m.labels)), m if rows == "actual" else m.T
    body, beside, below = (
        part.tolist() for part in (shown.counts, shown.actual_totals, shown.predicted_totals)
    )
    totals = [*map(repr, beside), repr(m.total)]
    table = Square(
        names, [list(map(repr, row)) for row in body], totals, list(map(repr, below)), []
    )
    return "\n".join(lines_of([*names, "total"], table, rows)) + "\n"


def own_table(text: str) -> Cross | None:
    """The table that `print(m)` shows."""
    text = _ISOLATES.sub("", text)
    lines = [
        line.rstrip(_BAR) for line in (_ROLES.sub("", text) if _SUMS in text else text).splitlines()
    ]
    top = next((i for i, line in enumerate(lines) if _CORNER.match(line)), None)
    if top is None:
        if lines and _SIZE.match(lines[0]):
            raise InputError(_ABRIDGED)
        return None
    rows = [line.rpartition("│")[::2] for line in lines[top + 1 :] if "│" in line]
    if len(rows) < 2 or not rows[-1][0].startswith("total"):
        msg = "the table has no line of totals at its end: it is cut off"
        raise InputError(msg)
    parts = [_parted(left, total, len(rows) - 1) for left, total in rows]
    names = [name for name, *_ in parts]
    names = list(map(from_one_line, [*_without_numbers(names[:-1], lines[top]), names[-1]]))
    side: Any = lines[top].split()[0]
    cells = [row for _, *row in parts]
    return Cross(source=OWN, cells=cells, names=(names, [*names[:-1], "total"]), rows=side)


def _parted(left: str, total: str, size: int) -> list[str]:
    """The name, the counts and the total of a row."""
    parts = left.rsplit(None, size)
    if any(looks_abridged(part.strip()) for part in [*parts[1:], total]):
        raise InputError(_ABRIDGED)
    if len(parts) != size + 1:
        msg = f"{parts[0]!r:.60}: a table of {size} classes has {size} numbers in a row, not {len(parts) - 1}"
        raise InputError(msg)
    return [*parts, total.strip()]


def _without_numbers(names: list[str], header: str) -> list[str]:
    """The names, without the numbers that are beside them where they are too long to be above the columns."""
    codes = [str(i + 1) for i in range(len(names))]
    split = [name.rsplit(None, 1) for name in names]
    if header.rpartition("│")[0].split()[1:] != codes or [part[-1] for part in split] != codes:
        return names
    return names if any(len(part) < 2 for part in split) else [part[0].rstrip() for part in split]
