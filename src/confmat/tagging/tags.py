"""Tag sequences: one tag for each token becomes spans."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat._options import one_of
from confmat.errors import InputError
from confmat.tagging.entities import Spans
from confmat.tagging.reading import coded
from confmat.tagging.schemes import LETTERS, SCHEMES, Scheme, entities
from confmat.text import printable, some

__all__ = ["spans_of_tags"]

Array = NDArray[Any]


def spans_of_tags(sequences: Any, *, scheme: Scheme | None = None) -> Spans:
    """The named entities of tag sequences, such as ["B-PER", "I-PER", "O", "B-LOC"]; positions are those of tags.

    sequences: one sequence of tags for each sentence or document, which are numbered from 0, or a mapping of document
        to tags. A tag is "O", or a letter, a hyphen and a class; a letter alone has the class "_".
    scheme: None reads tags of any scheme (letters BIES, L and U of BILOU, M and W of BMEWO) as conlleval does: an I
        or E that does not go on with an entity of its class begins one. With "IOB1", "IOB2" (or "BIO"), "IOE1",
        "IOE2", "IOBES" (or "BIOES") or "BILOU" (or "BILUO"), only entities count that the scheme would write so, and
        letters that it does not have are an error.

    >>> list(spans_of_tags([["B-PER", "I-PER", "O", "I-LOC"]]))[1]
    Span(document=0, start=3, end=4, label='LOC')
    >>> [one.label for one in spans_of_tags([["B-PER", "I-PER", "O", "I-LOC"]], scheme="IOB2")]
    ['PER']
    """
    if scheme is not None:
        one_of("scheme", scheme, SCHEMES)
    named = isinstance(sequences, Mapping)
    documents, rows = (list(sequences), list(sequences.values())) if named else (None, _rows(sequences))
    lengths = np.array([_length(one, at) for at, one in enumerate(rows)], np.int64)
    numbers = np.repeat(np.arange(len(rows)), lengths)
    tags, codes = coded(list(chain.from_iterable(rows)), "sequences")

    def where(tag: int) -> str:
        """In which document a tag stands first, and where."""
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
        (documents, places), bounds, ([names[kind] for kind in seen.tolist()], classes), complete=True, lengths=lengths
    )


def _rows(sequences: Any) -> list[Any]:
    if isinstance(sequences, (str, bytes)) or not isinstance(sequences, Iterable) or getattr(sequences, "ndim", 1) == 0:
        msg = (
            f"`sequences` must hold a list of tags for each sentence, not {type(sequences).__name__} {sequences!r:.60}"
        )
        raise InputError(msg)
    return list(sequences)


def _length(row: Any, at: int) -> int:
    if isinstance(row, (str, bytes)) or not hasattr(row, "__len__"):
        hint = "; for one sentence, give a list of one list" if isinstance(row, str) else ""
        msg = f"`sequences` at position {at:,} is {row!r:.60}, not a list of tags{hint}"
        raise InputError(msg)
    return len(row)


def _read(tags: Any, scheme: str | None, where: Callable[[int], str]) -> tuple[Array, Array, list[str]]:
    """Letter and class of each distinct tag; `where` says where one stands."""
    letters, kinds = np.zeros(len(tags), np.int8), np.full(len(tags), -1, np.int64)
    known = {*LETTERS} if scheme is None else {"O", *SCHEMES[scheme]}
    names: dict[str, int] = {}
    for place, tag in enumerate(tags):
        if tag == "O":
            continue
        text = tag if isinstance(tag, str) else ""
        letter, hyphen, name = text[:1], text[1:2], text[2:]
        if letter not in known or letter == "O" or (text[1:] and hyphen != "-"):
            which = "a tag" if scheme is None else f"a tag of {scheme}"
            shown = ", ".join(f"{one}-" for one in (SCHEMES[scheme] if scheme else "BIES"))
            msg = f"{some([tag])} is not {which}: these are O, and classes after {shown}; it is at {where(place)}"
            raise InputError(msg)
        letters[place], kinds[place] = LETTERS[letter], names.setdefault(name or "_", len(names))
    return letters, kinds, list(names)
