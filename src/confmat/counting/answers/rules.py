"""Answers: an immutable rule book that says which label an answer stands for."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from confmat._building import as_names
from confmat._immutable import Immutable
from confmat._naming import plain
from confmat._options import flag, told
from confmat.counting.answers.book import INVALID, MARKED, OUTSIDE, Book
from confmat.counting.answers.extracting import extractors
from confmat.counting.answers.log import AnswerLog, Reading
from confmat.counting.answers.phrases import listed_phrases
from confmat.counting.columns import column_of
from confmat.errors import InputError, LabelError, Message
from confmat.labels import Labels
from confmat.text import some

__all__ = ["Answers"]

# A word with a star at an end is a pattern elsewhere; a grade such as A* is none.
_STARRED = re.compile(r"\*\w{3}|.*\w{3}\*$", re.DOTALL)


class Answers(Immutable):
    """Rules by which free answers become labels: `count(actual, answers, normalise=Answers(...), other="collect")`.

    An answer is read by the first of these steps that knows it:

    1. exact: a label, as it is or as its text
    2. case: the same but for letter case, space and Unicode form (NFKC, straight quotation marks, nothing invisible)
    3. punctuation: the same but for punctuation, as in "**Not-Spam.**" for not_spam
    4. alias: a name of `aliases`, in the same three spellings
    5. extract: steps 1 to 4 for the pieces that `extract` finds in it
    6. refused, abstained, error: it is one of these phrases, or begins or matches so; then its pieces
    7. fuzzy: the nearest name, if it is as near as `fuzzy` says

    What would mean two different labels at a step is not read by it: nothing is guessed. Names that spelling cannot
    tell apart ("A" and "a") are told apart by step 1 alone. Every different answer is read once (in a stream, once
    in each chunk), however often it comes.

    labels: the classes; without them those that `count` is given, or finds in the actual labels.
    aliases: other names of a class, or of an outside label: {"spam mail": "spam", "n/a": "(abstained)"}, or the other
    way round with lists: {"spam": ["spam mail", "junk"]}.
    refused, abstained, error: phrases; a text that ends in a star is a beginning ("I cannot*"); a compiled pattern
    is searched; numbers mark classifiers' abstentions (abstained=-1). They lead to the labels "(refused)",
    "(abstained)" and "(error)", which stand outside the classes. How long a pattern takes is its author's business.
    case, punctuation: whether they matter; then their step is left out.
    extract: "json", "answer is", "first line", "last line", a compiled pattern or a function, or a list of them.
    fuzzy: how near a name must be, as 1 - edits / length of the longer one, such as 0.85.

    >>> rules = Answers(["positive", "negative"], aliases={"+": "positive"}, refused="I cannot*", fuzzy=0.85)
    >>> rules.labels_of(["Positive.", "+", "I cannot say.", "postive", "hm"])
    ['positive', 'positive', '(refused)', 'positive', '(invalid)']
    """

    __slots__ = ("_book", "_given", "_log", "_options")

    _given: Labels | None
    _options: dict[str, Any]
    _log: AnswerLog | None
    _book: Book | None

    def __init__(
        self,
        labels: Iterable[Any] | None = None,
        *,
        aliases: Mapping[Any, Any] | None = None,
        refused: Any = (),
        abstained: Any = (),
        error: Any = (),
        case: bool = False,
        punctuation: bool = False,
        extract: Any = (),
        fuzzy: float | None = None,
    ) -> None:
        phrases = {"refused": refused, "abstained": abstained, "error": error}
        options: dict[str, Any] = {
            "aliases": _checked_aliases(aliases),
            **{name: listed_phrases(given, name) for name, given in phrases.items()},
            "case": flag("case", case),
            "punctuation": flag("punctuation", punctuation),
            "extract": tuple(extract) if isinstance(extract, Iterable) and not isinstance(extract, str) else (extract,),
            "fuzzy": _checked_share(fuzzy),
        }
        extractors(options["extract"])
        self._put(_options=options, _log=None, _given=None, _book=None)
        if labels is not None:
            given = labels if isinstance(labels, Labels) else Labels(as_names(labels))
            self._put(_given=given, _book=Book.of(given, options))

    @property
    def labels(self) -> Labels | None:
        """The classes, and the outside labels that answers may lead to; None while the classes are unknown."""
        return None if self._book is None else self._book.labels

    def _put(self, **values: Any) -> None:
        for name, value in values.items():
            object.__setattr__(self, name, value)

    # ---- reading -------------------------------------------------------------------------------------------

    def read_one(self, answer: Any) -> Reading:
        r"""The label of one answer and the step that read it; of an answer that nothing reads, None.

        >>> Answers(["yes", "no"], extract="last line").read_one("Let me think.\nNo.")
        Reading(label='no', step='extract (last line)')
        """
        if self._book is None:
            msg = Message("these rules know no classes yet; say Answers(labels, ...), or give {labels} to count")
            raise InputError(msg)
        return self._book.read(answer)

    def labels_of(self, answers: Any) -> list[Any]:
        """The label of each answer, "(invalid)" for what nothing reads, None for what is missing.

        >>> Answers(["yes", "no"]).labels_of(["YES", None, "?"])
        ['yes', None, '(invalid)']
        """
        names, codes = self._distinct(answers)
        labels = [INVALID if found.label is None else found.label for found in map(self.read_one, names)]
        return [None if code < 0 else labels[code] for code in codes.tolist()]

    def explain(self, answers: Any) -> AnswerLog:
        """What each step does to some answers; of a mapping, they are its keys and their numbers its values."""
        if isinstance(answers, Mapping):
            names, many = list(answers), list(answers.values())
        else:
            names, codes = self._distinct(answers)
            many = np.bincount(codes[codes >= 0], minlength=len(names)).tolist()
        log = AnswerLog()
        log._enter((name, self.read_one(name), few) for name, few in zip(names, many, strict=True))
        return log

    def _distinct(self, answers: Any) -> tuple[list[Any], np.ndarray[Any, Any]]:
        """The different answers, and which of them each answer is; -1 for a missing one."""
        column = column_of(answers, "answers")
        if column is None:
            column = column_of(list(answers), "answers")
        assert column is not None
        if column.names is not None:
            return [plain(name) for name in column.names], np.asarray(column.codes).astype(np.int64)
        names, codes = np.unique(column.codes, return_inverse=True)
        return names.tolist(), codes

    @property
    def log(self) -> AnswerLog | None:
        """Where these rules enter what they read while answers are counted."""
        return self._log

    def leads_to(self, label: str) -> bool:
        """Whether an alias leads to this outside label."""
        return isinstance(label, str) and label in self._options["aliases"].values()

    def targets(self) -> list[Any]:
        """The classes that aliases lead to."""
        return [label for label in dict.fromkeys(self._options["aliases"].values()) if label not in OUTSIDE]

    # ---- other rules ---------------------------------------------------------------------------------------

    def logged(self, log: AnswerLog | None) -> Answers:
        """The same rules, which enter in `log` what they read while answers are counted; None for no log."""
        if log is not None and not isinstance(log, AnswerLog):
            msg = f"`logged` takes a confmat.AnswerLog, not {type(log).__name__}"
            raise InputError(msg)
        return self._copied(_log=log)

    def bound(self, labels: Iterable[Any]) -> Answers:
        """The same rules for these classes; rules that have classes already must have the same."""
        names = labels if isinstance(labels, Labels) else Labels(as_names(labels))
        if self._given is not None:
            if set(self._given.classes) != set(names.classes) or self._given.kind != names.kind:
                msg = Message(
                    "{labels} names {}, and the rules of {normalise} are for {}", some(names), some(self._given)
                )
                raise LabelError(msg)
            return self
        return self._copied(_given=names, _book=Book.of(names, self._options))

    def _copied(self, **changes: Any) -> Answers:
        found = Answers.__new__(Answers)
        for name in self.__slots__:
            object.__setattr__(found, name, getattr(self, name))
        found._put(**changes)
        return found

    @classmethod
    def read(cls, path: str | os.PathLike[str], labels: Iterable[Any] | None = None, **options: Any) -> Answers:
        """Rules with the aliases of a file: CSV with the columns alias and label, or JSON of alias to label.

        A label may be one of "(invalid)", "(refused)", "(abstained)" and "(error)". The options are those of Answers.
        """
        from confmat.counting.answers.files import read_aliases

        if "aliases" in options:
            msg = Message(
                "the aliases are those of the file; leave {aliases} out, or give Answers(labels, aliases=...)"
            )
            raise InputError(msg)
        return cls(labels, aliases=read_aliases(path), **options)

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuilt, (self._given, self._options, self._log)

    def __repr__(self) -> str:
        said = [] if self._given is None else [f"{self._given.n_classes:,} classes: {some(self._given.classes, 3)}"]
        said += [f"{len(self._options['aliases']):,} aliases"] if self._options["aliases"] else []
        said += [name for name in MARKED if self._options[name]]
        ways = extractors(self._options["extract"])
        said += [f"extract {', '.join(way[0] for way in ways)}"] if ways else []
        said += [] if self._options["fuzzy"] is None else [f"fuzzy {self._options['fuzzy']}"]
        return f"<Answers: {'; '.join(said) or 'no classes yet'}>"


def _rebuilt(labels: Labels | None, options: dict[str, Any], log: AnswerLog | None) -> Answers:
    return Answers(labels, **options).logged(log)


def _checked_aliases(aliases: Any) -> dict[Any, Any]:
    if aliases is None:
        return {}
    if not isinstance(aliases, Mapping):
        file = "; Answers.read(path, labels) reads them from a file" if isinstance(aliases, (str, os.PathLike)) else ""
        msg = Message("{aliases} is a mapping of other names to labels, not {}{}", told(aliases, typed=True), file)
        raise InputError(msg)
    found: dict[Any, Any] = {}
    for left, right in aliases.items():
        # A list stands for all other names of a label.
        turned = isinstance(right, (list, set, frozenset))
        for name, label in ((plain(one), plain(left)) for one in right) if turned else ((plain(left), plain(right)),):
            if found.setdefault(name, label) != label:
                msg = Message("{aliases} has {} for {} and for {}", some([name]), some([found[name]]), some([label]))
                raise LabelError(msg)
    if None in found or None in found.values():
        msg = Message("{aliases} has a missing name or label")
        raise InputError(msg)
    starred = [name for name in found if isinstance(name, str) and _STARRED.match(name)]
    if starred:
        msg = Message(
            "{aliases} has {}: an alias is a whole name, and a star in it only a star; write each name out, or "
            "take the name from longer answers with a pattern or a function for {extract}",
            some(starred),
        )
        raise InputError(msg)
    return found


def _checked_share(fuzzy: Any) -> float | None:
    if fuzzy is None:
        return None
    if isinstance(fuzzy, bool) or not isinstance(fuzzy, (int, float, np.number)) or not 0 < fuzzy <= 1:
        msg = Message("{fuzzy} is how near a name must be, above 0 and up to 1, such as 0.85, not {}", told(fuzzy))
        raise InputError(msg)
    return float(fuzzy)
