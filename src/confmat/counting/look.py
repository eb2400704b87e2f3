"""One look at the end of every count: labels that look alike or mean none, sides that never meet, unread answers."""

from __future__ import annotations

import datetime
import os
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from confmat.core.errors import Message, Remedy, warn
from confmat.core.labels import Labels
from confmat.core.matrix import ConfusionMatrix
from confmat.core.notes import MOST_NAMES, Note, NoteKind, Notes, merged
from confmat.core.stack import Stack
from confmat.core.text import number, some
from confmat.counting.planning import INVALID, Policy

Array = NDArray[Any]
Counted = TypeVar("Counted", bound=ConfusionMatrix | Stack)
Groups = list[list[int]]
# Places of labels that belong together, by what is wrong with them.
Finds = dict[NoteKind, Groups]
# Texts that a missing value becomes when it is written; and words, in any case, that are no class
# if one side alone has them.
_MISSING = {"", "nan", "NaN", "<NA>", "NaT"}
MISSING_WORDS = {
    "",
    "na",
    "n/a",
    "#n/a",
    "nan",
    "none",
    "null",
    "nil",
    "<na>",
    "nat",
    "-",
    "--",
    "?",
    ".",
}
# Among fewer items, chance alone makes many predicted labels strange.
_FEWEST_ITEMS = 10
# Letters of other alphabets that look like Latin ones, as capitals or not; dashes and quotes; and
# what nobody sees.
_LOOKS = str.maketrans(
    "авекмнорстухіјѕԁαβεζηικμνορτυχ‐‑‒–—―−‘’“”",
    "abekmhopctyxijsdabezhikmnoptyx-------''\"\"",
    "\u200b\u200c\u200d\u200e\u200f\u2060\ufe0e\ufe0f\ufeff\xad",
)
_ADVICE = {
    "alike": "in {} of {} items one stands for the other: spell them alike, or name the classes in {labels}",
    "dates": "in {} of {} items one stands for the other: bring the dates of both sides to one resolution",
    "missing": "in {} of {} items: give None where a label is missing ({na_values} of files), or name the classes "
    "in {labels}",
    "unread": "so they count as wrong: say by {answers} how answers are written",
    "twice": "{} of {} files: each is listed again, or stands beside a pattern or a folder that holds it",
}


def look(
    found: Counted, policy: Policy | None = None, *, named: bool = False, said: Notes = ()
) -> Counted:
    """The counts with notes of what is probably a mistake, each with a warning unless its kind was `said` before.

    A door that counts two columns gives its policy. Labels that the caller has `named` are what he
    wants. Integers are not looked at, and nothing is done for each item.
    """
    if found.labels.kind not in {"text", "object"} and not found.labels.outside:
        return found
    quiet = {note.kind for note in said}
    if policy is not None:
        if policy.is_quiet:
            return found
        named = policy.labels is not None or policy.answers is not None
    made: Any = found
    one = isinstance(made, ConfusionMatrix)
    whole = (lambda: made) if one else made.sum
    finds: Finds = {} if named else looked(found.labels, whole)
    if policy is not None and not named and found.labels.kind == "text":
        strange, is_spelt = _strange(found)
        quiet |= {"alike"} if is_spelt else set()
        if strange and not (is_spelt and finds):
            finds["one side"] = strange
    if INVALID in found.labels.outside:
        finds["unread"] = [[found.labels.index(INVALID)]]
    if not finds:
        return found
    notes = notes_of(whole(), finds, quiet)
    if not one:
        parts = {
            key: m._noted(tuple(n for n in notes_of(m, finds, finds) if n.count))
            for key, m in made.items()
        }
        made = Stack(parts, axis=made.axis, ungrouped=made.ungrouped)
    # Notes of other looks, such as on a file that was counted twice, stay.
    return made._noted(merged([*notes, *(note for note in found.notes if note.kind not in finds)]))


def look_at_files(found: Counted, files: Sequence[Any]) -> Counted:
    """The counts with a note, and a warning, of files that are among them more than once."""
    many = Counter(file.address or os.path.realpath(file.path) for file in files)
    if len(many) == len(files):
        return found
    names = sorted((Path(place).name,) for place, times in many.items() if times > 1)
    note = Note("twice", tuple(names[:MOST_NAMES]), len(files) - len(many), len(files))
    _warn(note)
    return found._noted(merged([note, *found.notes]))  # type: ignore[return-value]


def looked(labels: Labels, whole: Callable[[], ConfusionMatrix]) -> Finds:
    """The faults of labels; the whole matrix is asked for only where something may be."""
    finds: Finds = {}
    keys = _keys(labels)
    if len(set(keys)) < len(keys):
        groups: dict[Any, list[int]] = {}
        for place, key in enumerate(keys):
            groups.setdefault(key, []).append(place)
        alike = _confused([group for group in groups.values() if len(group) > 1], labels, whole())
        finds |= {"alike" if labels.kind == "text" else "dates": alike} if alike else {}
    # A class may well be called none, which no missing value is.
    texts = {
        place: name.strip() for place, name in enumerate(labels.classes) if labels.kind == "text"
    }
    places = [
        at for at, text in texts.items() if text.casefold() in MISSING_WORDS and text != "none"
    ]
    if places:
        known = whole()
        sides = known.actual_totals > 0, known.predicted_totals > 0
        # Among signs, such as + and -, a sign is a class like any other.
        signs = sum(not any(map(str.isalnum, name)) for name in labels.classes if name) > 1
        words = [
            at
            for at in places
            if texts[at] in _MISSING or not signs or any(map(str.isalnum, texts[at]))
        ]
        absent = [[at] for at in words if texts[at] in _MISSING or sides[0][at] != sides[1][at]]
        finds |= {"missing": absent} if absent and len(places) < labels.n_classes else {}
    return finds


def _keys(labels: Labels) -> Sequence[Any]:
    """The look of each label, or its place where no other has that."""
    names = labels.classes if labels.kind in {"text", "object"} else ()
    if labels.kind == "text":
        return [*map(_looks, names)]
    dates = (datetime.date, np.datetime64)
    return [
        _instant(name) if isinstance(name, dates) else place for place, name in enumerate(names)
    ]


def _looks(name: str) -> str:
    name = (
        name if name.isascii() else unicodedata.normalize("NFKC", name).casefold().translate(_LOOKS)
    )
    return " ".join(name.casefold().split())


def _instant(date: Any) -> str:
    date = date.replace(tzinfo=None) if isinstance(date, datetime.datetime) else date
    return str(np.datetime_as_string(np.datetime64(date), unit="as"))


def _confused(groups: Groups, labels: Labels, m: ConfusionMatrix) -> Groups:
    """The groups of look-alikes that occur and are no honest classes.

    Texts are honest where each is hit more often than, on average, one is taken for the other, as
    those of a model are that tells "m" from "M"; but never where nobody sees a difference.
    """
    occurs = m.actual_totals + m.predicted_totals != 0
    groups = [[place for place in group if occurs[place]] for group in groups]
    groups = [group for group in groups if len(group) > 1]
    apart, hits = _apart(m, groups), m.diagonal
    return [
        group
        for group in groups
        if 2 * hits[group].min() <= apart[group[0]]
        or labels.kind == "object"
        or len({_seen(labels[place]) for place in group}) < len(group)
    ]


def _seen(name: str) -> str:
    return "".join(filter(str.isprintable, " ".join(unicodedata.normalize("NFC", name).split())))


def _apart(m: ConfusionMatrix, groups: Groups) -> Array:
    """How many items have one label of a group for another, at the place of its first."""
    size = len(m.labels)
    codes = np.arange(size)
    for group in groups:
        codes[group] = group[0]
    return m._counts.remapped(codes, size).margins()[0] - np.bincount(
        codes, m.diagonal, size
    ).astype(m.diagonal.dtype)


def _strange(found: ConfusionMatrix | Stack) -> tuple[Groups, bool]:
    """Predicted labels that never occur in the truth, if they are most, and whether the truth spells one otherwise."""
    k, labels = found.labels.n_classes, found.labels
    # A label that was hit occurs in the truth; where most were, the sums of the sides need not be
    # made.
    counts = found._counts if isinstance(found, ConfusionMatrix) else None
    if (
        counts is not None
        and not counts.is_sparse
        and k <= 2 * np.count_nonzero(counts.table().diagonal()[:k])
    ):
        return [], False
    sides = (
        np.asarray(totals).reshape(-1, len(labels))
        for totals in (found.actual_totals, found.predicted_totals)
    )
    actual, predicted = (totals[:, :k].any(axis=0) for totals in sides)
    places = np.flatnonzero(predicted & ~actual).tolist()
    many = np.count_nonzero(predicted)
    if 2 * len(places) <= many:
        return [], False
    strange, truth = (
        [labels[place] for place in part] for part in (places, np.flatnonzero(actual).tolist())
    )
    spelt = {_letters(name): name for name in truth}
    near = next((name for name in strange if _letters(name) in spelt), None)
    if near is None and (len(strange) < 2 or np.sum(found.total) < _FEWEST_ITEMS):
        return [], False
    hint = "are the two sides exchanged? If" if len(truth) > 2 * many else "if"
    if near is not None:
        hint = f"the truth spells {some([near])} {some([spelt[_letters(near)]])}: spell both sides alike, or if"
    msg = "{:,} of {:,} predicted labels never occur in {actual}, such as {}; {} these are free answers, say {}"
    warn(
        Message(
            msg,
            len(strange),
            many,
            some(strange, 3),
            hint,
            Remedy("answers", "answers=confmat.Answers([...])"),
        )
    )
    return [[place] for place in places], near is not None


def _letters(name: Any) -> str:
    """A label without what answers are spelt differently in; 1.0 and True are 1."""
    text = str(name).strip().casefold().removesuffix(".0")
    text = {"true": "1", "false": "0"}.get(text, text)
    return " ".join("".join(letter if letter.isalnum() else " " for letter in text).split())


def notes_of(m: ConfusionMatrix, finds: Finds, quiet: Collection[str] = ()) -> list[Note]:
    """Say what was found of a matrix in notes, and in warnings unless their kinds are quiet."""
    notes = []
    for kind, groups in finds.items():
        items = m.predicted_totals
        if kind in {"alike", "dates"}:
            items = _apart(m, groups)
        elif kind == "missing":
            items = items + m.actual_totals - m.diagonal
        names = sorted(
            tuple(sorted(str(m.labels[place]) for place in group[:2])) for group in groups
        )
        note = Note(
            kind,
            tuple(names[:MOST_NAMES]),
            items[[group[0] for group in groups]].sum().item(),
            m.total,
        )
        # Few unread answers are no mistake.
        if kind not in quiet and (kind != "unread" or 2 * note.count > note.of >= _FEWEST_ITEMS):
            _warn(note)
        notes += [note] if kind != "unread" or note.count else []
    return notes


def _warn(note: Note) -> None:
    if note.kind in _ADVICE:
        warn(Message("{}, " + _ADVICE[note.kind], note, number(note.count), number(note.of)))
