"""Schemes: which tags in a row are an entity, by the letters of BIO and its relatives."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

__all__ = ["LETTERS", "SCHEMES", "Scheme", "entities"]

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


def entities(letters: Array, kinds: Array, sequences: Array, scheme: str | None) -> tuple[Array, Array]:
    """Where entities begin and end, of tags in a row: their letters, classes, and which sequence each is of.

    A tag goes on with the entity before it if it is I or E, and that tag was B or I of the same class in the same
    sequence. Every such run is an entity without a scheme, which is how conlleval reads; with one, those that the
    scheme would write.
    """
    if scheme == "IOE1":
        # What is written from the end: IOB1 in a mirror.
        mirrored = np.where(letters == _END, _BEGIN, letters)[::-1]
        begins, ends = entities(mirrored, kinds[::-1], sequences[::-1], "IOB1")
        return (len(letters) - ends)[::-1], (len(letters) - begins)[::-1]
    alike = np.zeros(len(letters), bool)
    alike[1:] = (kinds[1:] == kinds[:-1]) & (sequences[1:] == sequences[:-1]) & (letters[:-1] != _OUT)
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
