"""Answers, the rules by which free answers become labels; Book, the rules made ready for certain classes."""

from __future__ import annotations

import csv
import io
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Any, Never, TypeGuard

import numpy as np

from confmat.answers.claims import DENIED, DOUBTED, STATED, Claim
from confmat.answers.extraction import FIRST_WORD, MAX_CLAIMS, extractor, own_words
from confmat.answers.log import AnswerLog, Reading
from confmat.answers.phrases import Phrases, listed_phrases
from confmat.answers.spelling import SEVERAL, Names, Nearest, Said, Spelling
from confmat.core.building import as_names
from confmat.core.errors import Argument, InputError, LabelError, Message
from confmat.core.files import read_text
from confmat.core.labels import Labels
from confmat.core.naming import in_order, kind_of, plain, same_name
from confmat.core.options import flag, told
from confmat.core.text import printable, some
from confmat.core.values import Immutable
from confmat.counting.columns import whole_column
from confmat.counting.planning import INVALID

# Ways to extract that are taken where none are named.
USUAL = ("json", "answer is")
# Phrases that mark an answer are asked in this order.
MARKED = {"refused": "(refused)", "abstained": "(abstained)", "error": "(error)"}
OUTSIDE = (INVALID, *MARKED.values())
# A word with a star at an end is a pattern elsewhere; a grade such as A* is none.
_STARRED = re.compile(r"\*\w{3}|.*\w{3}\*$", re.DOTALL)
# Where claims, or the names of one answer, lead to several labels or to a doubt.
_UNSETTLED = Reading(None, "ambiguous")
# How a claim is meant, its pieces, and those after it.
Claimed = tuple[int, list[Said], tuple[str, ...]]


class Book:
    """Tables of names, phrases and ways to extract, for classes that are known."""

    def __init__(self, classes: Labels, options: Mapping[str, Any]) -> None:
        """Make the tables, by the options of `Answers`."""
        self.spelling = Spelling(options["case"], options["punctuation"])
        self.names = Names(((str(label), label) for label in classes.classes), self.spelling)
        aliases = {
            name: _target(name, label, classes, self.names)
            for name, label in options["aliases"].items()
        }
        self.aliases = Names(((str(name), label) for name, label in aliases.items()), self.spelling)
        marked = {option: label for option, label in MARKED.items() if options[option]}
        self.marks = [
            (option, label, Phrases(options[option], self.spelling))
            for option, label in marked.items()
        ]
        led = {*marked.values(), *(label for label in OUTSIDE if label in aliases.values())}
        self.labels = Labels(
            classes, outside=dict.fromkeys([*classes.outside, INVALID, *sorted(led)])
        )
        self.names.know(self.labels.outside)
        self.extract = list(map(extractor, _ways(options, classes)))
        self.last = options["last"]
        fuzzy = options["fuzzy"]
        self.nearest = fuzzy and Nearest([*self.names.loosest(), *self.aliases.loosest()], fuzzy)
        self._check_reach(aliases, options)

    def _check_reach(self, aliases: Mapping[Any, Any], options: Mapping[str, Any]) -> None:
        """Refuse names that an earlier step reads as something else: they would be of no use, unnoticed."""
        spellings = [(name, label, "aliases") for name, label in aliases.items()]
        for option, label in MARKED.items():
            spellings += [
                (spelling, label, option)
                for spelling in options[option]
                if isinstance(spelling, str) and spelling[-1:] != "*"
            ]
        for text, label, option in spellings:
            reading = self._spelt(Said(text, self.spelling))
            if (
                reading is not None
                and reading.label is not None
                and not same_name(reading.label, label)
            ):
                msg = "{} has {} for {}, but the step {!r} reads it as {} before"
                read_as = some([reading.label])
                raise LabelError(
                    Message(
                        msg, Argument(option), some([text]), some([label]), reading.step, read_as
                    )
                )

    def read(self, answer: Any) -> Reading:
        """The label of one answer and the step that read it."""
        answer = plain(answer)
        if answer is None:
            return Reading(None, "invalid")
        given = Said(answer, self.spelling)
        reading = self._spelt(given)
        if _is_label(reading):
            return reading
        ways: list[list[Claimed]] = [[(STATED, [given], ())]]
        contradicted = reading is not None
        found = self._ways(answer, given) if self.extract and isinstance(answer, str) else ()
        for step, claims in found:
            ways.append(claims)
            # Pieces that contradict each other are no reason to look for one that does not.
            if not contradicted:
                reading = self._settled(claims, self._spelt)
                if _is_label(reading):
                    return Reading(reading.label, step or reading.step)
                contradicted = reading is not None
        return self._beyond(ways, several=contradicted)

    def _ways(self, answer: str, given: Said) -> Iterator[tuple[str, list[Claimed]]]:
        """The claims that each way to extract finds, with the name of its step; first the model's own words."""
        bare = own_words(answer)
        if bare != answer:
            given = Said(bare, self.spelling)
            yield "", [(STATED, [given], ())]
        known: dict[Any, Said] = {(str, given.text): given}
        for name, find, sees_all in self.extract:
            found = islice(find(answer if sees_all else bare), MAX_CLAIMS)
            yield (
                f"extract ({name})",
                [(claim.kind, self._parts(claim, known), claim.after) for claim in found],
            )

    def _parts(self, claim: Claim, known: dict[Any, Said]) -> list[Said]:
        """The pieces of a claim, each once and none empty."""
        pieces = {
            (type(piece), piece): plain(piece) for piece in claim.pieces if piece not in {None, ""}
        }
        return [
            known.get(key) or known.setdefault(key, Said(piece, self.spelling))
            for key, piece in pieces.items()
        ]

    def _beyond(self, ways: list[list[Claimed]], *, several: bool) -> Reading:
        """The steps for an answer that is no name and holds none; `several` says that it could be two."""
        claimed = (parts for claims in ways for kind, parts, _ in claims if kind is STATED)
        stated = dict.fromkeys(chain.from_iterable(claimed))
        for option, label, phrases in self.marks:
            if any(map(phrases.match, stated)):
                return Reading(label, option)
        if several:
            return _UNSETTLED
        for claims in ways if self.nearest is not None else ():
            reading = self._settled(claims, self._near)
            if reading is not None:
                return reading
        return Reading(None, "invalid")

    def _settled(
        self, claims: list[Claimed], read: Callable[[Said], Reading | None]
    ) -> Reading | None:
        """The label that all claims agree on, or that of the last claim; label None where there is no single label."""
        settled: Reading | None = None
        denied = []
        if not self.last:
            claims = sorted(claims, key=lambda claim: claim[0] is not STATED)
        for kind, parts, after in claims:
            if kind is DOUBTED:
                settled = settled and _UNSETTLED
                continue
            reading = self._claimed(parts, after, read)
            if kind is DENIED:
                denied.append(reading)
            elif kind is STATED or settled is not None:
                settled = (self.last and reading) or _agreement([settled, reading])
        return _UNSETTLED if _is_denied(settled, denied) else settled

    def _claimed(
        self, parts: list[Said], after: tuple[str, ...], read: Callable[[Said], Reading | None]
    ) -> Reading | None:
        """The label that the pieces of a claim agree on, with those after it if the first is none."""
        reading = _agreement(map(read, parts))
        if reading is not None and after and read(parts[0]) is None:
            more = (read(Said(text, self.spelling)) for text in after if text)
            reading = _agreement([reading, *more])
        return reading

    def _spelt(self, given: Said) -> Reading | None:
        """An answer that is a label or an alias in some spelling; label None where it could be two of them."""
        if not isinstance(given.value, str) and given.value in self.labels:
            return Reading(self.labels[self.labels.index(given.value)], "exact")
        found = self.names.find(given)
        if found is not None and found[1] is not SEVERAL:
            return Reading(found[1], found[0])
        alias = self.aliases.find(given) if self.aliases else None
        if alias is not None and alias[1] is not SEVERAL:
            return Reading(alias[1], "alias")
        return None if found is None and alias is None else _UNSETTLED

    def _near(self, given: Said) -> Reading | None:
        assert self.nearest is not None
        label = self.nearest.find(given.loosest) if isinstance(given.value, str) else None
        return (
            None if label is None else _UNSETTLED if label is SEVERAL else Reading(label, "fuzzy")
        )


def _ways(options: Mapping[str, Any], classes: Labels | None) -> Sequence[Any]:
    """The ways to extract that are named; otherwise the usual ones, and first words where they may be the answer.

    They are where the classes are lone letters, or yes and no among others, and punctuation is
    nothing.
    """
    if options["extract"] is not None or classes is None:
        return USUAL if options["extract"] is None else options["extract"]
    names = {str(name).casefold() for name in classes.classes}
    by_word = names >= {"yes", "no"} or all(len(name) == 1 and name.isalpha() for name in names)
    return (*USUAL, FIRST_WORD) if by_word and not options["punctuation"] else USUAL


def _agreement(readings: Iterable[Reading | None]) -> Reading | None:
    """Return the reading that all readable pieces agree on."""
    read = [reading for reading in readings if reading is not None]
    if not read:
        return None
    return (
        read[0] if all(same_name(reading.label, read[0].label) for reading in read) else _UNSETTLED
    )


def _is_label(reading: Reading | None) -> TypeGuard[Reading]:
    return reading is not None and reading.label is not None


def _is_denied(settled: Reading | None, denied: Iterable[Reading | None]) -> bool:
    """Whether a label was stated and denied, or denied while none was stated."""
    return any(
        each is not None and (settled is None or same_name(each.label, settled.label))
        for each in denied
    )


def _target(name: Any, label: Any, labels: Labels, names: Names) -> Any:
    """The label that an alias leads to."""
    if label in labels:
        return labels[labels.index(label)]
    if isinstance(label, str) and label in OUTSIDE:
        return label
    target = names.exactly(label) if isinstance(label, str) else None
    if target is None or target is SEVERAL:
        msg = (
            f"the alias {some([name])} leads to {some([label])}, which is neither a class ({some(labels.classes)}) "
            f"nor one of {', '.join(OUTSIDE)}"
        )
        raise LabelError(msg)
    return target


class Answers(Immutable):
    """Rules by which free answers become labels: `count(actual, answers, answers=Answers(...), other="collect")`.

    An answer is read by the first of these steps that knows it:

    1. exact: a label, as it is or as its text
    2. case: the same but for letter case, space and Unicode form (NFKC, straight quotation marks,
       nothing invisible)
    3. punctuation: the same but for punctuation, as in "**Not-Spam.**" for not_spam
    4. alias: a name of `aliases`, in the same three spellings
    5. extract: steps 1 to 4 for the pieces that `extract` finds in it
    6. refused, abstained, error: it is one of these phrases, or begins or matches so; then its
       pieces
    7. fuzzy: the nearest name, if it is as near as `fuzzy` says

    An answer that could mean two different labels at a step is not read by it: nothing is guessed.
    Names that differ in spelling alone ("A" and "a") are distinguished by step 1 only. Every
    different answer is read once (in a stream, once in each chunk), however often it comes.

    Parameters
    ----------
    labels
        The classes; without them the ones that `count` is given, or finds in the actual labels.
    aliases
        Other names of a class, or of an outside label: {"spam mail": "spam", "n/a": "(abstained)"},
        or the other way round with lists: {"spam": ["spam mail", "junk"]}.
    refused, abstained, error
        Phrases; a text that ends in a star is a beginning ("I cannot*"); a compiled pattern is
        searched; numbers mark classifiers' abstentions (abstained=-1). They lead to the labels
        "(refused)", "(abstained)" and "(error)", which are outside the classes. A slow pattern is
        slow here too.
    case, punctuation
        Whether letter case and punctuation matter; then their step is left out.
    extract
        "json", "answer is", "first word", "first line", "last line", a compiled pattern or a
        function, or a list of them; () for none. By default the first two, and "first word" too
        where classes are letters, or yes and no.
    last
        Whether a later label of an answer takes the place of an earlier one ("The answer is A.
        Wait, actually B."); otherwise such an answer is not read.
    fuzzy
        The least similarity of a name, as 1 - edits / length of the longer one, such as 0.85.

    Examples
    --------
    >>> rules = Answers(
    ...     ["positive", "negative"], aliases={"+": "positive"}, refused="I cannot*", fuzzy=0.85
    ... )
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
        extract: Any = None,
        last: bool = False,
        fuzzy: float | None = None,
    ) -> None:
        phrases = {"refused": refused, "abstained": abstained, "error": error}
        options: dict[str, Any] = {
            "aliases": _read_aliases(aliases),
            **{name: listed_phrases(texts, name) for name, texts in phrases.items()},
            "case": flag("case", case),
            "punctuation": flag("punctuation", punctuation),
            "extract": _listed_ways(extract),
            "last": flag("last", last),
            "fuzzy": _read_share(fuzzy),
        }
        self._put(_options=options, _log=None, _given=None, _book=None)
        if labels is not None:
            classes = labels if isinstance(labels, Labels) else Labels(as_names(labels))
            self._put(_given=classes, _book=Book(classes, options))

    @property
    def labels(self) -> Labels | None:
        """The classes, and the outside labels that answers may lead to; None while the classes are unknown."""
        return None if self._book is None else self._book.labels

    def _put(self, **values: Any) -> None:
        for name, value in values.items():
            object.__setattr__(self, name, value)

    # ---- reading ---------------------------------------------------------------------------------

    def __call__(self, *_: Any) -> Never:
        """Refuse a call, and say how answers are read."""
        msg = "rules read with read_one(answer), labels_of(answers) or confmat.count(actual, answers, answers=rules)"
        raise TypeError(msg)

    def read_one(self, answer: Any) -> Reading:
        r"""Return the label of one answer and the step that read it.

        Parameters
        ----------
        answer
            The answer: a text, or any other label.

        Returns
        -------
        Reading
            A Reading: the label, None if no step read the answer, and the name of the step.

        Examples
        --------
        >>> Answers(["yes", "no"], extract="last line").read_one("Let me think.\nNo.")
        Reading(label='no', step='extract (last line)')
        """
        if self._book is None:
            msg = Message(
                "these rules know no classes yet; say Answers(labels, ...), or give {labels=} to count"
            )
            raise InputError(msg)
        return self._book.read(answer)

    def labels_of(self, answers: Any) -> list[Any]:
        """Return the label of each answer.

        Parameters
        ----------
        answers
            The answers, in a list or another column.

        Returns
        -------
        list
            A label for each answer: "(invalid)" for an unreadable one, None for a missing one.

        Examples
        --------
        >>> Answers(["yes", "no"]).labels_of(["YES", None, "?"])
        ['yes', None, '(invalid)']
        """
        names, codes = self._distinct(answers)
        labels = [
            INVALID if option.label is None else option.label
            for option in map(self.read_one, names)
        ]
        return [None if code < 0 else labels[code] for code in codes.tolist()]

    def explain(self, answers: Any) -> AnswerLog:
        """Return a log that shows how each step reads some answers.

        Parameters
        ----------
        answers
            The answers, or a mapping of answers to their numbers.
        """
        if isinstance(answers, Mapping):
            names, numbers = list(answers), list(answers.values())
        else:
            names, codes = self._distinct(answers)
            numbers = np.bincount(codes[codes >= 0], minlength=len(names)).tolist()
        log = AnswerLog()
        log._enter(zip(names, map(self.read_one, names), numbers, strict=True))
        return log

    def _distinct(self, answers: Any) -> tuple[list[Any], np.ndarray[Any, Any]]:
        """The different answers, and which of them each answer is; -1 for a missing one."""
        column = whole_column(answers, "answers")
        if column.names is not None:
            return [plain(name) for name in column.names], np.asarray(column.codes).astype(np.int64)
        names, codes = np.unique(column.codes, return_inverse=True)
        return names.tolist(), codes

    @property
    def log(self) -> AnswerLog | None:
        """The log in which these rules enter their readings while answers are counted, or None."""
        return self._log

    # ---- other rules -----------------------------------------------------------------------------

    def logged(self, log: AnswerLog | None) -> Answers:
        """Return the same rules with a log for their readings while answers are counted.

        Parameters
        ----------
        log
            The log to fill, or None for no log.
        """
        if log is not None and not isinstance(log, AnswerLog):
            msg = f"`logged` takes a confmat.AnswerLog, not {type(log).__name__}"
            raise InputError(msg)
        return self._copied(_log=log)

    def bound(self, labels: Iterable[Any]) -> Answers:
        """Return the same rules for some classes.

        Parameters
        ----------
        labels
            The classes; rules that have classes already must have the same.
        """
        names = labels if isinstance(labels, Labels) else Labels(as_names(labels))
        if self._given is not None:
            if set(self._given.classes) != set(names.classes) or self._given.kind != names.kind:
                text = "{labels} names {}, and the rules of {answers} are for {}"
                raise LabelError(Message(text, some(names), some(self._given)))
            return self
        return self._copied(_given=names, _book=Book(names, self._options))

    def _copied(self, **changes: Any) -> Answers:
        copy = Answers.__new__(Answers)
        copy._put(**{name: getattr(self, name) for name in self.__slots__} | changes)
        return copy

    # ---- what counting asks ----------------------------------------------------------------------

    def _for_classes(
        self, classes: Labels | None, other: str, *, found: bool = False
    ) -> tuple[Answers, Labels | None]:
        """The rules for the classes that are named with them, or were found, and the labels of the matrix.

        Classes that are found are those of the actual side, and what aliases lead to besides.
        "(invalid)" is one of the labels where answers that nothing reads are collected, or an alias
        leads to it.
        """
        led = dict.fromkeys(self._options["aliases"].values())
        if classes is not None and found:
            classes = _with_more(classes, led)
        rules = self if classes is None else self.bound(classes)
        if rules.labels is None:
            return rules, None
        named = rules.labels if classes is None or found else classes
        outside = dict.fromkeys([*named.outside, *rules.labels.outside])
        if other != "collect" and INVALID not in led:
            del outside[INVALID]
        return rules, named.replace(outside=outside)

    def _read(self, names: Sequence[Any], labels: Labels) -> list[tuple[Reading, int]]:
        """The reading of each answer and the code of its label; where it has none, that of "(invalid)", or -1."""
        codes = {(type(name), name): code for code, name in enumerate(labels)}
        codes[type(None), None] = codes.get((str, INVALID), -1)
        return [
            (option, codes[type(option.label), option.label])
            for option in map(self.read_one, names)
        ]

    def _enter(self, counted: Iterable[tuple[Any, Reading, Any]]) -> None:
        """Tell the log, if there is one, how often each answer was counted, and how it was read."""
        if self._log is not None:
            self._log._enter(counted)

    # ---- files -----------------------------------------------------------------------------------

    @classmethod
    def read(
        cls, path: str | os.PathLike[str], labels: Iterable[Any] | None = None, **options: Any
    ) -> Answers:
        """Return rules with the aliases of a file.

        A label may be one of "(invalid)", "(refused)", "(abstained)" and "(error)".

        Parameters
        ----------
        path
            A CSV file with the columns alias and label.
        labels
            The classes; without them the ones that `count` is given or finds.
        **options
            The options of `Answers`.
        """
        if "aliases" in options:
            text = "the aliases are those of the file; leave {aliases} out, or give Answers(labels, aliases=...)"
            raise InputError(Message(text))
        return cls(labels, aliases=read_aliases(path), **options)

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuilt, (self._given, self._options, self._log)

    def __repr__(self) -> str:
        facts = (
            []
            if self._given is None
            else [f"{self._given.n_classes:,} classes: {some(self._given.classes, 3)}"]
        )
        facts += [f"{len(self._options['aliases']):,} aliases"] if self._options["aliases"] else []
        facts += [name for name in MARKED if self._options[name]]
        ways = [extractor(rule)[0] for rule in _ways(self._options, self._given)]
        facts += [f"extract {', '.join(ways)}"] if ways else []
        facts += [] if self._options["fuzzy"] is None else [f"fuzzy {self._options['fuzzy']}"]
        return f"<Answers: {'; '.join(facts) or 'no classes yet'}>"


def _rebuilt(labels: Labels | None, options: dict[str, Any], log: AnswerLog | None) -> Answers:
    return Answers(labels, **options).logged(log)


def _read_aliases(aliases: Any) -> dict[Any, Any]:
    if aliases is None:
        return {}
    if not isinstance(aliases, Mapping):
        file = (
            "; Answers.read(path, labels) reads them from a file"
            if isinstance(aliases, (str, os.PathLike))
            else ""
        )
        msg = Message(
            "{aliases} is a mapping of other names to labels, not {}{}",
            told(aliases, typed=True),
            file,
        )
        raise InputError(msg)
    names: dict[Any, Any] = {}
    for name, label in _alias_pairs(aliases):
        if names.setdefault(name, label) != label:
            msg = Message(
                "{aliases} has {} for {} and for {}",
                some([name]),
                some([names[name]]),
                some([label]),
            )
            raise LabelError(msg)
    if None in names or None in names.values():
        msg = Message("{aliases} has a missing name or label")
        raise InputError(msg)
    _check_stars(names)
    return names


def _check_stars(names: Iterable[Any]) -> None:
    starred = [name for name in names if isinstance(name, str) and _STARRED.match(name)]
    if starred:
        text = (
            "{aliases} has {}: an alias is a whole name, and a star in it only a star; write each name out, or "
            "take the name from longer answers with a pattern or a function for {extract}"
        )
        raise InputError(Message(text, some(starred)))


def _with_more(classes: Labels, names: Iterable[Any]) -> Labels:
    """Classes that were found, and names of their kind that are none outside."""
    more = [name for name in names if name not in OUTSIDE and name not in classes]
    more = [name for name in more if kind_of(name) == classes.kind]
    return Labels(in_order([*classes.classes, *more], appearance=True)) if more else classes


def _alias_pairs(aliases: Mapping[Any, Any]) -> Iterator[tuple[Any, Any]]:
    """Each other name with its label, which may have a list of them."""
    for left, right in aliases.items():
        if isinstance(right, (list, set, frozenset)):
            yield from ((plain(name), plain(left)) for name in right)
        else:
            yield plain(left), plain(right)


def _listed_ways(extract: Any) -> tuple[Any, ...] | None:
    """The ways to extract that are named, checked; None where none are."""
    if extract is None:
        return None
    several = isinstance(extract, Iterable) and not isinstance(extract, str)
    ways = tuple(extract) if several else (extract,)
    for rule in ways:
        extractor(rule)
    return ways


def _read_share(fuzzy: Any) -> float | None:
    if fuzzy is None:
        return None
    if (
        isinstance(fuzzy, bool)
        or not isinstance(fuzzy, (int, float, np.number))
        or not 0 < fuzzy <= 1
    ):
        msg = Message(
            "{fuzzy} is how near a name must be, above 0 and up to 1, such as 0.85, not {}",
            told(fuzzy),
        )
        raise InputError(msg)
    return float(fuzzy)


# ---- files of aliases ----------------------------------------------------------------------------


def read_aliases(path: str | os.PathLike[str]) -> dict[Any, Any]:
    """The aliases of a CSV file; names that come twice must lead to one label."""
    text, file = read_text(path, "aliases"), Path(path)
    if text.lstrip()[:1] in {"{", "["}:
        raise _refused(
            file, "a table of aliases is CSV with the columns alias and label; this is JSON"
        )
    aliases: dict[Any, Any] = {}
    for where, name, label in _of_csv(text, file):
        if aliases.setdefault(name, label) != label:
            before = some([aliases[name]])
            raise _refused(file, f"{where}{some([name])} leads to {some([label])} and to {before}")
    if not aliases:
        raise _refused(file, "the file holds no aliases")
    return aliases


def _refused(file: Path, reason: str) -> InputError:
    return InputError(f"{printable(file)}, {printable(reason)}")


def _of_csv(text: str, file: Path) -> Iterator[tuple[str, Any, Any]]:
    delimiter = "\t" if file.suffix.lower() == ".tsv" else ","
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        rows = [(f"line {reader.line_num}: ", row) for row in reader if row]
    except csv.Error as error:
        raise _refused(file, f"line {reader.line_num}: {error}") from None
    head = [field.strip().lower() for field in (rows or [("", [])])[0][1]]
    if sorted(head) != ["alias", "label"]:
        raise _refused(
            file, f"the header of a table of aliases is alias{delimiter}label, not {some(head)}"
        )
    at = head.index("alias")
    for where, row in rows[1:]:
        if len(row) != 2 or not row[1 - at].strip():
            raise _refused(file, f"{where}an alias and a label are needed, not {some(row)}")
        yield where, row[at], row[1 - at].strip()
