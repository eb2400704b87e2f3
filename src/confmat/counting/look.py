"""One look at the end of every count: labels that look alike or mean none, sides that never meet, unread answers."""

from __future__ import annotations

import datetime
import os
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
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
    "alike": "in {} of {} items one takes the place of the other: spell them alike, or name the classes in {labels}",
    "dates": "in {} of {} items one takes the place of the other: bring the dates of both sides to one resolution",
    "missing": "in {} of {} items: give None where a label is missing ({na_values} of files), or name the classes "
    "in {labels}",
    "unread": "so they count as wrong: say by {answers} how answers are written",
    "twice": "{} of {} files: each is listed again, or is beside a pattern or a folder that holds it",
}


def look(
    found: Counted, policy: Policy | None = None, *, named: bool = False, warned: Notes = ()
) -> Counted:
    """Add notes of probable mistakes to the counts, each with a warning unless its kind had one.

    A door that counts two columns gives its policy. Labels that the caller has `named` are what he
    wants. Integers are not looked at, and nothing is done for each item.
    """
    labels = found.labels
    if labels.kind not in {"text", "object"} and not labels.outside:
        return found
    quiet = {note.kind for note in warned}
    if policy is not None:
        if policy.is_quiet:
            return found
        named = policy.labels is not None or policy.answers is not None
    finds: Finds = {} if named else faults_of(labels, lambda: _whole(found))
    if policy is not None and not named:
        quiet |= _look_at_sides(found, finds)
    if INVALID in labels.outside:
        finds["unread"] = [[labels.index(INVALID)]]
    return _with_notes(found, finds, quiet) if finds else found


def _look_at_sides(found: ConfusionMatrix | Stack, finds: Finds) -> set[NoteKind]:
    """Add predicted labels that never occur in the truth to the finds, and give the kinds that were warned of by it."""
    strange, is_spelt = _one_sided(found) if found.labels.kind == "text" else ([], False)
    if strange and not (is_spelt and finds):
        finds["one side"] = strange
    return {"alike"} if is_spelt else set()


def _whole(found: ConfusionMatrix | Stack) -> ConfusionMatrix:
    return found if isinstance(found, ConfusionMatrix) else found.sum()


def _with_notes(found: Any, finds: Finds, quiet: Collection[str]) -> Any:
    """The counts with a note of each find, and the matrices of a stack with those that are about their items."""
    # Notes of other looks, such as on a file that was counted twice, stay.
    others = [note for note in found.notes if note.kind not in finds]
    notes = notes_of(_whole(found), finds, quiet)
    if isinstance(found, Stack):
        parts = {
            key: m._noted(tuple(n for n in notes_of(m, finds, finds) if n.count))
            for key, m in found.items()
        }
        found = Stack(parts, axis=found.axis, ungrouped=found.ungrouped)
    return found._noted(merged([*notes, *others]))


def look_at_files(found: Counted, files: Sequence[Any]) -> Counted:
    """The counts with a note, and a warning, of files that are among them more than once."""
    many = Counter(file.address or os.path.realpath(file.path) for file in files)
    if len(many) == len(files):
        return found
    names = sorted((Path(place).name,) for place, times in many.items() if times > 1)
    note = Note("twice", tuple(names[:MOST_NAMES]), len(files) - len(many), len(files))
    _warn(note)
    return found._noted(merged([note, *found.notes]))  # type: ignore[return-value]


def faults_of(labels: Labels, whole: Callable[[], ConfusionMatrix]) -> Finds:
    """The faults of labels; the whole matrix is asked for only where something may be."""
    kind: NoteKind = "alike" if labels.kind == "text" else "dates"
    finds: Finds = {kind: _look_alikes(labels, whole), "missing": _missing_words(labels, whole)}
    return {kind: groups for kind, groups in finds.items() if groups}


def _look_alikes(labels: Labels, whole: Callable[[], ConfusionMatrix]) -> Groups:
    """Groups of labels that look alike and are confused."""
    keys = _keys(labels)
    if len(set(keys)) == len(keys):
        return []
    groups: dict[Any, list[int]] = {}
    for place, key in enumerate(keys):
        groups.setdefault(key, []).append(place)
    return _confused(groups.values(), labels, whole())


def _missing_words(labels: Labels, whole: Callable[[], ConfusionMatrix]) -> Groups:
    """Labels that a missing value becomes when it is written, or words for one that a single side has."""
    texts = list(map(str.strip, labels.classes)) if labels.kind == "text" else []
    # A class may well be called none, which no missing value is.
    places = [
        at for at, text in enumerate(texts) if text.casefold() in MISSING_WORDS and text != "none"
    ]
    if not places or len(places) == labels.n_classes:
        return []
    m = whole()
    has_one_side = (m.actual_totals > 0) != (m.predicted_totals > 0)
    # Among signs, such as + and -, a sign is a class like any other.
    signs = {text for text in texts if text and not any(map(str.isalnum, text))}
    honest = signs if len(signs) > 1 else set()
    return [
        [at]
        for at in places
        if texts[at] in _MISSING or (has_one_side[at] and texts[at] not in honest)
    ]


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


def _confused(groups: Iterable[list[int]], labels: Labels, m: ConfusionMatrix) -> Groups:
    """The groups of look-alikes that occur and are no honest classes.

    Texts are honest where each is hit more often than, on average, one is taken for the other, as
    those of a model are that distinguishes "m" from "M"; but never where nobody sees a difference.
    """
    occurs = m.actual_totals + m.predicted_totals != 0
    met = ([place for place in group if occurs[place]] for group in groups)
    several = [group for group in met if len(group) > 1]
    apart, hits = _apart(m, several), m.diagonal
    return [
        group
        for group in several
        if 2 * hits[group].min() <= apart[group[0]] or _are_indistinct(group, labels)
    ]


def _are_indistinct(group: list[int], labels: Labels) -> bool:
    """Whether nobody sees a difference between two labels of a group, as between dates of two resolutions."""
    return labels.kind == "object" or len({_seen(labels[place]) for place in group}) < len(group)


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


def _one_sided(found: ConfusionMatrix | Stack) -> tuple[Groups, bool]:
    """Predicted labels that never occur in the truth, if they are most, and whether the truth spells one otherwise."""
    labels = found.labels
    if _most_were_hit(found):
        return [], False
    actual, predicted = (
        np.reshape(totals, (-1, len(labels)))[:, : labels.n_classes].any(axis=0)
        for totals in (found.actual_totals, found.predicted_totals)
    )
    places, many = np.flatnonzero(predicted & ~actual).tolist(), np.count_nonzero(predicted)
    strange, truth = (
        [labels[place] for place in part] for part in (places, np.flatnonzero(actual).tolist())
    )
    if 2 * len(strange) <= many:
        return [], False
    spellings = _two_spellings(strange, truth)
    if spellings is not None:
        near, other = (some([name]) for name in spellings)
        hint = f"the truth spells {near} {other}: spell both sides alike, or if"
    elif len(strange) < 2 or np.sum(found.total) < _FEWEST_ITEMS:
        return [], False
    else:
        hint = "are the two sides exchanged? If" if len(truth) > 2 * many else "if"
    msg = "{:,} of {:,} predicted labels never occur in {actual}, such as {}; {} these are free answers, say {}"
    remedy = Remedy("answers", "answers=confmat.Answers([...])")
    warn(Message(msg, len(strange), many, some(strange, 3), hint, remedy))
    return [[place] for place in places], spellings is not None


def _most_were_hit(found: ConfusionMatrix | Stack) -> bool:
    """Whether most labels occur in the truth, since they were hit, so that sums of the sides need not be made."""
    if not isinstance(found, ConfusionMatrix) or found._counts.is_sparse:
        return False
    hits = found._counts.table().diagonal()[: found.n_classes]
    return bool(found.n_classes <= 2 * np.count_nonzero(hits))


def _two_spellings(names: Sequence[Any], others: Sequence[Any]) -> tuple[Any, Any] | None:
    """The first name that the others spell otherwise, and how; None where there is none."""
    spelt = {_letters(name): name for name in others}
    keys = ((name, _letters(name)) for name in names)
    return next(((name, spelt[key]) for name, key in keys if key in spelt), None)


def _letters(name: Any) -> str:
    """A label without what answers are spelt differently in; 1.0 and True are 1."""
    text = str(name).strip().casefold().removesuffix(".0")
    text = {"true": "1", "false": "0"}.get(text, text)
    return " ".join("".join(letter if letter.isalnum() else " " for letter in text).split())


def notes_of(m: ConfusionMatrix, finds: Finds, quiet: Collection[str] = ()) -> list[Note]:
    """Say what was found of a matrix in notes, and in warnings unless their kinds are quiet."""
    notes = [_note(m, kind, groups) for kind, groups in finds.items()]
    for note in notes:
        # Few unread answers are no mistake.
        is_mistake = note.kind != "unread" or 2 * note.count > note.of >= _FEWEST_ITEMS
        if is_mistake and note.kind not in quiet:
            _warn(note)
    return [note for note in notes if note.kind != "unread" or note.count]


def _note(m: ConfusionMatrix, kind: NoteKind, groups: Groups) -> Note:
    items = m.predicted_totals
    if kind in {"alike", "dates"}:
        items = _apart(m, groups)
    elif kind == "missing":
        items = items + m.actual_totals - m.diagonal
    names = sorted(tuple(sorted(str(m.labels[place]) for place in group[:2])) for group in groups)
    count = items[[group[0] for group in groups]].sum().item()
    return Note(kind, tuple(names[:MOST_NAMES]), count, m.total)


def _warn(note: Note) -> None:
    if note.kind in _ADVICE:
        warn(Message("{}, " + _ADVICE[note.kind], note, number(note.count), number(note.of)))
