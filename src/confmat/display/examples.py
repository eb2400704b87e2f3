"""Examples on the page: their fields as texts, as texts with marked spans, or as small pictures, within a budget."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from confmat.core.errors import InputError
from confmat.core.files import path_of
from confmat.core.labels import Labels
from confmat.core.matrix import ConfusionMatrix
from confmat.core.options import told, whole_number
from confmat.core.pictures import SUFFIXES, is_picture, thumbnail
from confmat.core.text import number, printable
from confmat.counting.examples import Examples

# Limits of the examples on a page: items of one cell, characters of one field, characters of all;
# bytes of pictures.
MOST_OF_A_CELL, LONGEST_FIELD, MOST_TEXT, MOST_PICTURES = 20, 2_000, 4_000_000, 2_000_000
# Characters of an address that holds its data and is no picture.
LONGEST_DATA = 60


# Fields that are drawn, not read.
_DRAWN = frozenset({"true mask", "predicted mask"})


class Pictures(NamedTuple):
    """Where the pictures of examples are: in a folder, or what a function gives for their column `image`."""

    folder: Path | None = None
    image_of: Callable[[Any], Any] | None = None
    most: int = MOST_PICTURES

    @classmethod
    def read(cls, images: Any, most: int, page: Any) -> Pictures:
        """Check what a caller said of the pictures; those of a page in a file may lie beside it."""
        most = whole_number("image_bytes", most, 0)
        if callable(images):
            return cls(None, images, most)
        if isinstance(images, (str, os.PathLike)):
            return cls(path_of(images).resolve(), None, most)
        if isinstance(images, (Mapping, Sequence)) or hasattr(images, "ndim"):
            return cls(None, images.__getitem__, most)
        if images is not None:
            msg = f"`images` is a folder, or a mapping, a list or a function of pictures, not {told(images)}"
            raise InputError(msg)
        return cls(
            path_of(page).resolve().parent if isinstance(page, (str, os.PathLike)) else None,
            None,
            most,
        )

    def source(self, column: str, value: Any) -> Any:
        """The picture that a field is, or the path of the one that it names; None if it is not one."""
        if is_picture(value):
            return value
        if self.image_of is not None and column == "image":
            try:
                found = self.image_of(value)
            except (LookupError, TypeError):
                return None
            return Path(found) if isinstance(found, str) and not is_picture(found) else found
        # Labels in YOLO's folders name their pictures without a suffix.
        endings = ("", *SUFFIXES) if column == "image" else ("",)
        return next(filter(None, (self._file(f"{value}{ending}") for ending in endings)), None)

    def _file(self, name: str) -> Path | None:
        """The file of a picture in the folder; a field comes from the data, and shows no file from elsewhere."""
        if self.folder is None or not name.lower().endswith(SUFFIXES):
            return None
        try:
            path = (self.folder / name).resolve()
            return path if path.is_relative_to(self.folder) and path.is_file() else None
        except (OSError, ValueError):
            return None


class _Wanted(NamedTuple):
    """A picture to be made, and its place in a line."""

    line: list[Any]
    place: int
    source: Any
    shapes: dict[str, Any]


def sampled(
    examples: Any, m: ConfusionMatrix, pictures: Pictures
) -> tuple[dict[str, Any] | None, list[str]]:
    """Examples by the positions of their cell, and what there is to say of those left out.

    `examples` maps (actual, predicted) to examples; one is a text, a tuple of fields or a mapping
    of names to fields.
    """
    if examples is None:
        return None, []
    if isinstance(examples, Examples):
        examples = examples.fitted(m)
    if not isinstance(examples, Mapping):
        msg = f"`examples` map (actual, predicted) to a list of examples; {type(examples).__name__} is no mapping"
        raise InputError(msg)
    columns: list[str] = list(map(printable, getattr(examples, "columns", None) or ()))
    shown: dict[str, Any] = {}
    # The first example of every cell gets its picture before any gets its second.
    wanted: list[list[_Wanted]] = [[] for _ in range(MOST_OF_A_CELL)]
    room, left_out = MOST_TEXT, 0
    for place, seen, rows in _cells(examples, m.labels):
        lines = [_fields(row, columns) for row in rows]
        texts = [[_field(value) for value in line] for line in lines]
        size = sum(map(len, map(str, chain(*texts))))
        if size > room:
            left_out += 1
            continue
        room -= size
        for row, line, text, asked in zip(rows, lines, texts, wanted, strict=False):
            sources = map(pictures.source, columns or ["image"], line)
            asked.extend(_pictures_of(row, text, sources))
        shown[place] = {"seen": seen, "rows": texts}
    notes = []
    if left_out:
        why = "since the page would grow too large"
        notes.append(f"examples of {number(left_out)} cells are left out, {why}")
    notes += _pictured([*chain(*wanted)], pictures.most)
    for cell in shown.values():
        cell["rows"] = [line + [""] * (len(columns) - len(line)) for line in cell["rows"]]
    return {"columns": columns, "cells": shown}, notes


def _pictures_of(row: Any, line: list[Any], sources: Iterable[Any]) -> list[_Wanted]:
    """The pictures of an example, each with its place in the line."""
    found = [(place, source) for place, source in enumerate(sources) if source is not None]
    return [_Wanted(line, place, source, _shapes(row)) for place, source in found]


def _pictured(wanted: list[_Wanted], room: int) -> list[str]:
    """Put pictures in their places as long as there is room, and say which are missing."""
    left_out = unread = 0
    for done, (line, place, source, shapes) in enumerate(wanted):
        made = thumbnail(source, shapes)
        if made is None:
            unread += 1
            continue
        if len(made) > room:
            left_out = len(wanted) - done
            break
        room -= len(made)
        line[place] = {"src": made, "text": "" if is_picture(source) else line[place]}
    why = "cannot be read" if find_spec("PIL") else "need Pillow, `pip install pillow`"
    counted = ((unread, why), (left_out, "are left out; `image_bytes` says how much all may take"))
    return [f"{number(times)} of the examples' pictures {what}" for times, what in counted if times]


def _shapes(row: Any) -> dict[str, Any]:
    """The boxes, as four numbers or a text of them, or the masks that a row has beside its picture."""
    found: dict[str, Any] = {}
    for side in ("true", "predicted") if isinstance(row, Mapping) else ():
        box, mask = row.get(f"{side} box"), row.get(f"{side} mask")
        try:
            corners = np.asarray(box.split() if isinstance(box, str) else box, np.float64)
        except (TypeError, ValueError):
            continue
        if corners.shape == (4,) and np.isfinite(corners).all():
            found[side] = corners
        elif getattr(mask, "ndim", 0) == 2 and np.any(np.asarray(mask)):
            found[side] = mask
    return found


def _cells(examples: Mapping[Any, Any], labels: Labels) -> Iterator[tuple[str, int, list[Any]]]:
    """Per cell: its key on the page, how many examples there were, those that are shown."""
    seen_by = getattr(examples, "seen", None)
    for pair, kept in examples.items():
        if not isinstance(pair, tuple) or len(pair) != 2:
            msg = f"a key of `examples` is a tuple (actual, predicted), not {pair!r:.60}"
            raise InputError(msg)
        if isinstance(kept, (str, bytes, Mapping)) or not isinstance(kept, Iterable):
            msg = f"the examples of {pair!r:.60} are a list, not {kept!r:.60}"
            raise InputError(msg)
        rows = list(kept)
        seen = int(seen_by.get(pair, len(rows))) if isinstance(seen_by, Mapping) else len(rows)
        if rows:
            yield _key(*pair, labels), seen, rows[:MOST_OF_A_CELL]


def _key(actual: Any, predicted: Any, labels: Labels) -> str:
    """The key of a cell on the page; the answers of several models to the same items are one tuple."""
    several = isinstance(predicted, tuple) and predicted not in labels
    answers = predicted if several else (predicted,)
    return ",".join(str(labels.index(label)) for label in (actual, *answers))


def _fields(row: Any, columns: list[str]) -> list[Any]:
    """One example's values, one per column; columns that are new are added."""
    if isinstance(row, Mapping) and not _is_marked(row):
        named = {printable(key): row[key] for key in row if key not in _DRAWN}
        columns += [key for key in named if key not in columns]
        return list(map(named.get, columns))
    parts = list(row) if isinstance(row, (tuple, list)) else [row]
    if len(parts) > 1 or columns:
        columns += map(str, range(len(columns) + 1, len(parts) + 1))
    return parts


def _is_marked(value: Any) -> bool:
    """Whether a value is a text with spans: {"text": ..., "spans": [(start, end, name), ...]}."""
    return isinstance(value, Mapping) and set(value) == {"text", "spans"}


def _field(value: Any) -> Any:
    """A field as safe text; of one with spans, pieces of text with the name of their span."""
    if not _is_marked(value):
        return "" if value is None else _safe(value)
    text, pieces, done = str(value["text"]), [], 0
    for start, end, *name in sorted(value["spans"], key=lambda span: span[:2]):
        if done <= start < end <= len(text):
            pieces += [
                [_safe(text[done:start]), None],
                [_safe(text[start:end]), printable(name[0]) if name else ""],
            ]
            done = end
    return [*pieces, [_safe(text[done:]), None]]


def _safe(value: Any) -> str:
    """A text of bounded length that no browser misreads; its lines stay lines."""
    text = value if isinstance(value, str) else str(value)
    most = LONGEST_DATA if text.startswith("data:") else LONGEST_FIELD
    text = text if len(text) <= most else text[: most - 1] + "…"
    return "\n".join(printable(line) if line else "" for line in text.split("\n"))
