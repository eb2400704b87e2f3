"""Sequences of tags: the entities in them by the schemes of BIO and its relatives, and files in CoNLL format."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from os import PathLike
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from confmat.core.errors import InputError
from confmat.core.files import read_text
from confmat.core.options import one_of, told
from confmat.core.text import printable, some
from confmat.spans.entities import Spans, coded

Array = NDArray[Any]
Scheme = Literal["IOB1", "IOB2", "BIO", "IOE1", "IOE2", "IOBES", "BIOES", "BILOU", "BILUO"]

# The letters that each scheme writes, besides O.
SCHEMES = {
    "IOB1": "BI",
    "IOB2": "BI",
    "BIO": "BI",
    "IOE1": "IE",
    "IOE2": "IE",
    "IOBES": "BIES",
    "BIOES": "BIES",
    "BILOU": "BILU",
    "BILUO": "BILU",
}
_OUT, _BEGIN, _IN, _END, _SINGLE = range(5)
# L and U are the E and S of BILOU, M and W the I and S of BMEWO.
LETTERS = {
    "O": _OUT,
    "B": _BEGIN,
    "I": _IN,
    "M": _IN,
    "E": _END,
    "L": _END,
    "S": _SINGLE,
    "U": _SINGLE,
    "W": _SINGLE,
}
Sequences = list[list[str]]
# Marks where a document begins in the files of CoNLL-2003; it is no token.
_DOCUMENT = "-DOCSTART-"


def entities(
    letters: Array, kinds: Array, sequences: Array, scheme: str | None
) -> tuple[Array, Array]:
    """Where entities begin and end, of tags in a row: their letters, classes, and which sequence each is of.

    A tag goes on with the entity before it if it is I or E, and that tag was B or I of the same
    class in the same sequence. Every such run is an entity without a scheme, which is how conlleval
    reads; with one, those that the scheme would write.
    """
    if scheme == "IOE1":
        # IOE1 is IOB1 in a mirror.
        mirrored = np.where(letters == _END, _BEGIN, letters)[::-1]
        begins, ends = entities(mirrored, kinds[::-1], sequences[::-1], "IOB1")
        return (len(letters) - ends)[::-1], (len(letters) - begins)[::-1]
    alike = np.zeros(len(letters), bool)
    alike[1:] = (
        (kinds[1:] == kinds[:-1]) & (sequences[1:] == sequences[:-1]) & (letters[:-1] != _OUT)
    )
    goes_on = alike & np.isin(letters, (_IN, _END))
    goes_on[1:] &= np.isin(letters[:-1], (_BEGIN, _IN))
    if scheme == "IOB1":
        # There B parts neighbours of one class; one that parts nothing is in no entity.
        idle = (letters == _BEGIN) & ~alike
        goes_on[1:] &= ~idle[:-1]
    stops = np.append(np.flatnonzero(~goes_on), len(letters))
    begins = stops[:-1][letters[stops[:-1]] != _OUT]
    ends = stops[np.searchsorted(stops, begins, side="right")]
    first, last = letters[begins], letters[ends - 1]
    if scheme is None:
        kept = np.ones(len(begins), bool)
    elif scheme == "IOB1":
        kept = (first != _BEGIN) | alike[begins]
    elif scheme in {"IOB2", "BIO"}:
        kept = first == _BEGIN
    elif scheme == "IOE2":
        kept = last == _END
    else:
        kept = ((first == _BEGIN) & (last == _END)) | (first == _SINGLE)
    return begins[kept], ends[kept]


def spans_of_tags(sequences: Any, *, scheme: Scheme | None = None) -> Spans:
    """Read the named entities of tag sequences, such as ["B-PER", "I-PER", "O", "B-LOC"]; positions count tags.

    Parameters
    ----------
    sequences
        One sequence of tags for each sentence or document, which are numbered from 0, or a mapping
        of document to tags. A tag is "O", or a letter, a hyphen and a class; a letter alone has the
        class "_".
    scheme
        None reads tags of any scheme (letters BIES, L and U of BILOU, M and W of BMEWO) as
        conlleval does: an I or E that does not go on with an entity of its class begins one. With
        "IOB1", "IOB2" (or "BIO"), "IOE1", "IOE2", "IOBES" (or "BIOES") or "BILOU" (or "BILUO"),
        only entities count that the scheme would write so, and letters that it does not have are an
        error.

    Returns
    -------
    Spans

    Examples
    --------
    >>> list(spans_of_tags([["B-PER", "I-PER", "O", "I-LOC"]]))[1]
    Span(document=0, start=3, end=4, label='LOC')
    >>> [one.label for one in spans_of_tags([["B-PER", "I-PER", "O", "I-LOC"]], scheme="IOB2")]
    ['PER']
    """
    if scheme is not None:
        one_of("scheme", scheme, SCHEMES)
    named = isinstance(sequences, Mapping)
    documents, rows = (
        (list(sequences), list(sequences.values())) if named else (None, _rows(sequences))
    )
    lengths = np.array([_length(row, at) for at, row in enumerate(rows)], np.int64)
    numbers = np.repeat(np.arange(len(rows)), lengths)
    tags, codes = coded(list(chain.from_iterable(rows)), "sequences")

    def where(tag: int) -> str:
        """In which document a tag is first, and where."""
        at = int(np.argmax(codes == tag))
        place = numbers[at]
        name = place if documents is None else documents[place]
        return f"position {at - int(lengths[:place].sum()):,} of document {printable(name)}"

    letters, kinds, names = _read(tags, scheme, where)
    begins, ends = entities(letters[codes], kinds[codes], numbers, scheme)
    places = numbers[begins]
    # A class of tags that are no entity does not occur.
    seen, classes = np.unique(kinds[codes[begins]], return_inverse=True)
    offsets = (np.cumsum(lengths) - lengths)[places]
    documents = list(range(len(rows))) if documents is None else documents
    bounds = (begins - offsets, ends - offsets)
    return Spans(
        (documents, places),
        bounds,
        ([names[kind] for kind in seen.tolist()], classes),
        complete=True,
        lengths=lengths,
    )


def _rows(sequences: Any) -> list[Any]:
    if (
        isinstance(sequences, (str, bytes))
        or not isinstance(sequences, Iterable)
        or getattr(sequences, "ndim", 1) == 0
    ):
        msg = f"`sequences` must hold a list of tags a sentence, not {type(sequences).__name__} {sequences!r:.60}"
        raise InputError(msg)
    return list(sequences)


def _length(row: Any, at: int) -> int:
    if isinstance(row, (str, bytes)) or not hasattr(row, "__len__"):
        hint = "; for one sentence, give a list of one list" if isinstance(row, str) else ""
        msg = f"`sequences` at position {at:,} is {row!r:.60}, not a list of tags{hint}"
        raise InputError(msg)
    return len(row)


def _read(
    tags: Any, scheme: str | None, where: Callable[[int], str]
) -> tuple[Array, Array, list[str]]:
    """Letter and class of each distinct tag; `where` says where one is."""
    letters, kinds = np.zeros(len(tags), np.int8), np.full(len(tags), -1, np.int64)
    known = {*(LETTERS if scheme is None else SCHEMES[scheme])} - {"O"}
    names: dict[str, int] = {}
    for place, tag in enumerate(tags):
        if tag == "O":
            continue
        letter, _, name = tag.partition("-") if isinstance(tag, str) else ("", "", "")
        if letter not in known:
            which = f"a tag of {scheme}" if scheme else "a tag"
            shown = ", ".join(f"{each}-" for each in SCHEMES.get(scheme or "", "BIES"))
            msg = f"{some([tag])} is not {which}: these are O, and classes after {shown}; it is at {where(place)}"
            raise InputError(msg)
        letters[place], kinds[place] = LETTERS[letter], names.setdefault(name or "_", len(names))
    return letters, kinds, list(names)


@overload
def read_conll(
    path: str | PathLike[str], columns: int = -1, *, comment: str | None = None
) -> Sequences: ...
@overload
def read_conll(
    path: str | PathLike[str],
    columns: Iterable[int],
    *,
    comment: str | None = None,
) -> tuple[Sequences, ...]: ...
def read_conll(
    path: str | PathLike[str],
    columns: int | Iterable[int] = -1,
    *,
    comment: str | None = None,
) -> Sequences | tuple[Sequences, ...]:
    r"""Read the tags of a file with a token on each line; one list for each sentence, as `spans_of_tags` takes them.

    White space parts columns, and empty lines part sentences; lines of -DOCSTART- are left out.

    Parameters
    ----------
    path
        The file.
    columns
        The column with tags, counted from 0, or from -1 at the end; or several, such as (-2, -1) in
        the output of a tagger, where the truth comes before the answer.
    comment
        The beginning of lines that are no tokens, such as "# id"; a lone "#" may be a token.

    Returns
    -------
    list or tuple of lists
        The sequences of the column, or of each of several columns.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "out.txt")
    >>> _ = path.write_text("Ada B-PER B-PER\nLovelace I-PER O\n\nHi O O\n")
    >>> read_conll(path, (-2, -1))
    ([['B-PER', 'I-PER'], ['O']], [['B-PER', 'O'], ['O']])
    """
    if comment is not None and (not isinstance(comment, str) or not comment):
        msg = (
            f"`comment` is how lines begin that are no tokens, such as '# id', not {told(comment)}"
        )
        raise InputError(msg)
    single = isinstance(columns, int)
    wanted = _columns([columns] if single else columns)
    text = read_text(path, "tags", large=True, empty=True)
    read: list[Sequences] = [[] for _ in wanted]
    for sentence in _sentences(text, comment):
        for number, line, fields in sentence:
            lacking = [column for column in wanted if not -len(fields) <= column < len(fields)]
            if lacking:
                msg = (
                    f"{printable(path)}: line {number:,} has {len(fields)} columns, so there is no "
                    f"column {lacking[0]}: {some([line])}"
                )
                raise InputError(msg)
        for column, sequences in zip(wanted, read, strict=True):
            sequences.append([fields[column] for *_, fields in sentence])
    return read[0] if single else tuple(read)


def _sentences(text: str, comment: str | None) -> Iterator[list[tuple[int, str, list[str]]]]:
    """The lines of each sentence, with their numbers and fields."""
    sentence: list[tuple[int, str, list[str]]] = []
    # Only these end a line: a token may hold any other character that Unicode calls a line's end.
    for number, line in enumerate([*text.split("\n"), ""], 1):
        if comment is not None and line.startswith(comment):
            continue
        fields = line.split()
        if fields and fields[0] != _DOCUMENT:
            sentence.append((number, line, fields))
        elif sentence:
            yield sentence
            sentence = []


def _columns(columns: Any) -> list[int]:
    wanted = list(columns) if isinstance(columns, Iterable) else [columns]
    if not wanted or any(type(column) is not int for column in wanted):
        msg = f"`columns` must be a whole number such as -1, or several, not {told(columns)}"
        raise InputError(msg)
    return wanted
