"""Prints of single tools: H2O, Orfeo, Julia, MATLAB, ENVI, GRASS, and four counts."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import takewhile

from confmat.core.errors import InputError
from confmat.core.text import some
from confmat.io.printed.aligned import aligned_table
from confmat.io.printed.crosstab import Cross, classes, is_number, settled

# ---- H2O --------------------------------------------------------------------------------------------------------


_RATE = re.compile(r"(?m)[ |]+Error[ |]+Rate[ |]*$|[ |]+(?:[\d.]+|NaN)?[ |]+=? *\(?[\d,.]+ */ *[\d,.]+\)?[ |]*$")


def h2o_table(text: str) -> Cross | None:
    """The confusion matrix of H2O, rows actual, without the errors of each class and their rate."""
    top = re.search(r"(?m)^.*\bError[ |]+Rate[ |]*$", text.expandtabs())
    if top is None:
        return None
    lines = _RATE.sub("", text.expandtabs()[top.start() :]).replace("|", " ").splitlines()
    first = next((i for i, line in enumerate(lines) if i and line.strip(" -=+")), 0)
    body = list(takewhile(str.strip, lines[first:]))
    if body and all(is_number(word) for line in body for word in line.split()) and len(body[0].split()) < len(body):
        # Newer versions leave the names of the rows out.
        names = [*re.split(r" {2,}", lines[0].strip()), "Total"]
        body = [f"{name}  {line}" for name, line in zip(names, body, strict=False)]
    cross = aligned_table("\n".join([f"actual  {lines[0].strip()}", *body]))
    return cross and replace(cross, source="H2O", points=True)


# ---- Orfeo ------------------------------------------------------------------------------------------------------

_ORFEO = re.compile(
    r"\s*#Reference labels \((rows|columns)\):([^\n]+)\n#Produced labels \((rows|columns)\):([^\n]+)\n(.*)", re.DOTALL
)


def orfeo_table(text: str) -> Cross | None:
    """The CSV file of Orfeo ToolBox, which names reference and produced labels in two lines of comment."""
    found = _ORFEO.fullmatch(text)
    if found is None or found[1] == found[3]:
        return None
    reference, produced = ([name.strip() for name in names.split(",")] for names in (found[2], found[4]))
    turned = found[1] == "columns"
    names = (produced, reference) if turned else (reference, produced)
    cells = [[cell.strip() for cell in line.split(",")] for line in found[5].split("\n") if line.strip()]
    if len(cells) != len(names[0]) or any(len(row) != len(names[1]) for row in cells):
        msg = f"the file names {len(names[0])} rows and {len(names[1])} columns, but its table has another shape"
        raise InputError(msg)
    return Cross(
        source="Orfeo ToolBox", cells=cells, row_names=names[0], col_names=names[1],
        rows="predicted" if turned else "actual", totals=False,
    )  # fmt: skip


# ---- Julia, MATLAB --------------------------------------------------------------------------------------------------

_LITERAL = re.compile(
    r"(?:(?P<mlj>ConfusionMatrix\{(?P<size>\d+)\}\()|[A-Za-z]\w*\s*=\s*)?\[(?P<cells>[^\[\]]*)\](?(mlj)\));?"
)
_COLUMNS = re.compile(r"(?m)^ *Columns? (\d+)(?: (?:through|to|and) (\d+))?:?[ \t]*$")
_HEAD = re.compile(
    r"\s*(?:[A-Za-z]\w*\s*=(?:\s*(\d+)\s*[x\u00d7]\s*\d+)?(?:\s+\w+)?"
    r"|(\d+)\s*[x\u00d7]\s*\d+\s+\S*(?:Matrix|Array)\{[^}\n]*\}\S*:)\s*"
)


def _rejoined(text: str) -> str:
    """An array without the titles "Columns 9 through 10" of MATLAB and Octave, each row in one line."""
    head, *parts = _COLUMNS.split(text)
    if not parts:
        return text
    reach = 0
    blocks = [[line for line in block.splitlines() if line.strip()] for block in parts[2::3]]
    for first, last, block in zip(parts[::3], parts[1::3], blocks, strict=True):
        if int(first) != reach + 1 or len(block) != len(blocks[0]):
            reach = -1
            break
        reach = int(last or first)
    lines = [" ".join(rows) for rows in zip(*blocks, strict=False)]
    if reach != len(lines):
        msg = f"the array has {len(blocks[0])} rows, and its columns are not all there: it is cut off"
        raise InputError(msg)
    return "\n".join([head, *lines])


def literal(text: str) -> Cross | None:
    """An array as Julia and MATLAB write it, [50 10; 5 100], or rows of numbers, with or without a head."""
    text = _rejoined(text)
    found = _LITERAL.fullmatch(text.strip())
    if found is not None and ";" in found["cells"]:
        rows = [re.split(r"[\s,]+", row.strip(" ,\n")) for row in found["cells"].strip(" ;\n").split(";")]
    else:
        lines = [line for line in text.splitlines() if line.strip()]
        head = _HEAD.fullmatch(lines[0]) if len(lines) > 1 else None
        rows = [line.split() for line in (lines if head is None else lines[1:])]
        if head is not None and not all(size in {None, str(len(rows))} for size in head.groups()):
            return None
    if not rows or any(len(row) != len(rows) or not all(map(is_number, row)) for row in rows):
        return None
    size = None if found is None else found["size"]
    if size not in {None, str(len(rows))}:
        return None
    # Julia's MLJ prints what was predicted in rows.
    is_mlj = size is not None
    return Cross(source="MLJ" if is_mlj else "array", cells=rows, rows="predicted" if is_mlj else None, points=True)


# ---- four counts ------------------------------------------------------------------------------------------------

_FOUR = {
    "tp": r"tp|true positives?(?: \(tp\))?",
    "fn": r"fn|false negatives?(?: \(fn\))?",
    "fp": r"fp|false positives?(?: \(fp\))?",
    "tn": r"tn|true negatives?(?: \(tn\))?",
}
# A share, a fraction, a sum or a range is no count.
_ENDED = r"(?![\w%]|[.,]\d|\s*\\?%|\s*[/+*\u00b1\u2013-]\s*\d)"


def four_counts(text: str) -> Cross | None:
    """Hits and errors of two classes by their names: TP = 50, FN = 10 and so on, in any order, once each."""
    if len(text) > 10_000:
        return None
    counts = {}
    for name, pattern in _FOUR.items():
        found = re.findall(rf"(?<![\w-])(?:{pattern})\s*[=:]\s*(\d[\d,.]*\d|\d){_ENDED}", text, re.IGNORECASE)
        if len(found) != 1:
            return None
        counts[name] = found[0]
    if all(re.fullmatch(r"0[.,]\d+|[01]", count) for count in counts.values()):
        return None
    names = ["negative", "positive"]
    cells = settled([[counts["tn"], counts["fp"]], [counts["fn"], counts["tp"]]], points=False)
    return Cross(source="four counts", cells=cells, row_names=names, col_names=names, rows="actual", totals=False)


# ---- ENVI and GRASS -------------------------------------------------------------------------------------------

# The title of each part of the table: the ground truth, and MAP1, which raster/r.kappa/prt_mat.c calls the reference,
# stand above the columns of both.
_TITLE = re.compile(r"(?m)^[ \t]*(?:MAP1|Ground Truth \(Pixels\))[ \t]*$")
_OF_KAPPA = (
    (re.compile(r"Panel #\d+ of \d+"), ""),
    (re.compile(r"(?m)^ [MAP2](?= *\d)"), "  "),
    (re.compile(r"(?m)^( *)cat#"), r"\1pred"),
    (re.compile(r"(?:Row|Col) Sum"), "Total  "),
)


def panels(text: str) -> Cross | None:
    """The counts of a confusion matrix of ENVI or GRASS, rows predicted, whose columns go on below the first ones."""
    declared = re.search(r"Panel #\d+ of (\d+)", text)
    _, *parts = _TITLE.split(text.partition("Ground Truth (Percent)")[0])
    if parts and declared is not None and len(parts) != int(declared[1]):
        msg = f"the text has {len(parts)} of {declared[1]} panels: it is cut off"
        raise InputError(msg)
    text = "".join(f"reference{part}" for part in parts)
    for pattern, plain in _OF_KAPPA if declared is not None else ():
        text = pattern.sub(plain, text)
    cross = aligned_table(text) if parts else None
    if cross is None or cross.row_names is None or cross.col_names is None:
        return None
    lost = [name for name in classes(cross.col_names) if name not in cross.row_names]
    if lost:
        msg = f"the matrix has no row of {some(lost)}: it is cut off"
        raise InputError(msg)
    return replace(cross, source="GRASS" if declared else "ENVI")
