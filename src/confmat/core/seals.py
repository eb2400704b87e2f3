"""Seals: the total and the SHA-256 of a stored matrix, by which a damaged file is known, and where it was counted."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Collection, Mapping
from typing import Any
from urllib.parse import parse_qs, urlencode

import numpy as np

from confmat.core.errors import InputError, Message, warn
from confmat.core.text import from_one_line, one_line, printable

# Fields of numbers, which are hashed as arrays.
_TABLES = {"counts", "counts_cells", "squares", "squares_cells"}
# How a text carries its seal: behind the corner of values that delimiters part, else as a comment
# in front.
_COMMENTS = {"markdown": "<!-- {} -->\n", "latex": "% {}\n", "text": "{}\n"}
_CORNER = re.compile(r"(?:actual\\predicted|predicted\\actual)")
_SEAL = re.compile(
    rf"\ufeff?(?:(\"?{_CORNER.pattern}) seal:([^\s,;|\"]*)|(?:<!-- |% )?seal:(\S*)(?: -->)?\r?\n)"
)
_DAMAGED = "the file is damaged: {}; store the matrix again, or take the seal off, if you have changed it yourself"

_LOST = (
    "the text does not keep {} of the matrix that was saved, by which its scores or intervals go"
)


def sealed(data: dict[str, Any], total: float) -> dict[str, Any]:
    """Return plain data with the seal of what they hold."""
    return data | {"seal": {"total": total, "sha256": _digest(data)}}


def check_seal(data: Mapping[str, Any], total: float) -> None:
    """Refuse data that their seal does not fit; those without one are taken as they are."""
    if "seal" in data:
        seal = data["seal"]
        if not isinstance(seal, Mapping) or seal.keys() != {"total", "sha256"}:
            raise InputError(Message(_DAMAGED, "its seal has no total and SHA-256"))
        _check(seal["total"], total, seal["sha256"], data)


def check_fields(data: Mapping[str, Any], known: Collection[str], what: str) -> None:
    """Refuse fields that nobody knows, for they could change what the others mean."""
    if unknown := [name for name in data if name not in known]:
        msg = "{} with an unknown field, {!r:.60}: damaged, or of a later confmat; update confmat, or remove the field"
        raise InputError(Message(msg, what, unknown[0]))


def _check(stored: Any, total: float, digest: Any, data: Mapping[str, Any]) -> None:
    if type(stored) not in {int, float} or not math.isclose(stored, total, rel_tol=1e-9):
        raise InputError(
            Message(_DAMAGED, f"its counts add up to {total!r}, and its seal says {stored!r:.40}")
        )
    if digest != _digest(data):
        raise InputError(Message(_DAMAGED, "it does not hold what its SHA-256 was made of"))


def _digest(data: Mapping[str, Any]) -> str:
    # Loads OpenSSL, which most programs need not wait for.
    import hashlib

    found = hashlib.sha256()

    def feed(fields: Mapping[str, Any]) -> None:
        for name in sorted(fields.keys() - {"seal"}):
            found.update(json.dumps(name).encode())
            if name in _TABLES:
                array = np.asarray(fields[name])
                # Floats that hold whole numbers may be written as these.
                whole = array.dtype.kind in "iu" or bool(
                    ((array % 1 == 0) & (abs(array) < 2**53)).all()
                )
                found.update(np.ascontiguousarray(array, "<i8" if whole else "<f8").tobytes())
            elif name == "matrices":
                for part in fields[name]:
                    feed(part)
            else:
                found.update(json.dumps(fields[name], sort_keys=True).encode())

    feed(data)
    return found.hexdigest()


# ---- texts ---------------------------------------------------------------------------------------


def seal_text(text: str, matrix: Any, form: str) -> str:
    """Return the text of a matrix in a format with its seal, and with where it was counted; others as they are."""
    if form not in {*_COMMENTS, "csv", "tsv"}:
        return text
    facts = {"total": matrix.total, "sha256": _digest(_texts(matrix))}
    if matrix.provenance is not None:
        # Its notes have no other place there.
        more = {"notes": [*map(str, matrix.notes)]} if matrix.notes else {}
        facts["from"] = json.dumps({**matrix.provenance, **more})
    if lost := _lost(matrix):
        facts["lost"] = json.dumps(lost)
    mark = f"seal:{urlencode(facts)}"
    if form in _COMMENTS:
        return _COMMENTS[form].format(mark) + text
    return _CORNER.sub(lambda corner: f"{corner[0]} {mark}", text, count=1)


def _lost(matrix: Any) -> list[str]:
    """Whatever a text does not keep, and scores or intervals go by."""
    squares = matrix._squares
    lost = [f"outside={list(matrix.labels.outside)!r}"] if matrix.labels.outside else []
    if hasattr(matrix, "units"):
        lost.append("the design of the sample")
    elif squares is not None and squares.total != matrix.total:
        lost.append("squares of weights")
    return lost


def unseal_text(text: str) -> tuple[str, Callable[[Any, Any], Any] | None]:
    """Return the text without its seal and, of one that has it, a check of its matrix that adds the provenance.

    The check takes the matrix as it can be read without words, and as the caller reads it.
    """
    found = _SEAL.match(text)
    if found is None:
        return text, None
    facts = {name: values[0] for name, values in parse_qs(found[2] or found[3]).items()}

    def checked(matrix: Any, asked: Any) -> Any:
        try:
            total, provenance = float(facts["total"]), json.loads(facts.get("from", "null"))
            lost = [str(each) for each in json.loads(facts.get("lost", "[]"))]
        except (KeyError, TypeError, ValueError):
            raise InputError(Message(_DAMAGED, "its seal has no total and SHA-256")) from None
        _check(total, matrix.total, facts.get("sha256"), _texts(matrix))
        if lost := [each for each in lost if each not in _lost(asked)]:
            warn(_LOST.format(printable(" and ".join(lost))))
        return asked._counted_in(provenance if isinstance(provenance, dict) else None)

    return (found[1] or "") + text[found.end() :], checked


def _texts(matrix: Any) -> dict[str, Any]:
    """Return what a text keeps of a matrix: labels as they are read from it, and counts."""
    names = [
        label if isinstance(label, str) else from_one_line(one_line(label))
        for label in matrix.labels
    ]
    return {"labels": names, "counts": matrix.counts}
