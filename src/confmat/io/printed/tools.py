"""Prints of single tools: H2O, RapidMiner's log, Orfeo, Julia, MATLAB, R's CrossTable, SAS, ENVI, and four counts."""

from __future__ import annotations

import re
from dataclasses import replace

from confmat.core.errors import InputError
from confmat.core.frames import is_total
from confmat.core.text import some
from confmat.io.printed.crosstab import Cross, cross_of_grid, is_number, settled, sides_told

# ---- H2O --------------------------------------------------------------------------------------------------------


def h2o_table(text: str) -> Cross | None:
    """The confusion matrix of H2O, rows actual, whose last columns are the errors of each class and their rate."""
    lines = [line.replace("|", " ") for line in text.expandtabs().splitlines()]
    top = next((i for i, line in enumerate(lines) if line.split()[-2:] == ["Error", "Rate"]), None)
    if top is None:
        return None
    rows: list[list[str]] = []
    for line in lines[top + 1 :]:
        row = _without_rate(line)
        if row is not None:
            rows.append(row)
        elif rows or line.strip(" -=+"):
            break
    return _of_h2o(lines[top][: lines[top].rindex("Error")].strip(), rows)


def _without_rate(line: str) -> list[str] | None:
    """The words of a row before its error and how that comes about: 0.15  (35 / 227)."""
    left, slash, right = line.rpartition("/")
    words = left.split()
    if not slash or len(words) < 3 or not is_number(right.strip(" )")):
        return None
    if not is_number(words.pop().lstrip("(=")):
        return None
    if words[-1] in {"=", "("}:
        words.pop()
    return words[:-1]


def _of_h2o(header: str, rows: list[list[str]]) -> Cross | None:
    size = len(rows) - 1
    if size < 2:
        return None
    if all(len(row) == size and all(map(is_number, row)) for row in rows):
        # Without names of the rows.
        columns = _columns(header, size)
        names = [*(columns or ()), "Total"]
    elif any(len(row) <= size for row in rows):
        return None
    else:
        names = [" ".join(row[:-size]) for row in rows]
        columns = header.split() if header.split() == " ".join(names[:-1]).split() else _columns(header, size)
        columns = names[:-1] if columns == header.split() and len(columns) != size else columns
    if columns is None or not is_total(names[-1]):
        return None
    cells = [row[-len(columns) :] for row in rows]
    return Cross(source="H2O", cells=cells, row_names=names, col_names=columns, rows="actual", points=True)


def _columns(header: str, size: int) -> list[str] | None:
    return next((names for names in (header.split(), re.split(r" {2,}", header)) if len(names) == size), None)


# ---- RapidMiner and Orfeo -----------------------------------------------------------------------------------------


def rapidminer_log(text: str) -> Cross | None:
    """The matrix in RapidMiner's log, rows predicted; it comes once for each measure."""
    lines = [line.rstrip("\r") for line in text.splitlines()]
    found: list[list[list[str]]] = []
    for i, line in enumerate(lines):
        if not line.startswith("True:\t"):
            continue
        names = line.split("\t")[1:]
        found.append([names, *(row.split("\t") for row in lines[i + 1 : i + 1 + len(names)])])
    if not found:
        return None
    if any(one != found[0] for one in found):
        msg = "the text has several matrices that differ; give one at a time"
        raise InputError(msg)
    names, *rows = found[0]
    if len(rows) < len(names):
        msg = f"the matrix of RapidMiner has {len(names)} columns and {len(rows)} rows: it is cut off"
        raise InputError(msg)
    if any(len(row) != len(names) + 1 or not row[0].endswith(":") for row in rows):
        return None
    return Cross(
        source="RapidMiner", cells=[row[1:] for row in rows], row_names=[row[0][:-1] for row in rows],
        col_names=names, rows="predicted", totals=False,
    )  # fmt: skip


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
_HEAD = re.compile(
    r"\s*(?:[A-Za-z]\w*\s*=(?:\s*(\d+)\s*[x\u00d7]\s*\d+)?(?:\s+\w+)?"
    r"|(\d+)\s*[x\u00d7]\s*\d+\s+\S*(?:Matrix|Array)\{[^}\n]*\}\S*:)\s*"
)


def literal(text: str) -> Cross | None:
    """An array as Julia and MATLAB write and print it: [50 10; 5 100], or rows of numbers below a head."""
    found = _LITERAL.fullmatch(text.strip())
    if found is not None and ";" in found["cells"]:
        rows = [re.split(r"[\s,]+", row.strip(" ,\n")) for row in found["cells"].strip(" ;\n").split(";")]
    else:
        lines = [line for line in text.splitlines() if line.strip()]
        head = _HEAD.fullmatch(lines[0]) if len(lines) > 1 else None
        if head is None or not all(size in {None, str(len(lines) - 1)} for size in head.groups()):
            return None
        rows = [line.split() for line in lines[1:]]
    if any(len(row) != len(rows) or not all(map(is_number, row)) for row in rows):
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


_RULE = re.compile(r"[ \t]*-+(?:\+-+)+[ \t]*")
_NUMBER = re.compile(r"\S+")


# ---- bars and one kind of rule ---------------------------------------------------------------------------------


def ruled_table(text: str) -> Cross | None:
    """A table whose lines have bars where its rules have crosses: Stata's `tabulate`, psql."""
    lines = text.expandtabs().splitlines()
    top = next((i for i, line in enumerate(lines) if i and _RULE.fullmatch(line) and "|" in lines[i - 1]), None)
    if top is None:
        return None
    bars = [at for at, mark in enumerate(lines[top]) if mark == "+"]
    body = _body(lines, top, _RULE)
    if any("|" in line and not _has_bars(line, bars) for line in body):
        # A row whose bars stand elsewhere must not be left out.
        return None
    rows = [_zones(line, bars) for line in body if _has_bars(line, bars)]
    named = [row for row in rows if row[0].strip()]
    if not named or not _has_bars(lines[top - 1], bars):
        return None
    # Statistics below the counts stand in rows without a name.
    if re.search(r"\bKey\b", text) and "frequency" not in text:
        msg = "the table has shares and no frequencies; print it with its frequencies"
        raise InputError(msg)
    header = _header(_zones(lines[top - 1], bars), named[0])
    cells = [[row[0].strip(), *" ".join(row[1:]).split()] for row in named]
    if any(len(row) != len(header) for row in cells):
        return None
    source = "Stata" if len(header) > len(bars) + 1 else "table with bars"
    return _crossed([header, *cells], *_titles(lines[:top], bars), source)


def _titles(above: list[str], bars: list[int]) -> tuple[str, str]:
    """The names of the rows and of the columns, which may take several lines above the rule."""
    row, column = [_zones(above[-1], bars)[0].strip()], ""
    for line in above[-2:-5:-1]:
        if not _has_bars(line, bars[:1]) and not (line.strip() and not column):
            break
        left, right = _zones(line, bars[:1]) if _has_bars(line, bars[:1]) else ("", line)
        row.insert(0, left.strip())
        column = right.strip(" -") or column
    return " ".join(filter(None, row)), column


def _body(lines: list[str], rule: int, head: re.Pattern[str]) -> list[str]:
    """The lines of a table below its rule; another table further down may be the rest of it."""
    end = rule + 1 + _height(lines, rule + 1)
    if any(map(head.fullmatch, lines[end:])):
        msg = "the text has several tables, or one that goes on below itself; print it wide enough, and give one"
        raise InputError(msg)
    return lines[rule + 1 : end]


def _has_bars(line: str, bars: list[int]) -> bool:
    return all(line[at : at + 1] == "|" for at in bars)


def _zones(line: str, bars: list[int]) -> list[str]:
    ends = [*bars, max(len(line), bars[-1] + 1)]
    starts = [0, *(at + 1 for at in bars)]
    # A blank for the bar keeps the places of all zones but the first.
    return [line[start:end] for start, end in zip(starts, ends, strict=True)]


def _header(names: list[str], row: list[str]) -> list[str]:
    """The names above the numbers of a row: each ends where its numbers end, or has a zone of its own."""
    header = [names[0].strip()]
    for zone, numbers in zip(names[1:], row[1:], strict=True):
        ends = [found.end() for found in _NUMBER.finditer(numbers)]
        if len(ends) == 1:
            header.append(zone.strip())
            continue
        header += [zone[start:end].strip() for start, end in zip([0, *ends], ends, strict=False)]
    return header


def _crossed(grid: list[list[str]], row: str, column: str, source: str) -> Cross:
    """The table of a grid without a corner, whose axes have these names."""
    if [line[0] for line in grid[1:]] == ["+", "-", "Total"] and grid[0][1:3] == ["D", "~D"]:
        # Stata's `estat classification` says + for what is classified as D.
        grid = [grid[0], *([name, *line[1:]] for name, line in zip(("D", "~D", "Total"), grid[1:], strict=True))]
    side, axes = sides_told([row], [column])
    return replace(cross_of_grid([[side or "", *grid[0][1:]], *grid[1:]], source), lines=None, axes=axes)


# ---- SAS --------------------------------------------------------------------------------------------------------

_BAR = "[|│‚]"
_FREQUENCY = re.compile(rf"[ \t]*Frequency[ \t]*{_BAR}.*")


def sas_table(text: str) -> Cross | None:
    """The cross table of PROC FREQ: frequencies, and below each the percentages that were asked for."""
    lines = text.expandtabs().splitlines()
    top = next((i for i, line in enumerate(lines) if _FREQUENCY.fullmatch(line)), None)
    if top is None:
        return None
    end = next((i for i in range(top, len(lines)) if re.fullmatch(r" *[-ƒ]+(?:[+ˆ][-ƒ]+)+[+ˆ]? *", lines[i])), None)
    if end is None:
        return None
    names = [part.strip() for part in re.split(_BAR, lines[end - 1])]
    body = _body(lines, end, _FREQUENCY)
    rows = [row for row in ([part.strip() for part in re.split(_BAR, line)] for line in body) if len(row) > 1]
    named = [row for row in rows if row[0]]
    odd = next((row for row in named if len(row) != len(names)), None)
    if odd is not None:
        msg = f"row {odd[0]!r:.40} of the table has {len(odd) - 1} cells, and the header {len(names) - 1}"
        raise InputError(msg)
    # Totals have no bars; they are checked, and left out as any others.
    named += [words for line in body if len(words := line.split()) == len(names) and words[0] == "Total"][:1]
    said = re.search(r"Table of (\S+) by (\S+)", text)
    above = next((line.split() for line in reversed(lines[:top]) if line.strip()), [])
    row, column = (said[1], said[2]) if said else above if len(above) == 2 else ("", "")
    return _crossed([["", *names[1:]], *named], row, column, "SAS") if named else None


# ---- ENVI -------------------------------------------------------------------------------------------------------

_PIXELS = re.compile(r"[ \t]*Ground Truth \(Pixels\)[ \t]*")


def envi_table(text: str) -> Cross | None:
    """The counts of a confusion matrix of ENVI, which has the ground truth in columns, a few at a time."""
    lines = text.expandtabs().splitlines()
    starts = [i for i, line in enumerate(lines) if _PIXELS.fullmatch(line)]
    grid: list[list[str]] = []
    for start in starts:
        body = [line for line in lines[start + 2 : start + 2 + _height(lines, start + 2)] if line.strip()]
        if not body or len(lines) < start + 2:
            return None
        ends = [found.end() for found in _NUMBER.finditer(body[-1])]
        names = [lines[start + 1][a:b].strip() for a, b in zip([0, *ends], ends, strict=False)]
        rows = [line.rsplit(None, len(ends) - 1) for line in body]
        block = [names, *([row[0].strip(), *row[1:]] for row in rows)]
        if grid and [row[0] for row in grid] != [row[0] for row in block]:
            return None
        grid = [row + more[1:] for row, more in zip(grid, block, strict=True)] if grid else block
    if not grid or len({len(row) for row in grid}) > 1:
        return None
    lost = [name for name in grid[0][1:] if not is_total(name) and name not in {row[0] for row in grid}]
    if lost:
        msg = f"the matrix of ENVI has no row of {some(lost)}: it is cut off"
        raise InputError(msg)
    return replace(cross_of_grid([["predicted", *grid[0][1:]], *grid[1:]], "ENVI"), lines=None)


def _height(lines: list[str], start: int) -> int:
    return next((i for i, line in enumerate(lines[start:]) if not line.strip()), len(lines) - start)


# ---- sheets -----------------------------------------------------------------------------------------------------


def sheet(text: str) -> str:
    """Cells pasted with tabs: lines of one width, without titles above and notes below them that have no tab."""
    lines = text.split("\n")
    inside = [i for i, line in enumerate(lines) if "\t" in line]
    if len(inside) < 3 or '"' in text:
        return text
    kept = [line for line in lines[inside[0] : inside[-1] + 1] if line.strip()]
    width = max(line.count("\t") for line in kept)
    if width < 2 or not all("\t" in line for line in kept):
        return text
    if kept[0].count("\t") < width and not kept[0].startswith("\t"):
        # Pasting has lost the empty cells at the start.
        kept[0] = "\t" * (width - kept[0].count("\t")) + kept[0]
    return "\n".join(line + "\t" * (width - line.count("\t")) for line in kept)
