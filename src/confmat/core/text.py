"""Labels and numbers in text: safe to print, in lines that fit, and in cells of each format that are read back."""

from __future__ import annotations

import codecs
import re
import shutil
import sys
import textwrap
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextvars import ContextVar
from functools import lru_cache
from itertools import islice, starmap
from os.path import commonprefix
from typing import Any

# Columns of a line that does not go to a terminal, and the fewest that any layout is made for.
WIDTH = 100
NARROWEST = 40
# Whether long work says on a terminal how far it is; the command line has a line of its own for all
# of it.
SHOWS_PROGRESS: ContextVar[bool] = ContextVar("SHOWS_PROGRESS", default=True)
# Names that look alike when cut get up to this many times the width.
_WIDENED = 3
# Names with the same beginning look alike where this many signs at their ends are the same.
_END = 4
# The most names that are compared with one that is not known.
_COMPARED = 10_000
# Decimals, at most, of bounds that are close to each other.
_MOST_DECIMALS = 12
# How what a stream cannot write is written: the signs of our own tables by others, which keep their
# columns.
POORLY = "confmat.poorly"
_POORER = str.maketrans(
    "–—−…·│┃║├└┼╪─━═→←↓↑×▏▎▍▌▋▊▉█▀■²", "---~.|||++++---><v^x   #######2", "\u2066\u2067\u2068\u2069"
) | {ord("≤"): "<=", ord("≥"): ">="}


def _poorly(error: UnicodeError) -> tuple[str, int]:
    r"""Replace text that an encoding lacks: signs by plain ones, labels by escapes.

    >>> "0.5 – 0.7 │ 猫".encode("ascii", POORLY)
    b'0.5 - 0.7 | \\u732b'
    """
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lost = error.object[error.start : error.end].translate(_POORER)
    return lost.encode("ascii", "backslashreplace").decode("ascii"), error.end


codecs.register_error(POORLY, _poorly)

# ---- safe text -----------------------------------------------------------------------------------

# Characters that move the cursor, reorder the line or take no room: shown as escapes, never sent.
_UNSAFE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_JOINER, _NON_JOINER, _EMOJI_STYLE = "\u200d", "\u200c", "\ufe0f"
# Signs that colour the skin of the emoji in front of them.
_TONES = frozenset(map(chr, range(0x1F3FB, 0x1F400)))


def printable(value: Any) -> str:
    r"""A label as one safe line of text: control, bidirectional and invisible characters become escapes.

    Joiners stay where a script or an emoji needs them, as in a family of three.

    >>> printable("a\tb\x1b[2J"), printable(""), printable(b"ok"), printable(3)
    ('a\\tb\\x1b[2J', '""', "b'ok'", '3')
    """
    # A date or a Decimal reads best as its text; only containers and bytes need their marks.
    text = repr(value) if isinstance(value, (bytes, tuple, frozenset)) else str(value)
    if text == "":
        return '""'
    # isprintable() settles the common case in one call; it is false for every unsafe category and
    # for odd spaces.
    if text.isprintable():
        return text
    return "".join(char if _joins(text, i) else _visible(char) for i, char in enumerate(text))


def legible(label: Any) -> str:
    """A label as one safe line, in quotes where blanks at its ends would not be seen.

    >>> legible("comedy"), legible("comedy "), legible("very funny")
    ('comedy', '"comedy "', 'very funny')
    """
    text = printable(label)
    return text if text == text.strip() else f'"{text}"'


def _visible(char: str) -> str:
    if unicodedata.category(char) in _UNSAFE:
        return char.encode("unicode_escape").decode("ascii")
    return char


def _joins(text: str, place: int) -> bool:
    """Whether a joiner is where it belongs: between emoji, after a virama, or between Arabic letters (RFC 5892)."""
    if text[place] not in {_JOINER, _NON_JOINER} or not 0 < place < len(text) - 1:
        return False
    before, after = text[place - 1], text[place + 1]
    if unicodedata.combining(before) == 9:
        return True
    if text[place] == _NON_JOINER:
        return unicodedata.bidirectional(before) == "AL" == unicodedata.bidirectional(after)
    if place > 1 and (before == _EMOJI_STYLE or before in _TONES):
        before = text[place - 2]
    return unicodedata.category(before) == "So" and unicodedata.category(after) in {"So", "Sm"}


def isolated(text: str) -> str:
    """A line between marks that keep right-to-left writing to itself, so that columns beside it stay in place.

    >>> isolated("cat"), len(isolated("חתול"))
    ('cat', 6)
    """
    if text.isascii() or not any(
        unicodedata.bidirectional(char) in {"R", "AL", "AN"} for char in text
    ):
        return text
    return f"\u2068{text}\u2069"


# ---- width ---------------------------------------------------------------------------------------


# The cells and names of one table are measured several times.
@lru_cache(maxsize=4096)
def display_width(text: str) -> int:
    """Columns that a line of text takes on a terminal.

    >>> (
    ...     display_width("cat"),
    ...     display_width("猫"),
    ...     display_width("e\u0301"),
    ...     display_width("👩\u200d🚀"),
    ... )
    (3, 2, 1, 2)
    """
    return len(text) if text.isascii() else sum(width for _, width in _clusters(text))


def _clusters(text: str) -> Iterator[tuple[str, int]]:
    """Yield each group of characters drawn as one, with its width: a letter with marks, a flag, joined emoji."""
    start, width, last = 0, 0, ""
    for place, char in enumerate(text):
        added = _added(char, last, width, text[place - 1 : place])
        if added is None:
            if place > start:
                yield text[start:place], width
            start, width, last = place, _width(char), char
        else:
            width += added
            last = last if _width(char) == 0 else char
    if text:
        yield text[start:], width


def _added(char: str, last: str, width: int, before: str) -> int | None:
    """By how many columns a character widens the text before it; None where something new begins.

    `last` is the character drawn last and `before` the one in front, which may be a mark or a
    joiner.
    """
    if not last:
        return None
    if char == _EMOJI_STYLE:
        return int(
            width == 1 and (unicodedata.category(last) in {"So", "Sm", "Po", "Nd"} or last == "ℹ")
        )
    if char in _TONES:
        return 0 if unicodedata.category(last) == "So" else None
    if before == _JOINER and unicodedata.category(char) in {"So", "Sm"}:
        return 0
    if _is_flag(char) and _is_flag(last) and width == 1:
        return 1
    return None if _width(char) else 0


def _is_flag(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"


def _width(char: str) -> int:
    # Format characters take no room, and of a Korean syllable in parts only the first part does.
    if "\u1160" <= char <= "\u11ff" or (
        unicodedata.category(char) in {"Mn", "Me", "Cf"} and char != "\u00ad"
    ):
        return 0
    return 2 if unicodedata.east_asian_width(char) in {"W", "F"} else 1


def fit(text: str, width: int) -> str:
    """Cut a line to `width` columns, marking the cut with an ellipsis.

    >>> fit("a very long name", 7)
    'a very…'
    """
    if display_width(text) <= width:
        return text
    return _first(_clusters(text), width - 1).rstrip() + "…"


def middle(text: str, width: int) -> str:
    """Cut a line to `width` columns in its middle: names that differ often differ at their ends.

    >>> middle("a_very_long_name", 9)
    'a_ve…name'
    """
    # Whatever has no width of its own may come along, but not without end.
    if display_width(text) <= width and len(text) <= 8 * width:
        return text
    head = _first(_clusters(text[: 4 * width]), width // 2)
    tail = _first(reversed(list(_clusters(text[-4 * width :]))), (width - 1) // 2, backwards=True)
    return f"{head}…{tail}"


def _first(parts: Iterable[tuple[str, int]], width: int, *, backwards: bool = False) -> str:
    """As much as fits into a width."""
    kept, used = [], 0
    for part, room in parts:
        used += room
        if used > width:
            break
        kept.append(part)
    return "".join(reversed(kept) if backwards else kept)


def terminal_room() -> int | None:
    """Columns that a line of a terminal may take, as it says itself or COLUMNS says; None where there is none."""
    try:
        on_terminal = sys.stdout.isatty()
    except (AttributeError, ValueError):
        # No standard output, or a closed one.
        on_terminal = False
    return max(shutil.get_terminal_size().columns, NARROWEST) if on_terminal else None


def room() -> int:
    """Columns that a line may take: of a terminal what it has; elsewhere always the same."""
    return terminal_room() or WIDTH


def folded(sentences: Iterable[str]) -> list[str]:
    """Fold sentences to the width of a terminal; elsewhere each stays one line, to be searched and quoted."""
    width = terminal_room()
    if width is None:
        return list(sentences)
    parts = (
        textwrap.wrap(sentence, width, subsequent_indent="  ", break_on_hyphens=False)
        for sentence in sentences
    )
    return [line for part in parts for line in part]


def pad(text: str, width: int, align: str = "<") -> str:
    """Fill a line with spaces up to `width` columns, on its right ("<") or left (">")."""
    space = " " * max(0, width - display_width(text))
    return space + text if align == ">" else text + space


def table(rows: Sequence[Sequence[str]], align: str) -> list[str]:
    """Lines of a table; `align` has one "<" or ">" per column.

    >>> table([["a", "10"], ["bcd", "9"]], "<>")
    ['a    10', 'bcd   9']
    """
    widths = [max(display_width(row[i]) for row in rows) for i in range(len(align))]
    return ["  ".join(starmap(pad, zip(row, widths, align, strict=True))).rstrip() for row in rows]


def number(value: float) -> str:
    """A count in digits with separators; a weight with up to six significant digits.

    >>> number(1234567), number(0.5), number(1e-7)
    ('1,234,567', '0.5', '1e-07')
    """
    if isinstance(value, int):
        return f"{value:,}"
    return f"{int(value):,}" if value == int(value) and abs(value) < 1e15 else f"{value:,.6g}"


def rate(value: float, digits: int = 3) -> str:
    """A score with its decimals; a dash where it has no value.

    >>> rate(2 / 3), rate(float("nan")), rate(1.0, 1)
    ('0.667', '–', '1.0')
    """
    return "–" if value != value else f"{value:.{digits}f}"


def decimals_apart(low: float, high: float, digits: int) -> int:
    """Return this number of digits, or as many more as it takes until two different numbers look different.

    >>> (
    ...     decimals_apart(0.8, 0.9, 3),
    ...     decimals_apart(0.89962, 0.90038, 3),
    ...     decimals_apart(0.9, 0.9, 3),
    ... )
    (3, 4, 3)
    """
    while (
        digits < _MOST_DECIMALS
        and high - low > 10.0**-_MOST_DECIMALS
        and f"{low:.{digits}f}" == f"{high:.{digits}f}"
    ):
        digits += 1
    return digits


def some(values: Iterable[Any], most: int = 5) -> str:
    """The first few values for a message, quoted as Python would.

    >>> some("abcdefg", 3)
    "'a', 'b', 'c', ..."
    """
    shown: list[str] = []
    for value in values:
        if len(shown) == most:
            return ", ".join(shown) + ", ..."
        shown.append(fit(printable(repr(value)), 60))
    return ", ".join(shown)


def near(name: Any, known: Iterable[Any], most: int = 1, cutoff: float = 0.65) -> list[Any]:
    """Return the known names of which an unknown one is a misspelling: they begin alike, and few letters differ.

    >>> near("conut", ["count", "counts", "Costs", "amount"]), near("icc", ["mcc"])
    (['count'], [])
    """
    import difflib

    text = str(name).casefold()
    texts = {
        each: name
        for name in islice(known, _COMPARED)
        if (each := str(name).casefold())[:1] == text[:1]
    }
    return [texts[match] for match in difflib.get_close_matches(text, texts, most, cutoff)]


def meant(name: Any, known: Iterable[Any], most: int = 1, cutoff: float = 0.65) -> str:
    """Return the known names of which an unknown one is a misspelling, as the end of a message; empty without any.

    >>> meant("Recal", ["precision", "recall"]), meant("x", ["precision", "recall"])
    ("; did you mean 'recall'?", '')
    """
    close = near(name, known, most, cutoff)
    return f"; did you mean {' or '.join(some([name]) for name in close)}?" if close else ""


def plural(noun: str) -> str:
    """Return a noun as it is said of several.

    >>> [plural(noun) for noun in ("class", "category", "key", "box")]
    ['classes', 'categories', 'keys', 'boxes']
    """
    return re.sub("(?<![aeiou])y$", "ie", noun) + (
        "es" if noun.endswith(("s", "x", "ch", "sh")) else "s"
    )


def repeated(values: Iterable[Any]) -> list[Any]:
    """Return the values that occur more than once, in the order in which they first do.

    >>> repeated("banana")
    ['a', 'n']
    """
    return [value for value, many in Counter(values).items() if many > 1]


# A word with a digit in front of a name, and what parts a name into words.
_CODE = re.compile(r"(?=\S*\d)\S+\s+(?=\S)")
_PARTING = re.compile(r"[\s_\-/.,:;|>]")


def shared(names: Sequence[str]) -> tuple[int, int]:
    """How many characters all names begin and end with, in whole words; something is left of each.

    >>> shared(["class 1 of A", "class 12 of A"])
    (6, 5)
    """
    if len(names) < 2:
        return 0, 0
    # Sign by sign: names are no paths.
    common = (commonprefix(texts) for texts in (list(names), [name[::-1] for name in names]))  # noqa: RUF071
    ends = [max((match.end() for match in _PARTING.finditer(text)), default=0) for text in common]
    least = min(map(len, names))
    head = ends[0] if ends[0] < least else 0
    return head, ends[1] if head + ends[1] < least else 0


def undressed(names: Sequence[str]) -> tuple[list[str], str]:
    """Names without the code in front of each and the words that all of them share; and a sentence that says so.

    >>> undressed(["n01440764 grey owl", "n01443537 red owl"])
    (['grey', 'red'], 'names without their codes, such as n01440764 and " owl" at the end')
    """
    bare, left_out = list(names), []
    ends = [code.end() for code in map(_CODE.match, bare) if code]
    if len(ends) == len(bare) > 1:
        rest = [name[end:] for name, end in zip(bare, ends, strict=True)]
        if len(set(rest)) == len(set(bare)):
            bare, left_out = rest, [f"their codes, such as {bare[0].split()[0]}"]
    head, tail = shared(bare)
    if head:
        left_out.append(f'"{bare[0][:head]}" in front')
    if tail:
        left_out.append(f'"{bare[0][-tail:]}" at the end')
    sentence = f"names without {' and '.join(left_out)}" if left_out else ""
    return [name[head : len(name) - tail] for name in bare], sentence


def words_of(name: str) -> list[str]:
    """The words of a name: those of more than one letter."""
    return [word for word in _PARTING.split(name) if len(word) > 1 and not word.isdigit()]


def key_of(names: Sequence[str], width: int) -> str:
    """Return the sentence that goes with `shortened` names; nothing where none is cut of what all share."""
    return (
        undressed(list(dict.fromkeys(names)))[1]
        if any(display_width(name) > width for name in names)
        else ""
    )


def shortened(names: Sequence[str], width: int) -> list[str]:
    """Return the names, as they are where all fit; else without what they share, and cut to a width.

    Names that would look alike keep the words in which they differ, or get more room, and in the
    end a number.

    >>> shortened(["lung cancer, upper left lobe", "lung cancer, upper right lobe", "flu"], 16)
    ['…left lobe', '…right lobe', 'flu']
    """
    unique = list(dict.fromkeys(names))
    if all(display_width(name) <= width for name in unique):
        return list(names)
    bare, _ = undressed(unique)
    short = [middle(name, width) for name in bare]
    alike: dict[str, list[int]] = {}
    for place, cut in enumerate(short):
        alike.setdefault(cut[: width // 2] + cut[-_END:], []).append(place)
    for places in alike.values():
        for place, cut in zip(
            places, _apart([bare[place] for place in places], width), strict=True
        ):
            short[place] = cut
    found = dict(zip(unique, _numbered(bare, _widened(bare, short, width), width), strict=True))
    return [found[name] for name in names]


def _widened(names: list[str], short: list[str], width: int) -> list[str]:
    """Give names whose short forms are equal more and more room, while they are."""
    for room in range(width + 4, _WIDENED * width + 1, 4):
        twice = set(repeated(short))
        if not twice:
            break
        short = [
            middle(name, room) if cut in twice else cut
            for name, cut in zip(names, short, strict=True)
        ]
    return short


def _numbered(names: list[str], short: list[str], width: int) -> list[str]:
    """Number the short forms that are still equal."""
    twice = set(repeated(short))
    seen = Counter[str]()
    for place, cut in enumerate(short):
        if cut in twice:
            seen[cut] += 1
            short[place] = f"{middle(names[place], max(width - 4, 3))}#{seen[cut]}"
    return short


def _apart(names: list[str], width: int) -> list[str]:
    """Names that look alike when cut, without the words that they share."""
    head, tail = shared(names)
    ends = [
        [
            f"{'…' * (head > 0)}{name[head : len(name) - end].strip()}{'…' * (end > 0)}"
            for name in names
        ]
        for end in (0, tail)
    ]
    return [
        long if display_width(long) <= width else middle(short, width)
        for long, short in zip(*ends, strict=True)
    ]


def are(count: int) -> str:
    """How many there are, as the subject of a sentence.

    >>> are(0), are(1), are(1200)
    ('none is', '1 is', '1,200 are')
    """
    return "none is" if not count else f"{count:,} {'is' if count == 1 else 'are'}"


def abridge(count: int, head: int, tail: int) -> list[int | None]:
    """Positions to show of a long list: the first ones, a gap (None), the last ones.

    >>> abridge(4, 3, 2), abridge(9, 2, 1)
    ([0, 1, 2, 3], [0, 1, None, 8])
    """
    if count <= head + tail + 1:
        return list(range(count))
    return [*range(head), None, *range(count - tail, count)]


# ---- one line ------------------------------------------------------------------------------------

_ESCAPE = re.compile(r"\\(\\|[nrt]|x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8})")
_SHORT = {"\\": "\\", "n": "\n", "r": "\r", "t": "\t"}


def one_line(label: Any) -> str:
    r"""A label as one safe line that `from_one_line` reads back; most labels stay as they are.

    Control, bidirectional and invisible characters become escapes, as in every print of confmat.
    Backslashes are doubled only where they could be taken for the start of such an escape.

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
    shown = [_visible(char) if head <= i < tail else _coded(char) for i, char in enumerate(label)]
    text = "".join(shown)
    if text == label and not _ESCAPE.search(label):
        return label
    return "".join(
        "\\\\" if char == "\\" else visible for char, visible in zip(label, shown, strict=True)
    )


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


# ---- comma-separated values ----------------------------------------------------------------------

# Signs that make a spreadsheet take a cell for a formula, full-width twins included; apostrophes in
# front of one of these get one more, so that taking one off is always right.
_FORMULA = re.compile(r"'*[=+\-@\t\r\n＝＋－＠]")


def in_csv(label: Any, *, spreadsheet: bool = True) -> str:
    """A label as the text of a cell; an apostrophe goes in front of what a spreadsheet would run.

    Integers are numbers and stay as they are, below zero too.

    >>> in_csv("=1+1"), in_csv("cat"), in_csv(-1), in_csv("=1+1", spreadsheet=False)
    ("'=1+1", 'cat', '-1', '=1+1')
    """
    text = (
        label
        if isinstance(label, str)
        else str(label)
        if isinstance(label, int)
        else printable(label)
    )
    return (
        f"'{text}" if spreadsheet and not isinstance(label, int) and _FORMULA.match(text) else text
    )


_QUOTED = re.compile(r'[,;\t|"\r\n]|^\s|\s$|^$')


def csv_field(value: str) -> str:
    """A cell as it is in the file: quoted if any reader could stumble over it.

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


# ---- Markdown ------------------------------------------------------------------------------------

# Everything that Markdown, its tables, its mathematics, its links and mentions, or HTML inside it
# would read.
_MARKDOWN = {char: "\\" + char for char in "\\`*_{}[]<>|#~$@"} | {"&": "&amp;"}
_LINK = re.compile(r":(?=//)|(?<=www)\.", re.IGNORECASE)
_FROM_MARKDOWN = re.compile(r"\\([!-/:-@\[-`{-~])|(&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|\w{1,31});)")


def in_markdown(text: str) -> str:
    r"""One line of text as the cell of a pipe table.

    >>> print(in_markdown("a|b <b>&nbsp;</b>"))
    a\|b \<b\>&amp;nbsp;\</b\>
    """
    return _LINK.sub(
        lambda match: "\\" + match[0], "".join(_MARKDOWN.get(char, char) for char in text)
    )


def from_markdown(text: str) -> str:
    r"""The text that a cell of Markdown shows: escapes and entities taken away.

    >>> from_markdown(r"a\|b &amp; c")
    'a|b & c'
    """
    # The table of entities is large, and only reading asks for it.
    from html import unescape

    return _FROM_MARKDOWN.sub(lambda match: match[1] or unescape(match[2]), text)


# ---- LaTeX ---------------------------------------------------------------------------------------

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
    return "".join(_LATEX.get(char, char) for char in _LIGATURE.sub("\x00", text)).replace(
        "\x00", "{}"
    )


def from_latex(text: str) -> str:
    r"""The text behind what `in_latex` wrote; commands that it does not write are left as they are.

    >>> from_latex(r"\textbackslash{}input\{x\} 50\% R\&D")
    '\\input{x} 50% R&D'
    """
    return _FROM_LATEX.sub(lambda match: _BACK[match[0]], text)
