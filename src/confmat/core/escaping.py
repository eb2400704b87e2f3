"""Labels inside cells of each format, and how they are read back: nothing runs, nothing is lost."""

from __future__ import annotations

import re
import unicodedata
from typing import Any

from confmat.core.text import printable

# ---- one line ----------------------------------------------------------------------------------------------

_UNSAFE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_ESCAPE = re.compile(r"\\(\\|[nrt]|x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8})")
_SHORT = {"\\": "\\", "n": "\n", "r": "\r", "t": "\t"}


def one_line(label: Any) -> str:
    r"""A label as one safe line that `from_one_line` reads back; most labels stay as they are.

    Control, bidirectional and invisible characters become escapes, as in every print of confmat. Backslashes are
    doubled only where they could be taken for the start of such an escape.

    >>> one_line("cat"), one_line("a\nb"), one_line(r"C:\data"), one_line(r"C:\new"), one_line("")
    ('cat', 'a\\nb', 'C:\\data', 'C:\\\\new', '""')
    """
    if not isinstance(label, str):
        return printable(label)
    if label == "":
        return '""'
    if label == '""':
        return r"\x22\x22"
    # Cells are stripped when they are read, so a space at an edge has to be seen.
    head, tail = len(label) - len(label.lstrip()), len(label.rstrip())
    shown = [_shown(char) if head <= i < tail else _coded(char) for i, char in enumerate(label)]
    text = "".join(shown)
    if text == label and not _ESCAPE.search(label):
        return label
    return "".join("\\\\" if char == "\\" else visible for char, visible in zip(label, shown, strict=True))


def _shown(char: str) -> str:
    return _coded(char) if unicodedata.category(char) in _UNSAFE else char


def _coded(char: str) -> str:
    return r"\x20" if char == " " else char.encode("unicode_escape").decode("ascii")


def from_one_line(text: str) -> str:
    r"""Read back what `one_line` wrote.

    >>> from_one_line(r"a\nb"), from_one_line(r"C:\data"), from_one_line('""')
    ('a\nb', 'C:\\data', '')
    """
    return "" if text == '""' else _ESCAPE.sub(_unescaped, text)


def _unescaped(match: re.Match[str]) -> str:
    code = match[1]
    if code in _SHORT:
        return _SHORT[code]
    number = int(code[1:], 16)
    return chr(number) if number <= 0x10FFFF else match[0]


# ---- comma-separated values --------------------------------------------------------------------------------

# Signs that make a spreadsheet take a cell for a formula, full-width twins included; apostrophes in front of one of
# these get one more, so that taking one off is always right.
_FORMULA = re.compile(r"'*[=+\-@\t\r\n＝＋－＠]")


def in_csv(label: Any, *, spreadsheet: bool = True) -> str:
    """A label as the text of a cell; an apostrophe goes in front of what a spreadsheet would run.

    Integers are numbers and stay as they are, below zero too.

    >>> in_csv("=1+1"), in_csv("cat"), in_csv(-1), in_csv("=1+1", spreadsheet=False)
    ("'=1+1", 'cat', '-1', '=1+1')
    """
    text = label if isinstance(label, str) else str(label) if isinstance(label, int) else printable(label)
    return f"'{text}" if spreadsheet and not isinstance(label, int) and _FORMULA.match(text) else text


_QUOTED = re.compile(r'[,;\t|"\r\n]|^\s|\s$|^$')


def csv_field(value: str) -> str:
    """A cell as it stands in the file: quoted if any reader could stumble over it.

    csv.writer leaves a lone carriage return bare.

    >>> csv_field("cat"), csv_field("a, b"), csv_field('a "b" c')
    ('cat', '"a, b"', '"a ""b"" c"')
    """
    return '"' + value.replace('"', '""') + '"' if _QUOTED.search(value) else value


def from_csv_cell(text: str) -> str:
    """Take off the apostrophe that `in_csv` put in front.

    >>> from_csv_cell("'=1+1"), from_csv_cell("'tis")
    ('=1+1', "'tis")
    """
    return text[1:] if text.startswith("'") and _FORMULA.match(text) else text


# ---- Markdown ----------------------------------------------------------------------------------------------

# Everything that Markdown, its tables, its mathematics, its links and mentions, or HTML inside it would read.
_MARKDOWN = {char: "\\" + char for char in "\\`*_{}[]<>|#~$@"} | {"&": "&amp;"}
_LINK = re.compile(r":(?=//)|(?<=www)\.", re.IGNORECASE)
_FROM_MARKDOWN = re.compile(r"\\([!-/:-@\[-`{-~])|(&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|\w{1,31});)")


def in_markdown(text: str) -> str:
    r"""One line of text as the cell of a pipe table.

    >>> print(in_markdown("a|b <b>&nbsp;</b>"))
    a\|b \<b\>&amp;nbsp;\</b\>
    """
    return _LINK.sub(lambda match: "\\" + match[0], "".join(_MARKDOWN.get(char, char) for char in text))


def from_markdown(text: str) -> str:
    r"""The text that a cell of Markdown shows: escapes and entities taken away.

    >>> from_markdown(r"a\|b &amp; c")
    'a|b & c'
    """
    # The table of entities is large, and only reading asks for it.
    from html import unescape

    return _FROM_MARKDOWN.sub(lambda match: match[1] or unescape(match[2]), text)


# ---- LaTeX -------------------------------------------------------------------------------------------------

_LATEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", "`": r"\textasciigrave{}",
    # Active in some languages of babel; \textquotedbl is unknown to the default font encoding.
    '"': r"\string" + '"',
    # After the end of a row these would be read as its options.
    "[": "{[}", "]": "{]}", "*": "{*}",
}  # fmt: skip
_BACK = {written: char for char, written in _LATEX.items()} | {"{}": ""}
_FROM_LATEX = re.compile("|".join(map(re.escape, sorted(_BACK, key=len, reverse=True))))
_LIGATURE = re.compile(r"(?<=-)(?=-)|(?<=')(?=')|(?<=,)(?=,)")


def in_latex(text: str) -> str:
    r"""One line of text as LaTeX: no command, no mathematics, no comment and no option can come from a label.

    >>> print(in_latex(r"\input{x} 50% R&D"))
    \textbackslash{}input\{x\} 50\% R\&D
    """
    return "".join(_LATEX.get(char, char) for char in _LIGATURE.sub("\x00", text)).replace("\x00", "{}")


def from_latex(text: str) -> str:
    r"""The text behind what `in_latex` wrote; commands that it does not write are left as they stand.

    >>> from_latex(r"\textbackslash{}input\{x\} 50\% R\&D")
    '\\input{x} 50% R&D'
    """
    return _FROM_LATEX.sub(lambda match: _BACK[match[0]], text)
